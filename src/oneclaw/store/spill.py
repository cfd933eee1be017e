"""Stores long results as files in the session's folder."""

import asyncio
import os
import re
from pathlib import Path

from oneclaw.core.session import Session


async def keep(session: Session, call_id: str, text: str) -> str:
    """Write the text for its owner alone; returns the path, or nothing for a session without a folder."""
    if session.folder is None:
        return ""
    return str(await asyncio.to_thread(_write, session.folder, _name(call_id), text))


def file_of(call_id: str) -> re.Pattern[str]:
    """Which names a file with a long result of this call has."""
    return re.compile(rf"{re.escape(_name(call_id))}(-\d+)?\.txt")


def _name(call_id: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", call_id)[:100]


def _write(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    data = text.encode("utf-8", "surrogatepass")
    for number in range(1000):
        path = folder / (f"{name}.txt" if not number else f"{name}-{number + 1}.txt")
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except FileExistsError:
            continue
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return path
    raise FileExistsError(f"{folder} holds too many results of the call {name}.")
