"""Sources of tools: opened side by side, slow and broken ones alone, names in their order."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic

import pytest
from tests.outside_apps import WAIT_SECONDS, call, config, until

from oneclaw import App, Tool, ToolDefinition
from oneclaw.core import sources
from oneclaw.core.errors import DuplicateTool, InvalidConfig, Kind
from oneclaw.core.load import LoadProblem
from oneclaw.core.registry import Registry
from oneclaw.core.source import Changed, FixedSource, ToolSource
from oneclaw.core.sources import Sources


def make(name: str, *, aliases: tuple[str, ...] = ()) -> Tool:
    """A tool that says its name."""
    return Tool(ToolDefinition(name=name, aliases=aliases), lambda arguments, context: name)


class Server:
    """A source like a server: it answers over a socket, in its own time, and its tools come and go."""

    is_outside = True

    def __init__(self, name: str, *names: str) -> None:
        self.name = name
        self.offered = list(names)
        self.tools: Sequence[Tool] = ()
        self.problems: Sequence[LoadProblem] = ()
        self.health = ""
        self.answers = asyncio.Event()
        self.opened = self.closed = 0
        self.changed: Changed = lambda: None

    async def open(self, changed: Changed) -> None:
        self.opened += 1
        self.changed = changed
        await self.answers.wait()
        self.tools = [make(name) for name in self.offered]

    async def close(self) -> None:
        self.closed += 1

    def offer(self, *names: str) -> None:
        self.tools = [make(name) for name in names]
        self.changed()


class Broken(Server):
    """A source that raises when it is opened."""

    def __init__(self, name: str, error: BaseException) -> None:
        super().__init__(name)
        self.error = error

    async def open(self, changed: Changed) -> None:
        raise self.error


def ready(name: str, *names: str) -> Server:
    server = Server(name, *names)
    server.answers.set()
    return server


def plain(tmp_path: Path, *given: ToolSource) -> App:
    return App(config(tmp_path), builtins=False, sources=given)


def states(app: App) -> dict[str, str]:
    return {health.source: health.state for health in app.sources.health}


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A start that a test can wait for."""
    monkeypatch.setattr(sources, "START_SECONDS", 0.2)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits that a test can wait for."""
    monkeypatch.setattr(sources, "WAIT_SECONDS", 0.2)
    monkeypatch.setattr(sources, "CLOSE_SECONDS", 0.2)


async def test_a_slow_source_delays_nobody_and_its_tools_come_when_it_is_ready(tmp_path: Path) -> None:
    slow, quick = Server("slow", "late"), ready("quick", "here")
    began = monotonic()
    async with plain(tmp_path, slow, quick) as app:
        # Neither the start nor another source waits longer than the start may.
        assert monotonic() - began < sources.START_SECONDS + 5
        assert states(app)["slow"] == "opening"
        assert states(app)["quick"] == "ready"
        assert (await call(app, "here")).value == "here"
        assert [problem.place for problem in app.problems] == ["source slow"]
        assert app.problems[0].is_warning
        slow.answers.set()
        await until(lambda: "late" in app.registry)
        assert (await call(app, "late")).value == "late"
        assert states(app)["slow"] == "ready"
        assert not app.problems


async def test_without_its_limit_the_start_would_wait_for_a_slow_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin: with no end of the wait, the app is not open before the source is."""
    start_seconds = sources.START_SECONDS
    monkeypatch.setattr(sources, "START_SECONDS", 3600.0)
    slow = Server("slow", "late")
    app = plain(tmp_path, slow)
    opening = asyncio.ensure_future(app.__aenter__())
    await until(lambda: slow.opened == 1)
    done, _ = await asyncio.wait([opening], timeout=start_seconds + 1)
    assert not done
    slow.answers.set()
    await opening
    await app.__aexit__(None, None, None)


