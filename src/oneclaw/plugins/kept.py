"""What plugins said of their tools, kept in the cache folder so that the next start asks no process again.

One file for each place a plugin was found at; it counts only as long as its key fits. A failure is kept too,
for a while and as long as the same packages are installed: a plugin that hangs would slow down every start.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import time
from typing import Any, cast

from oneclaw.core.version import __version__

FAILURE_SECONDS = 600.0
FILE_BYTES = 4 << 20
FILES = 200
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Told:
    """What was said: the data of the tools, or why there is none."""

    data: Mapping[str, Any] | None = None
    failure: str = ""


class Kept:
    """The folder of what was told."""

    def __init__(self, folder: Path, path: Iterable[str]) -> None:
        """`path` is where packages are installed: what could not be imported may be there when it changes."""
        self._folder = folder
        installed = [place for place in path if place.endswith("-packages")]
        self._around = _key([(place, _changed(place)) for place in installed])

    def get(self, place: Path, digest: str, *, with_failures: bool = True) -> Told | None:
        """What was told of this state of the code, if it still counts."""
        try:
            with open(self._file(place), "rb") as file:
                said: Any = json.loads(file.read(FILE_BYTES + 1))
        except (OSError, ValueError, RecursionError):
            return None
        match said:
            case {"key": key, "data": data} if key == self._key(digest) and isinstance(data, dict):
                return Told(cast(dict[str, Any], data))
            case {"key": key, "failure": str(failure), "around": around, "when": float(when)}:
                is_same = key == self._key(digest) and around == self._around
                if with_failures and is_same and 0 <= time() - when < FAILURE_SECONDS:
                    return Told(failure=failure)
            case _:
                pass
        return None

    def put(self, place: Path, digest: str, told: Told) -> None:
        """Keep what was told. A folder that cannot be written only means to be asked again."""
        said: dict[str, Any] = {"key": self._key(digest)}
        if told.data is not None:
            said |= {"data": told.data}
        else:
            said |= {"failure": told.failure, "around": self._around, "when": time()}
        text = json.dumps(said).encode()
        if len(text) > FILE_BYTES:
            return
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _replace(self._file(place), text)
            self._sweep()

    def _file(self, place: Path) -> Path:
        named = hashlib.sha256(os.fsencode(os.path.abspath(place))).hexdigest()
        return self._folder / f"{named[:32]}.json"

    def _key(self, digest: str) -> str:
        import sys

        return _key(_FORMAT, __version__, sys.version, digest)

    def _sweep(self) -> None:
        """Plugins come and go: the oldest files give way."""
        files = sorted(self._folder.iterdir(), key=lambda file: file.stat().st_mtime, reverse=True)
        for file in files[FILES:]:
            file.unlink(missing_ok=True)


def _key(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _changed(place: str) -> int:
    try:
        return os.stat(place or ".").st_mtime_ns
    except OSError:
        return 0


def _replace(file: Path, text: bytes) -> None:
    """Write whole or not at all, and for nobody else to read."""
    beside = file.with_name(f"{file.name}.{os.urandom(4).hex()}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(text)
        os.replace(beside, file)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise
