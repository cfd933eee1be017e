"""Command lines smuggled into the tools that do start programs: only a command is a command.

What the shell is given besides (variables, a folder, the id of a process, its input) and what openers are
given stays the text it is. Nothing but what was asked for writes a word: another program's output would show.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.corpus.conftest import Judged, Rows, spread
from tests.corpus.test_command_injection import CLEAN, injections, is_address
from tests.tools.desktop import Desktop

from oneclaw import App, Config, Kind, ToolCall
from oneclaw.core.call import ToolResult

REFUSED = CLEAN | {Kind.PERMISSION_DENIED, Kind.TOOL_NOT_AVAILABLE}
SECONDS = 60.0


@pytest.fixture
def texts(rows: Rows) -> dict[str, str]:
    return {each: text for each, text in injections(rows).items() if "\0" not in text}


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[App]:
    values = {"features.shell": True, "permissions.needs.shell": "granted"}
    async with App(Config(home=tmp_path / "home", values=values)) as app:
        probe = await app.engine.call(ToolCall("execute_shell_command", {"command": "true"}))
        if not probe.ok:
            pytest.skip(f"commands cannot be run here: {probe.message}")
        yield app


async def run(app: App, command: str, **more: Any) -> ToolResult:
    return await app.engine.call(ToolCall("execute_shell_command", {"command": command, **more}))


async def test_a_command_that_pastes_the_text_runs_it(app: App) -> None:
    """The twin: what the other tests would see if a value reached the shell as part of a command."""
    result = await run(app, "printf '%s' x; printf ran")
    assert result.value["stdout"] == "xran"


async def test_as_a_variable_it_is_a_value(app: App, texts: dict[str, str], judged: Judged) -> None:
    for at, (each, text) in enumerate(texts.items()):
        with judged(each):
            result = await run(app, "printf '%s' \"$TEXT\"", env={"TEXT": text}, fresh=at % 50 == 0)
            assert result.ok, (text, result.message)
            assert (result.value["stdout"], result.value["stderr"]) == (text, ""), text


async def test_as_the_name_of_a_variable_it_is_refused(
    app: App, texts: dict[str, str], judged: Judged
) -> None:
    for each, text in texts.items():
        with judged(each):
            result = await run(app, "printf ran", env={text: "1"})
            if not text.isidentifier():
                assert result.kind is Kind.PERMISSION_DENIED, text


async def test_as_a_folder_it_is_a_folder_or_none(app: App, texts: dict[str, str], judged: Judged) -> None:
    outside = app.config.workspace_folder
    for each, text in texts.items():
        with judged(each):
            result = await run(app, "printf '%s' \"$PWD\"", working_dir=text)
            if result.ok:
                assert (outside / text).is_dir(), text
                assert result.value["stderr"] == ""
            else:
                assert result.kind in REFUSED, (text, result)


async def test_a_folder_of_that_name_is_worked_in(app: App, texts: dict[str, str], judged: Judged) -> None:
    for each, text in texts.items():
        with judged(each):
            folder = app.config.workspace_folder / text
            if "/" in text or len(text.encode()) > 250 or text in (".", ".."):
                continue
            folder.mkdir(exist_ok=True)
            result = await run(app, "printf '%s' \"$PWD\"", working_dir=text)
            assert result.ok, (text, result.message)
            assert result.value["stdout"] == str(folder.absolute()), text


async def test_as_input_of_a_process_it_is_read_as_it_is(
    app: App, texts: dict[str, str], judged: Judged
) -> None:
    for each, text in spread([*texts.items()], 7):
        with judged(each):
            started = (await run(app, "cat", background=True)).value["session_id"]
            feed = {"action": "input", "session_id": started, "text": text, "end_input": True}
            assert (await app.engine.call(ToolCall("manage_process", feed))).ok
            assert await logged(app, started) == text


async def logged(app: App, job: str) -> str:
    """The output of a job once it has ended."""
    async with asyncio.timeout(SECONDS):
        while True:
            call = ToolCall("manage_process", {"action": "log", "session_id": job})
            value = (await app.engine.call(call)).value
            if value["status"] != "running":
                return value["output"]
            await asyncio.sleep(0.01)


async def test_as_the_id_of_a_process_it_names_none(app: App, texts: dict[str, str], judged: Judged) -> None:
    for each, text in texts.items():
        with judged(each):
            for action in ("log", "kill", "remove", "input"):
                call = ToolCall("manage_process", {"action": action, "session_id": text, "text": "x"})
                result = await app.engine.call(call)
                assert not result.ok
                assert result.kind in REFUSED, (text, result)


class Started:
    """The programs this process starts while it is on: the words, and whether a shell was asked for."""

    def __init__(self) -> None:
        self.is_on = False
        self.words: list[list[str]] = []
        self.others: list[str] = []
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.is_on:
            return
        if event == "subprocess.Popen":
            self.words.append(list(arguments[1]))
        elif event in ("os.system", "os.exec", "os.posix_spawn", "os.spawn"):
            self.others.append(event)


@pytest.fixture(scope="module")
def started() -> Started:
    return Started()


async def test_an_opener_gets_it_as_one_word_or_not_at_all(
    texts: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started: Started, judged: Judged
) -> None:
    opener = str(Desktop(tmp_path, monkeypatch).start())
    config = Config(home=tmp_path / "home", values={"network.private_hosts": ["127.0.0.1"]})
    async with App(config) as app:
        folder = app.config.workspace_folder
        started.is_on = True
        for each, text in spread([*texts.items()], 40):
            with judged(each):
                name = f"{text[:60] or 'empty'}.txt".replace("/", "_")
                (folder / name).write_text("x")
                calls = [
                    ToolCall("open_file", {"path": name}),
                    ToolCall("open_file", {"path": text}),
                    ToolCall("open_url", {"url": f"http://127.0.0.1:9/?q={text}"}),
                    *([] if is_address(text) else [ToolCall("open_url", {"url": text})]),
                ]
                opened, *others = [await app.engine.call(call) for call in calls]
                assert opened.ok, (name, opened.message)
                assert [opener, str((folder / name).resolve())] in started.words
                for result in others:
                    assert result.kind is None or result.kind in REFUSED, (text, result)
        started.is_on = False
    assert started.others == []
    assert {words[0] for words in started.words} == {opener}
    assert all(len(words) == 2 for words in started.words)
    assert all(words[1].startswith(("/", "http://127.0.0.1:9/")) for words in started.words)
