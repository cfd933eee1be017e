"""Caches plugin descriptions on disk, verified against the plugin's files.

One file for each place a plugin was found at; it counts only as long as its seal fits. The seal binds what
was said to the digest of the plugin's files by a key in the data folder: who can write the cache folder alone
cannot take a need away from a tool. A failure is kept too, for a while and as long as the same packages are
installed: a plugin that hangs would slow down every start.
"""

import hashlib
import hmac
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
KEY_NAME = "plugins.key"
_KEY_BYTES = 32
_FORMAT = 2


@dataclass(frozen=True, slots=True)
class CachedDescription:
    """A description: the tools' data, or why there is none."""

    data: Mapping[str, Any] | None = None
    failure: str = ""


class DescriptionCache:
    """The folder of what was told."""

    def __init__(self, folder: Path, path: Iterable[str], home: Path) -> None:
        """`path` is where packages are installed: what could not be imported may be there when it changes.

        `home` is the data folder, which is closed to tools.
        """
        self._folder = folder
        self._secret = _secret(home / KEY_NAME)
        installed = [place for place in path if place.endswith("-packages")]
        self._around = _key([(place, _changed(place)) for place in installed])

    def get(self, place: Path, digest: str, *, with_failures: bool = True) -> CachedDescription | None:
        """The cached description of this state of the code, if valid."""
        try:
            with open(self._file(place), "rb") as file:
                said: Any = json.loads(file.read(FILE_BYTES + 1))
        except (OSError, ValueError, RecursionError):
            return None
        match said:
            case {"seal": str(seal), "said": dict(body)} if self._is_sealed(seal, digest, body):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
                return self._told(cast(dict[str, Any], body), with_failures=with_failures)
            case _:
                return None

    def _told(self, said: dict[str, Any], *, with_failures: bool) -> CachedDescription | None:
        match said:
            case {"data": dict(data)}:  # pyright: ignore[reportUnknownVariableType]
                return CachedDescription(cast(dict[str, Any], data))
            case {"failure": str(failure), "around": around, "when": float(when)}:
                is_young = 0 <= time() - when < FAILURE_SECONDS
                return (
                    CachedDescription(failure=failure)
                    if with_failures and is_young and around == self._around
                    else None
                )
            case _:
                return None

    def put(self, place: Path, digest: str, told: CachedDescription) -> None:
        """Keep what was told. A folder that cannot be written only means to be asked again."""
        if not self._secret:
            return
        said: dict[str, Any] = {"failure": told.failure, "around": self._around, "when": time()}
        if told.data is not None:
            said = {"data": json.loads(json.dumps(told.data))}  # as it will be read
        text = json.dumps({"seal": self._seal(digest, said), "said": said}).encode()
        if len(text) > FILE_BYTES:
            return
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _replace(self._file(place), text)
            self._sweep()

    def _file(self, place: Path) -> Path:
        named = hashlib.sha256(os.fsencode(os.path.abspath(place))).hexdigest()
        return self._folder / f"{named[:32]}.json"

    def _is_sealed(self, seal: str, digest: str, said: dict[str, Any]) -> bool:
        return bool(self._secret) and hmac.compare_digest(
            seal.encode("utf-8", "replace"), self._seal(digest, said).encode()
        )

    def _seal(self, digest: str, said: dict[str, Any]) -> str:
        import sys

        bound = json.dumps([_FORMAT, __version__, sys.version, digest, said], sort_keys=True)
        return hmac.new(self._secret, bound.encode(), "sha256").hexdigest()

    def _sweep(self) -> None:
        """Plugins come and go: the oldest files give way."""
        files = sorted(self._folder.iterdir(), key=lambda file: file.stat().st_mtime, reverse=True)
        for file in files[FILES:]:
            file.unlink(missing_ok=True)


def _secret(file: Path) -> bytes:
    """The key of the seals, made when it is first needed; empty where none can be kept."""
    with suppress(OSError):
        if not file.exists():
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _replace(file, os.urandom(_KEY_BYTES))
        key = file.read_bytes()
        return key if len(key) == _KEY_BYTES else b""
    return b""


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
