"""The app as a program uses it: events in order, hooks, one app after another, two at once, a clean end."""

import asyncio
import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from oneclaw import App, Config, Kind, OneClawError, Output, ToolCall, ToolError, tool
from oneclaw.core.hook import Hooks, HookVerdict, Rewrite


@tool(effect="read", isolation="process")
def who() -> int:
    """Say which process works."""
    return os.getpid()


async def test_a_hook_cannot_lead_a_call_round_its_checks(tmp_path: Path) -> None:
    def outside(*_: Any) -> HookVerdict:
        return Rewrite({"path": "../oneclaw.db"})

    async with App(Config(home=tmp_path), hooks=Hooks(before=(outside,))) as app:
        result = await app.engine.call(ToolCall("read_file", {"path": "a.txt"}))
        (row,) = await app.store.calls.history()
    assert result.kind is Kind.PATH_NOT_ALLOWED
    assert row.arguments["path"] == "../oneclaw.db"


@pytest.mark.parametrize("wrong", [5, "yes", False, ToolError("no"), Output("x")])
async def test_a_hook_that_returns_nonsense_is_one_error(tmp_path: Path, wrong: Any) -> None:
    def say(*_: Any) -> Any:
        return wrong

    async with App(Config(home=tmp_path), hooks=Hooks(before=(say,))) as app:
        result = await app.engine.call(ToolCall("write_file", {"path": "a", "content": "b"}))
        assert (result.kind, result.effects) == (Kind.EXECUTION_ERROR, "none")
        assert "A hook returned" in result.message
    async with App(Config(home=tmp_path), hooks=Hooks(after=(say,))) as app:
        (result, other) = await app.engine.call_all([ToolCall("list_files"), ToolCall("list_files")])
        assert result.kind is other.kind is Kind.EXECUTION_ERROR
        assert "A hook failed on the result" in result.message
        assert len(await app.store.calls.history(tool="list_files")) == 2


class Odd(ToolError):
    """An error of a tool that never calls the one it is made from."""

    def __init__(self, text: str) -> None:
        self.text = text


ODD: tuple[Exception, ...] = (
    ToolError(5),  # pyright: ignore[reportArgumentType]
    ToolError("no way", "network_error"),  # pyright: ignore[reportArgumentType]
    ToolError("no way", "my own kind"),  # pyright: ignore[reportArgumentType]
    ToolError("half \ud800 a pair"),
    ToolError("x" * 100_000),
    ToolError("no way", Kind.TIMEOUT, ["none"]),  # pyright: ignore[reportArgumentType]
    Odd("odd"),
    ValueError("half \udfff a pair"),
)


@pytest.mark.parametrize("isolation", ["inline", "thread", "process"])
async def test_however_oddly_a_tool_fails_its_result_is_valid_json(tmp_path: Path, isolation: Any) -> None:
    @tool(effect="write", isolation=isolation)
    def fail(number: int) -> None:
        """Fail in a way of its own."""
        raise ODD[number]

    async with App(Config(home=tmp_path), tools=[fail]) as app:
        results = await app.engine.call_all([ToolCall("fail", {"number": n}) for n in range(len(ODD))])
        rows = await app.store.calls.history(tool="fail")
    for result in results:
        body = json.loads(result.to_json().encode())
        assert body["error_type"] in list(Kind)
        assert len(body["message"]) <= 2_000
    assert len(rows) == len(ODD)


async def test_whatever_a_tool_returns_its_result_is_valid_json(tmp_path: Path) -> None:
    values = ["half \ud800 a pair", 10**5_000, -(10**5_000), float("nan"), {"\udc00": 1}, {1, 2}, b"\xff"]

    @tool(effect="read")
    async def give(number: int) -> Any:
        """Give one of them."""
        return values[number]

    async with App(Config(home=tmp_path), tools=[give]) as app:
        results = await app.engine.call_all([ToolCall("give", {"number": n}) for n in range(len(values))])
        rows = await app.store.calls.history()
    assert all(json.loads(result.to_json().encode())["status"] == "success" for result in results)
    assert [row.status for row in rows] == ["success"] * len(values)


def test_an_app_is_opened_again_in_another_loop(tmp_path: Path) -> None:
    app = App(Config(home=tmp_path), tools=[who])
    workers: list[int] = []

    async def use() -> None:
        async with app:
            calls = [ToolCall("list_files"), ToolCall("get_current_time"), ToolCall("who")]
            results = await app.engine.call_all(calls)
            assert all(result.ok for result in results)
            workers.append(results[2].value)

    asyncio.run(use())
    for closed in ("store", "engine"):
        with pytest.raises(RuntimeError, match="inside"):
            getattr(app, closed)
    asyncio.run(use())
    assert len(set(workers)) == 2

    async def look() -> int:
        async with app.looking():
            return len(await app.store.calls.history())

    assert asyncio.run(look()) == 6


async def test_apps_in_several_threads_share_a_home(tmp_path: Path) -> None:
    problems: list[BaseException] = []

    async def use(number: int) -> None:
        async with App(Config(home=tmp_path)) as app:
            for _ in range(10):
                arguments = {"path": f"{number}.txt", "content": "x", "mode": "append"}
                assert (await app.engine.call(ToolCall("write_file", arguments))).ok

    def run(number: int) -> None:
        try:
            asyncio.run(use(number))
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    async with App(Config(home=tmp_path)).looking() as app:
        assert len(await app.store.calls.history(status="success", limit=100)) == 40


async def test_a_call_still_running_when_the_app_closes_is_interrupted_in_the_journal(tmp_path: Path) -> None:
    begun = asyncio.Event()

    @tool(effect="write")
    async def wait() -> None:
        """Wait for ever."""
        begun.set()
        await asyncio.Event().wait()

    async with App(Config(home=tmp_path), tools=[wait]) as app:
        task = asyncio.ensure_future(app.engine.call(ToolCall("wait", {}, "w")))
        await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with App(Config(home=tmp_path)).looking() as app:
        (row,) = await app.store.calls.find("w")
        assert (row.status, row.kind, row.effects) == ("error", "interrupted", "unknown")


async def test_an_app_that_cannot_open_leaves_nothing_open(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    secrets = tmp_path / "home" / "secrets.toml"
    secrets.write_text('KEY = "value"\n')
    secrets.chmod(0o644)
    (tmp_path / "file").touch()
    wrong = [
        (Config(home=tmp_path / "home"), "chmod 600"),
        (Config(home=tmp_path / "other", workspace=tmp_path / "file"), "cannot be made"),
        (Config(home=tmp_path / "file"), "file"),
    ]
    for config, said in wrong:
        with pytest.raises(OneClawError, match=said):
            await App(config).__aenter__()
        assert not list(config.home.glob("oneclaw.db-live/*")), "nobody is there"
    secrets.chmod(0o600)
    async with App(Config(home=tmp_path / "home")) as app:
        assert (await app.engine.call(ToolCall("list_files"))).ok
