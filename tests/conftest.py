"""What every test may use."""

import asyncio
import gc
import os
import signal
import ssl
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

Handler = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]
Serve = Callable[..., Awaitable[tuple[int, list[bytes]]]]


# In CI the same examples are tried in every run; at home each run tries others. A busy machine fails none.
settings.register_profile(
    "oneclaw",
    derandomize=bool(os.environ.get("CI")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("oneclaw")


# One who starts us in the background may have us ignore signals, and every program a test starts inherits it.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)


SLOW = tuple(
    Path(__file__).parent / folder
    for folder in (
        *("corpus", "faults", "journeys", "testing"),
        *("guard/sandbox", "js", "outside", "plugins", "providers/local", "run/shell"),
        *("agent/test_foreign.py", "store/test_calls.py", "tools/test_manage_process.py"),
        *("guard/command/test_harmless.py", "guard/command/test_foreign_letters.py"),
        "guard/command/test_verdict.py",
        *("guard/files/test_any_tree.py", "guard/files/test_protected.py"),
        *("guard/network/test_conversion.py", "guard/network/test_hostile_servers.py"),
        *("providers/test_dialect_any.py", "test_docs.py", "test_requirements.py", "test_floors.py"),
        "tools/test_ssh_configure_host.py",
    )
)
"""Long stories, outside data, many random examples and many processes: `make quick` leaves them out."""


CRASHES_SECONDS = 600.0


@pytest.fixture(scope="session", autouse=True)
def empty_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Hide the skills and settings of the person who runs the tests.

    The cache stays where it is: the tiny model in it is fetched once and not in each run.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache"))
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        for kind in ("CONFIG", "DATA", "STATE"):
            patch.delenv(f"XDG_{kind}_HOME", raising=False)
        yield


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Have `make quick` not even load what it leaves out."""
    return True if config.option.markexpr == "not slow" and collection_path in SLOW else None


def pytest_collection_finish() -> None:
    """Have the garbage collector not look through the tests, which are there to the end.

    With ten thousand of them that took most of a second, of whichever test was running.
    """
    gc.collect()
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--many", type=int, default=0, help="run the crash tests this many times instead of 50")
    parser.addoption("--soak", type=float, default=0, help="run the soak test this many seconds instead of 4")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the slow tests, and take the time limit from those that were asked to take long.

    A crash test kills 50 programs also on a busy machine, where that takes minutes.
    """
    long = {name for name in ("many", "soak") if config.getoption(f"--{name}")}
    for item in items:
        if any(item.path.is_relative_to(folder) for folder in SLOW):
            item.add_marker(pytest.mark.slow)
        fixtures = getattr(item, "fixturenames", ())
        if long.intersection(fixtures):
            item.add_marker(pytest.mark.timeout(0))
        elif "many" in fixtures:
            item.add_marker(pytest.mark.timeout(CRASHES_SECONDS))


@pytest.fixture
def many(request: pytest.FixtureRequest) -> int:
    """How many times a crash test is to be run."""
    return int(request.config.getoption("--many") or 50)


@pytest.fixture(scope="session")
def missing_engine() -> str:
    """The sentence that says why local models cannot be loaded here; empty where they can."""
    from oneclaw.core.errors import OneClawError
    from oneclaw.providers.local.engine import check_loadable

    try:
        check_loadable()
    except OneClawError as error:
        return str(error)
    return ""


@pytest.fixture(scope="session")
def weights(missing_engine: str) -> Path:
    """The file of the tiny model, fetched once; tests skip and say why where it cannot be had or run."""
    from oneclaw.config import user_folder
    from oneclaw.core.errors import OneClawError
    from oneclaw_smollm2.fetch import SMOLLM2, fetch

    if missing_engine:
        pytest.skip(missing_engine)
    try:
        return asyncio.run(fetch(SMOLLM2, user_folder("cache") / "models"))
    except OneClawError as error:
        pytest.skip(str(error))


@pytest.fixture
def soak(request: pytest.FixtureRequest) -> float:
    """How many seconds the soak test takes."""
    return float(request.config.getoption("--soak") or 4)


@pytest.fixture
async def serve() -> AsyncIterator[Serve]:
    """Start HTTP servers on loopback: `port, seen = await serve(answer)`; `seen` collects raw requests.

    `answer` is the raw response, or a function that is given the request and writes one.
    """
    servers: list[asyncio.Server] = []
    handlers: dict[asyncio.Task[Any], asyncio.StreamWriter] = {}

    async def start(
        answer: bytes | Handler, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None
    ) -> tuple[int, list[bytes]]:
        seen: list[bytes] = []

        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            handlers[task] = writer
            try:
                seen.append(await _read_request(reader))
                if isinstance(answer, bytes):
                    writer.write(answer)
                else:
                    await answer(seen[-1], writer)
                await writer.drain()
            except (OSError, asyncio.IncompleteReadError):
                pass  # the client left, as some tests want it to
            finally:
                writer.close()

        server = await asyncio.start_server(handle, host, 0, ssl=tls)
        servers.append(server)
        return server.sockets[0].getsockname()[1], seen

    yield start
    for server in servers:
        server.close()
    for task, writer in handlers.items():
        if not writer.is_closing():
            writer.transport.abort()
        task.cancel()
    await asyncio.gather(*handlers, return_exceptions=True)
    await asyncio.sleep(0)  # the turn in which aborted connections are closed


async def _read_request(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return head + await reader.readexactly(int(line.partition(b":")[2]))
    return head


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for good.test, and its key, in one file."""
    folder = tmp_path_factory.mktemp("tls")
    command = [
        *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
        *("-days", "2", "-subj", "/CN=good.test", "-addext", "subjectAltName=DNS:good.test"),
        *("-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")),
    ]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("openssl is not installed")
    return folder
