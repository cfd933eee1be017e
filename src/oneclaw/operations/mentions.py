"""Files that a person names with `@path` in a message: found, completed and attached."""

import re
from dataclasses import dataclass

from oneclaw.core.call import Image
from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.image import MAX_BYTES, media_type
from oneclaw.core.session import Workspace
from oneclaw.core.text.encoding import describe_binary, detect
from oneclaw.guard.files import paths

FILE_BYTES = 200_000
MOST_FILES = 20
_MOST_OFFERED = 50
_MENTION = re.compile(r'(?:^|(?<=\s))@(?:"([^"\n]+)"|(\S+))')


@dataclass(frozen=True, slots=True)
class Attached:
    """A message with the files that it names; `notes` say what was attached and what was not."""

    text: str
    images: tuple[Image, ...] = ()
    notes: tuple[str, ...] = ()


def attach(workspace: Workspace, text: str) -> Attached:
    """The message with the content of each file that it mentions; a word that names no file stays a word."""
    files: list[str] = []
    images: list[Image] = []
    notes: list[str] = []
    names = dict.fromkeys(quoted or plain for quoted, plain in _MENTION.findall(text))
    for name in list(names)[:MOST_FILES]:
        try:
            found = _read(workspace, name)
        except ToolError as error:
            if error.kind is not Kind.FILE_NOT_FOUND:
                notes.append(f"{name} was not attached: {error.message}")
            continue
        if isinstance(found, Image):
            images.append(found)
        else:
            files.append(f"The file {name}:\n```\n{found}\n```")
        notes.append(f"attached {name}")
    if len(names) > MOST_FILES:
        notes.append(f"only the first {MOST_FILES} files were attached")
    return Attached("\n\n".join((text, *files)), tuple(images), tuple(notes))


def complete_mention(workspace: Workspace, word: str) -> list[str]:
    """The mentions that a word which begins with `@` may become."""
    folder, _, start = word[1:].rpartition("/")
    try:
        with paths.open_folder(workspace, folder or ".") as opened:
            entries = list(opened.walk(lambda entry: False, 10_000))
    except ToolError:
        return []
    found = [
        f"{entry.name}/" if entry.kind == "folder" else entry.name
        for entry in entries
        if entry.name.startswith(start) and (start.startswith(".") or not entry.name.startswith("."))
    ]
    before = f"{folder}/" if folder else ""
    return [f"@{before}{name}" for name in found[:_MOST_OFFERED] if " " not in name]


def _read(workspace: Workspace, name: str) -> str | Image:
    """The text of a file or a picture; raises `ToolError`."""
    with paths.open_file(workspace, name) as file:
        data = file.read(MAX_BYTES + 1)
    kind = media_type(data[:100])
    if kind is not None and len(data) <= MAX_BYTES:
        return Image(data, kind)
    encoding = detect(data[:8192])
    if describe_binary(data[:8192], encoding) is not None:
        raise ToolError("it is neither text nor a picture.")
    if len(data) > FILE_BYTES:
        raise ToolError(f"it has more than {FILE_BYTES:,} bytes; have the agent read a part of it.")
    return data[len(encoding.mark) :].decode(encoding.name, "replace")
