"""Long results as MCP resources: the files that a session keeps of them, and nothing else."""

import os
import re
import stat
from pathlib import Path
from typing import Any

PREFIX = "oneclaw://results/"
MOST_LISTED = 1_000
MOST_BYTES = 32 << 20
_NAME = re.compile(r"[A-Za-z0-9_-]{1,120}\.txt")


class NoSuchResource(Exception):
    """A resource that is not there, or cannot be given; the text says which and why."""


class ResultFiles:
    """The long results in the folder of a session."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def link(self, call_id: str) -> dict[str, Any] | None:
        """A link to the whole result of a call, if it was kept."""
        name = f"{call_id}.txt"
        size = self._size(name)
        return None if size is None else {"type": "resource_link", **_resource(name, size)}

    def list(self) -> list[dict[str, Any]]:
        """The results that are kept, in the order of their names."""
        if self._folder is None or not self._folder.is_dir():
            return []
        names = sorted(name for name in os.listdir(self._folder) if _NAME.fullmatch(name))
        sizes = ((name, self._size(name)) for name in names[-MOST_LISTED:])
        return [_resource(name, size) for name, size in sizes if size is not None]

    def read(self, uri: str) -> dict[str, Any]:
        """The text of a result; raises `NoSuchResource`."""
        name = uri.removeprefix(PREFIX)
        if not uri.startswith(PREFIX) or not _NAME.fullmatch(name):
            raise NoSuchResource(f"There is no resource {uri[:200]!r}; resources/list names those there are.")
        return {"uri": uri, "mimeType": "text/plain", "text": self.text(name)}

    def text(self, name: str) -> str:
        """The text of a file; raises `NoSuchResource`."""
        try:
            assert self._folder is not None
            fd = os.open(self._folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except (OSError, AssertionError):
            raise NoSuchResource(
                f"There is no result {name}; resources/list names those there are."
            ) from None
        with os.fdopen(fd, "rb") as file:
            found = os.fstat(fd)
            if not stat.S_ISREG(found.st_mode) or found.st_size > MOST_BYTES:
                raise NoSuchResource(
                    f"The result {name} has {found.st_size:,} bytes, and at most {MOST_BYTES:,} are given;"
                    " read it in pieces with read_file."
                )
            return file.read(MOST_BYTES).decode("utf-8", "replace")

    def _size(self, name: str) -> int | None:
        try:
            found = os.lstat((self._folder or Path()) / name)
        except OSError:
            return None
        return found.st_size if self._folder is not None and stat.S_ISREG(found.st_mode) else None


def _resource(name: str, size: int) -> dict[str, Any]:
    return {
        "uri": PREFIX + name,
        "name": name,
        "title": "The whole of a long result",
        "mimeType": "text/plain",
        "size": size,
    }
