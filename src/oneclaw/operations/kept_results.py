"""Loads what a result left out: the full text and the images."""

import asyncio
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from oneclaw.agent.session import session_folder
from oneclaw.core.call import Image
from oneclaw.core.errors import NotFound
from oneclaw.store.spill import file_of

if TYPE_CHECKING:
    from oneclaw.app import App

PAGE_BYTES = 100_000
_KEPT_IN = re.compile(r"The whole (?:text|result) is in (.{1,4000}?): read it in pieces with read_file\.")


@dataclass(frozen=True, slots=True)
class ResultPage:
    """A part of a long result; `next` is where the following part begins, None at the end."""

    text: str
    bytes: int
    next: int | None


async def open_result(app: "App", session: str, call_id: str) -> BinaryIO:
    """The whole text of a result that was cut; raises `NotFound`."""
    for record in await app.store.calls.find(call_id):
        if record.session != session:
            continue
        found = _KEPT_IN.findall(record.value if isinstance(record.value, str) else str(record.value))
        names = [os.path.basename(path) for path in found]
        name = next((each for each in reversed(names) if file_of(call_id).fullmatch(each)), "")
        if name:
            folder = session_folder(app.config, session)
            try:
                return await asyncio.to_thread(_open, os.path.join(folder, name))
            except OSError:
                break
    raise NotFound("kept result of the call", call_id, "log")


async def read_result(app: "App", session: str, call_id: str, after: int = 0) -> ResultPage:
    """The part of a long result that begins at a byte; raises `NotFound`."""
    with await open_result(app, session, call_id) as file:
        return await asyncio.to_thread(_read_page, file, after)


async def find_picture(app: "App", session: str, call_id: str, index: int) -> Image:
    """A picture of a result, of a run that is going on or of a stored conversation; raises `NotFound`."""
    going = app.runs.running_in(session)
    result = None if going is None else going.result_of(call_id)
    images = result.images if result is not None else await app.store.messages.images_of(session, call_id)
    if index >= len(images):
        raise NotFound("picture of the call", call_id, "log")
    return images[index]


def _open(path: str) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb")


def _read_page(file: BinaryIO, after: int) -> ResultPage:
    size = os.fstat(file.fileno()).st_size
    file.seek(min(after, size))
    data = file.read(PAGE_BYTES)
    end = min(after, size) + len(data)
    while end < size and data and _is_inside_character(file, end):  # a character is not torn apart
        data, end = data[:-1], end - 1
    return ResultPage(data.decode("utf-8", "replace"), size, end if end < size else None)


def _is_inside_character(file: BinaryIO, at: int) -> bool:
    file.seek(at)
    return file.read(1)[0] & 0xC0 == 0x80
