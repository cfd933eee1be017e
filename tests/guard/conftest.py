"""What the guards are tested in: a network of our choice on loopback, and a workspace beside secrets."""

import os
import ssl
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import httpcore2
import pytest

from oneclaw.core.session import Workspace
from oneclaw.guard.files import descent, replace
from oneclaw.guard.network.pool import Wiring

SECRET = b"the secret that lies outside"


class Recorder(httpcore2.AsyncNetworkBackend):
    """Notes which address is dialled, and connects to loopback instead of leaving the machine."""

    def __init__(self, dialled: list[str]) -> None:
        self._dialled = dialled
        self._real = cast(httpcore2.AsyncNetworkBackend, httpcore2.AnyIOBackend())

    async def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, *_: Any, **__: Any
    ) -> httpcore2.AsyncNetworkStream:
        self._dialled.append(host)
        return await self._real.connect_tcp("127.0.0.1", port, timeout)


@pytest.fixture
def dialled() -> list[str]:
    """The addresses that were dialled, in order."""
    return []


@pytest.fixture
def asked() -> list[str]:
    """The names that were looked up, in order."""
    return []


@pytest.fixture
def wired(dialled: list[str], asked: list[str]) -> Callable[..., Wiring]:
    """`wired(a_test="1.2.3.4 ::1")` knows a.test and its two addresses; a list is given turn by turn."""

    def make(tls: ssl.SSLContext | None = None, **names: str | list[str]) -> Wiring:
        async def resolve(host: str, port: int) -> list[str]:
            asked.append(host)
            known = names[host.removesuffix(".").replace(".", "_")]
            if isinstance(known, str):
                return known.split()
            return known[min(asked.count(host), len(known)) - 1].split()

        return Wiring(resolve, Recorder(dialled), tls)

    return make


@pytest.fixture(params=["linux", "portable"])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Every test runs twice: with what Linux offers, and with what every POSIX system has."""
    if request.param == "portable":
        monkeypatch.setattr(descent, "PASS", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        monkeypatch.setattr(replace, "UNNAMED", None)
    elif not hasattr(os, "O_PATH"):
        pytest.skip("this system has no O_PATH")
    return str(request.param)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with a workspace `work` and, beside it, what must not be reached."""
    for folder in ("work/sub/deep", "work-evil", "other"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "work/note.txt").write_bytes(b"note")
    (tmp_path / "work/sub/inner.txt").write_bytes(b"inner")
    for name in ("secret.txt", "work-evil/secret.txt", "other/secret.txt"):
        (tmp_path / name).write_bytes(SECRET)
    return tmp_path


@pytest.fixture
def work(home: Path) -> Workspace:
    return Workspace(home / "work")


@pytest.fixture
def as_nobody() -> Iterator[Path]:
    """A folder of a user without special rights, and the rest of the test run as that user."""
    if os.geteuid() != 0:
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder)
        return
    with tempfile.TemporaryDirectory() as folder:
        os.chown(folder, 65534, 65534)
        os.setegid(65534)
        os.seteuid(65534)
        try:
            yield Path(folder)
        finally:
            os.seteuid(0)
            os.setegid(0)
