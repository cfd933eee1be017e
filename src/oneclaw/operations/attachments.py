"""Files that people give to agents: kept in the folder `uploads` of the workspace, and named in messages."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePosixPath
from shutil import copyfileobj
from typing import BinaryIO

from oneclaw.core.call import Image
from oneclaw.core.errors import InvalidConfig, Kind, ToolError
from oneclaw.core.image import MAX_BYTES, media_type
from oneclaw.core.message import UserMessage
from oneclaw.core.session import Workspace
from oneclaw.guard.files import paths
from oneclaw.guard.files.entry import AlreadyThere

FOLDER = "uploads"
MOST_BYTES = 64 << 20
"""The most of one file."""
MOST_KEPT = 1_000
"""The most files in the folder."""
MOST_FILES = 20
"""The most files of one message."""
_NAME_CHARS = 100
_UNSAFE = re.compile(r"[^\w. ()+-]+")
_HEAD = "Attached files:"


@dataclass(frozen=True, slots=True)
class KeptUpload:
    """A file that was given: its path in the workspace, and its size."""

    path: str
    bytes: int


def safe_name(name: str) -> str:
    """A name for a file that was called so elsewhere: no path, no hidden file, nothing unprintable."""
    last = re.split(r"[/\\]", name.replace("\0", ""))[-1]
    plain = " ".join(_UNSAFE.sub("_", last).split()).strip(". ")
    path = PurePosixPath(plain or "file")
    end = path.suffix[:20]
    return f"{path.name[: len(path.name) - len(path.suffix)][: _NAME_CHARS - len(end)] or 'file'}{end}"


def keep_upload(workspace: Workspace, name: str, content: BinaryIO) -> KeptUpload:
    """Keep a file beside those that are there, and replace none; raises `ToolError` and `InvalidConfig`."""
    _check_room(workspace)
    path = PurePosixPath(FOLDER, safe_name(name))
    size = 0

    def write(old: BinaryIO | None, new: BinaryIO) -> None:
        nonlocal size
        if old is not None:
            raise AlreadyThere(str(chosen))
        content.seek(0)
        copyfileobj(content, new)
        size = new.tell()

    chosen = path
    for number in range(2, MOST_KEPT + 2):
        with suppress(AlreadyThere):
            paths.change_file(workspace, str(chosen), write, check=lambda: None)
            return KeptUpload(str(chosen), size)
        chosen = path.with_name(f"{path.stem}-{number}{path.suffix}")
    raise AlreadyThere(str(path))


def open_file(workspace: Workspace, path: str) -> BinaryIO:
    """A file of the workspace, to read; raises `ToolError`."""
    return paths.open_file(workspace, path)


def with_files(workspace: Workspace, text: str, files: Sequence[str]) -> UserMessage:
    """A message that names files of the workspace, with those that are pictures; raises `ToolError`."""
    if len(files) > MOST_FILES:
        raise InvalidConfig(f"A message names {len(files)} files; at most {MOST_FILES} go with one.")
    images: list[Image] = []
    for path in files:
        if any(char in path for char in "\n\r"):
            raise InvalidConfig(f"{path[:80]!r} is no path of an attached file: it has a line break.")
        with paths.open_file(workspace, path) as file:
            data = file.read(MAX_BYTES + 1)
        kind = media_type(data[:100])
        if kind is not None and len(data) <= MAX_BYTES:
            images.append(Image(data, kind))
    named = "".join(f"\n- {path}" for path in dict.fromkeys(files))
    return UserMessage(f"{text}\n\n{_HEAD}{named}" if files else text, tuple(images))


def _check_room(workspace: Workspace) -> None:
    try:
        with paths.open_folder(workspace, FOLDER) as opened:
            kept = sum(1 for _ in opened.walk(lambda entry: False, MOST_KEPT + 1))
    except ToolError as error:
        if error.kind is Kind.FILE_NOT_FOUND:
            return
        raise
    if kept >= MOST_KEPT:
        raise InvalidConfig(f"The folder {FOLDER} holds {MOST_KEPT:,} files already; remove some first.")