async def test_sources_open_side_by_side(tmp_path: Path) -> None:
    first, second = Server("first", "a"), Server("second", "b")
    app = plain(tmp_path, first, second)
    opening = asyncio.ensure_future(app.__aenter__())
    await until(lambda: first.opened == second.opened == 1)  # one after the other, the second would wait
    first.answers.set()
    second.answers.set()
    await opening
    assert {"a", "b"} <= {one.name for one in app.registry}
    await app.__aexit__(None, None, None)


async def test_a_call_waits_for_a_tool_whose_source_still_opens(tmp_path: Path) -> None:
    slow = Server("slow", "late")
    async with plain(tmp_path, slow) as app:
        calling = asyncio.ensure_future(call(app, "late"))
        done, _ = await asyncio.wait([calling], timeout=0.1)
        assert not done
        slow.answers.set()
        async with asyncio.timeout(WAIT_SECONDS):
            assert (await calling).value == "late"


@pytest.mark.usefixtures("short")
async def test_a_call_that_waited_long_enough_is_told_which_source_still_opens(tmp_path: Path) -> None:
    async with plain(tmp_path, Server("slow", "late"), ready("quick", "later")) as app:
        missing = await call(app, "late")
        assert missing.kind is Kind.TOOL_NOT_FOUND
        assert "It may be a tool of 'slow', still opening: try again in a few seconds." in missing.message
    async with plain(tmp_path, ready("quick", "other")) as app:
        missing = await call(app, "late")
        assert "opening" not in missing.message


@pytest.mark.parametrize(
    "error",
    [
        OSError("connection refused"),
        SystemExit(3),
        asyncio.CancelledError(),
        ExceptionGroup("g", [ValueError("x")]),
    ],
)
async def test_a_source_that_raises_is_a_problem_of_its_own(tmp_path: Path, error: BaseException) -> None:
    async with plain(tmp_path, Broken("broken", error), ready("good", "here")) as app:
        assert states(app) | {"broken": "failed", "good": "ready"} == states(app)
        (problem,) = app.problems
        assert problem.place == "source broken"
        assert not problem.is_warning
        assert "`oneclaw tools reload` tries again" in problem.reason
        assert (await call(app, "here")).value == "here"
    if isinstance(error, OSError):
        assert "connection refused" in problem.reason


async def test_without_a_slot_of_its_own_a_source_that_raises_ends_the_start() -> None:
    """The twin: opened side by side and nothing more, one broken source fails for all."""
    both = Broken("broken", OSError("connection refused")), ready("good", "here")
    with pytest.raises(OSError, match="connection refused"):
        await asyncio.gather(*(source.open(lambda: None) for source in both))


async def test_a_source_whose_tools_cannot_be_listed_leaves_the_others_alone(tmp_path: Path) -> None:
    class Unlisted(list[Tool]):
        def __iter__(self) -> Iterator[Tool]:
            raise ValueError("no list")

    class Unlistable(Server):
        async def open(self, changed: Changed) -> None:
            self.tools = Unlisted()

    unlisted = Unlistable("unlisted")
    async with plain(tmp_path, unlisted, ready("good", "here")) as app:
        assert states(app)["unlisted"] == "failed"
        assert "no list" in app.problems[0].reason
        assert (await call(app, "here")).value == "here"


async def test_a_failed_source_is_tried_again_by_a_reload(tmp_path: Path) -> None:
    class Mended(Server):
        async def open(self, changed: Changed) -> None:
            if not self.answers.is_set():
                raise OSError("nobody listens")
            await super().open(changed)

    source = Mended("server", "here")
    async with plain(tmp_path, source) as app:
        assert states(app)["server"] == "failed"
        source.answers.set()
        assert await app.reload() == ()
        assert states(app)["server"] == "ready"
        assert (await call(app, "here")).value == "here"


async def test_the_tools_of_a_source_change_while_calls_run(tmp_path: Path) -> None:
    server = ready("server", "first")
    async with plain(tmp_path, server) as app:
        version = app.registry.version
        server.changed()
        assert app.registry.version == version  # nothing is made anew where nothing changed
        server.offer("second")
        assert (await call(app, "second")).value == "second"
        assert (await call(app, "first")).kind is Kind.TOOL_NOT_FOUND
        assert {one.name for one in app.engine.available()} == {"second"}
        server.health = "the server does not answer"
        server.offer()
        assert states(app)["server"] == "failed"
        assert "the server does not answer" in app.problems[0].reason


