"""`oneclaw log`: what may be asked for."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from oneclaw import App, Config, ToolCall
from oneclaw.core.session import Session

Cli = Any


@pytest.fixture
def script(home: Path) -> int:
    """The number of a call that made two others, one of which failed; a plain one came before and after."""

    async def work() -> int:
        async with App(Config(home=home)) as app:
            session = app.new_session()
            engine, store = app.engine, app.store
            await engine.call(ToolCall("list_files", {}, "before"), session)
            definition = engine.registry.definitions()[0]
            key = await store.calls.open(ToolCall("list_files", {}, "outer"), definition, session, {})
            await call_inside(app, session, "read_file", path="nothing.txt")
            await call_inside(app, session, "find_files", pattern="*.md")
            await engine.call(ToolCall("get_current_time", {}, "after"), session)
            return key

    return asyncio.run(work())


async def call_inside(app: App, session: Session, tool: str, **arguments: Any) -> None:
    await app.engine.call(ToolCall(tool, arguments, parent="outer"), session)


def tools_of(out: str) -> list[str]:
    return [line.split("\t")[2] for line in out.splitlines()]


def test_calls_that_a_call_made_stand_under_it_in_their_order(cli: Cli, script: int) -> None:
    shown = cli("log").out
    name = "get_current_time"
    assert tools_of(shown) == [name, name, "└ read_file", "└ find_files", "list_files"]
    assert shown.splitlines()[1].startswith(f"{script}\t")


def test_a_list_that_ends_among_the_calls_of_a_call_still_shows_that_call(cli: Cli, script: int) -> None:
    name = "get_current_time"
    assert tools_of(cli("log", "--limit", "2").out) == [name, name, "└ find_files"]
    assert tools_of(cli("log", "--tool", "find_files").out) == ["└ find_files"]


def test_one_call_is_shown_with_those_it_made(cli: Cli, script: int) -> None:
    shown = cli("log", str(script)).out
    below = shown.partition("its calls\n")[2]
    assert tools_of(below) == ["└ read_file", "└ find_files"]
    assert "file_not_found" in shown
    inner = cli("log", str(script + 1)).out
    assert "parent     outer" in inner
    assert "its calls" not in inner


def test_json_names_the_call_that_made_a_call(cli: Cli, script: int) -> None:
    parents = [(each["tool"], each["parent"]) for each in cli("log", "--json").json]
    assert parents[1:3] == [("find_files", "outer"), ("read_file", "outer")]
    assert {parent for _, parent in parents} == {"", "outer"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--limit", "0"), "not a number above 0"),
        (("--limit", "-1"), "not a number above 0"),
        (("--limit", "ten"), "not a number above 0"),
        (("--status", "timed_out"), "timeout"),
    ],
)
def test_log_refuses_a_filter_that_means_nothing(cli: Cli, words: tuple[str, str], said: str) -> None:
    cli("call", "get_current_time")
    ended = cli("log", *words)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert cli("log", "--limit", "9" * 30, "--status", "success").code == 0


def test_a_call_is_listed_as_it_is_typed_however_long_its_arguments_are(cli: Cli) -> None:
    cli("call", "write_file", "path=a.txt", "content=" + "long " * 40_000)
    cli("call", "list_files", "limit:=7")
    short, long = cli("log").out.splitlines()
    assert "\tpath=. limit=7" in short or "\tlimit=7" in short
    assert long.endswith("…")
    assert "a.txt" in long
    assert cli("log", "1").code == 0