async def test_a_reload_keeps_the_tools_a_source_had_until_it_has_others(tmp_path: Path) -> None:
    server = ready("server", "here")
    async with plain(tmp_path, server) as app:
        server.answers.clear()
        server.offered = ["there"]
        reloading = asyncio.ensure_future(app.reload())
        await until(lambda: server.opened == 2)
        assert (await call(app, "here")).value == "here"
        server.answers.set()
        await reloading
        assert [one.name for one in app.registry] == ["there"]


@pytest.mark.usefixtures("short")
async def test_a_source_that_does_not_close_holds_up_nobody(tmp_path: Path) -> None:
    class Stuck(Server):
        async def close(self) -> None:
            await asyncio.Event().wait()

    stuck, good = Stuck("stuck"), ready("good", "here")
    async with asyncio.timeout(WAIT_SECONDS):
        async with plain(tmp_path, stuck, good):
            pass
    assert good.closed == 1


async def test_a_source_that_is_still_opening_when_the_app_closes_is_stopped(tmp_path: Path) -> None:
    ended: list[str] = []

    class Slow(Server):
        async def open(self, changed: Changed) -> None:
            try:
                await super().open(changed)
            finally:
                ended.append(self.name)

    slow = Slow("slow", "late")
    async with plain(tmp_path, slow):
        pass
    assert (ended, slow.closed) == (["slow"], 1)


@pytest.mark.usefixtures("short")
async def test_a_source_has_so_long_to_open_and_no_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "OPEN_SECONDS", 0.1)
    async with plain(tmp_path, Server("hung")) as app:
        await until(lambda: states(app)["hung"] == "failed")
        assert "it took longer than 0.1 seconds" in app.problems[0].reason


def hold(*given: ToolSource, overridden: Sequence[str] = ()) -> tuple[Registry, Sources]:
    registry = Registry()
    return registry, Sources(registry, given, overridden=overridden)


def outside(name: str, *tools: Tool) -> FixedSource:
    return FixedSource(name, tools, origin=name, is_outside=True)


def test_a_name_belongs_to_the_first_source_that_has_it() -> None:
    registry, held = hold(outside("one", make("a")), outside("two", make("a"), make("b")))
    assert [(each.name, each.origin) for each in registry] == [("a", "one"), ("b", "two")]
    assert str(held.problems[0]) == (
        "two: the name a is taken by a tool from one; rename it, or list it in tools.override."
    )


async def test_an_overridden_name_goes_to_the_last_and_back() -> None:
    second = ready("two", "a")
    registry, held = hold(outside("one", make("a")), second, overridden=["a"])
    async with held:
        assert [each.origin for each in registry] == [""]
        assert [health.tools for health in held.health] == [0, 1]
        second.offer()
        assert [each.origin for each in registry] == ["one"]
        assert not held.problems


def test_another_name_of_a_tool_cannot_be_taken_over() -> None:
    registry, held = hold(
        outside("one", make("a", aliases=("b",))),
        outside("two", make("b"), make("c", aliases=("a",))),
        overridden=["a", "b", "c"],
    )
    assert [each.name for each in registry] == ["a"]
    assert len(held.problems) == 2


def test_a_mistake_in_code_raises_and_one_from_outside_is_a_problem() -> None:
    with pytest.raises(DuplicateTool):
        hold(FixedSource("code", [make("a"), make("a")]))
    registry, held = hold(outside("one", make("a"), make("a")))
    assert (len(registry), len(held.problems)) == (1, 1)
    with pytest.raises(InvalidConfig, match="Two sources of tools are named 'one'"):
        hold(outside("one"), outside("one"))


async def test_an_unchanged_tool_stays_the_same_entry() -> None:
    server = ready("server", "kept")
    registry, held = hold(server)
    async with held:
        before = registry.find("kept")
        server.tools = [*server.tools, make("new")]
        server.changed()
        assert registry.find("kept") is before
        assert "new" in registry


@asynccontextmanager
async def listening(answer: asyncio.Event) -> AsyncGenerator[int]:
    """A server on the loopback that says its tools, one line each, once `answer` is set."""

    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await answer.wait()
        writer.write(b"late\nlater\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        answer.set()
        server.close()


class Remote(Server):
    """The tools that a server on the loopback names."""

    def __init__(self, name: str, port: int) -> None:
        super().__init__(name)
        self.port = port

    async def open(self, changed: Changed) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            said = (await reader.read()).decode().split()
        finally:
            writer.close()
        self.tools = [make(name) for name in said]


async def test_a_server_that_is_slow_and_one_that_is_gone(tmp_path: Path) -> None:
    answer = asyncio.Event()
    async with listening(answer) as port:
        async with listening(asyncio.Event()) as gone:
            pass
        async with plain(tmp_path, Remote("gone", gone), Remote("slow", port), ready("quick", "here")) as app:
            assert states(app) | {"gone": "failed", "slow": "opening", "quick": "ready"} == states(app)
            assert (await call(app, "here")).value == "here"
            answer.set()
            assert (await call(app, "later")).value == "later"
            assert states(app)["slow"] == "ready"


@pytest.mark.parametrize("is_guarded", [True, False])
async def test_a_source_that_changes_all_the_time_is_read_now_and_then(
    monkeypatch: pytest.MonkeyPatch, is_guarded: bool
) -> None:
    """Without the bound, the registry is made anew for each change. The last change is always taken up."""
    if not is_guarded:
        monkeypatch.setattr(sources, "_CHANGES", 10**9)
    server = Server("storm")
    server.answers.set()
    registry = Registry()
    async with Sources(registry, [server]):
        before, began = registry.version, monotonic()
        for number in range(300):
            server.offer(f"tool_{number}")
            await asyncio.sleep(0)
        seconds = monotonic() - began
        await until(lambda: "tool_299" in registry)
        made = registry.version - before
    assert (made <= 20 * (seconds + 2)) is is_guarded


class Wild(Server):
    """A source that says garbage, and raises what no program should."""

    def __init__(self, **said: object) -> None:
        super().__init__("wild", "good")
        self.answers.set()
        self.said = said

    async def open(self, changed: Changed) -> None:
        await super().open(changed)
        for name, value in self.said.items():
            setattr(self, name, value)

    async def close(self) -> None:
        raise SystemExit(5)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"problems": 5}, "not iterable"),
        ({"problems": ["odd"]}, "source wild: odd"),
        ({"health": 7}, "source wild: 7"),
        ({"tools": [1, "x", make("good")]}, "source wild"),
        ({"tools": None}, "not iterable"),
    ],
)
async def test_what_a_source_says_wrongly_is_its_own_problem(said: dict[str, object], reason: str) -> None:
    server = Server("fine", "other")
    server.answers.set()
    registry = Registry()
    async with Sources(registry, [Wild(**said), server]) as every:
        assert any(reason in str(problem) for problem in every.problems)
        assert {health.source: health.state for health in every.health}["fine"] == "ready"
        assert "other" in registry
    assert server.closed == 1


class Ending(BaseException):
    """What no `except Exception` sees."""


@pytest.mark.parametrize("error", [Ending("end"), SystemExit(3)])
async def test_what_a_source_raises_ends_nothing_but_itself(error: BaseException) -> None:
    class Raising(Server):
        @property
        def tools(self) -> Sequence[Tool]:
            raise error

        @tools.setter
        def tools(self, tools: Sequence[Tool]) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]
            pass

    registry = Registry()
    async with Sources(registry, [Raising("raising"), Broken("broken", error)]) as every:
        assert [health.state for health in every.health] == ["opening", "failed"]
        assert str(error) in every.health[1].reason
