"""Stories of scripts: one round for many calls, each of them asked about, counted, logged and survived."""

import asyncio
import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.vt import Terminal, environment, script
from tests.person import Person

from oneclaw import Agent, App, Config, Context, Limits, Scripted, tool
from oneclaw.agent.recall import recall
from oneclaw.agent.stop import LATE
from oneclaw.agent.tokens import estimate
from oneclaw.core.call import ToolResult
from oneclaw.core.errors import InvalidConfig, Kind
from oneclaw.core.event import ToolFinished
from oneclaw.core.message import ResultsMessage
from oneclaw.core.run_event import RunEvent, RunFinished
from oneclaw.providers.scripted import Call, ScriptedReply

NOTES = 24
PAGE = Path(__file__).parents[2] / "docs" / "code-mode.md"
DUE, SHOWN = re.findall(r"```js\n(.*?)\n```\n\n```\n(.*?)\n```", PAGE.read_text("utf-8"), re.DOTALL)[0]
"""The script of the page, and what it says comes of it."""


def app_of(home: Path, replies: list[ScriptedReply], *, tools: Any = (), **settings: Any) -> App:
    values = {
        "models.default": "test/model",
        "switches.run_javascript": True,
        "permissions.needs.code": "granted",
        **settings,
    }
    return App(Config(home=home, values=values), providers={"test": Scripted(replies)}, tools=tools)


def write_notes(home: Path) -> None:
    folder = home / "workspace" / "notes"
    folder.mkdir(parents=True)
    for number in range(NOTES):
        due = "today" if number % 10 == 3 else "later"
        (folder / f"{number:02}.txt").write_text(f"Note {number}\n" + "Some words. " * 60 + f"\ndue: {due}\n")


async def drive(app: App, agent: Agent | str = "default") -> tuple[list[RunEvent], RunFinished]:
    events = [event async for event in app.run(agent, "Which notes are due?")]
    last = events[-1]
    assert isinstance(last, RunFinished)
    return events, last


async def results_of(app: App, finished: RunFinished) -> list[ToolResult]:
    """The results the model was given, in order."""
    stored = [each.message for each in await app.store.messages.load(finished.session)]
    return [result for each in stored if isinstance(each, ResultsMessage) for result in each.results]


def read_tokens(model: Scripted) -> int:
    """All that the model had to read, over all its rounds."""
    return sum(estimate(message) for request in model.requests for message in request.messages)


async def test_a_loop_of_calls_costs_one_round(tmp_path: Path) -> None:
    write_notes(tmp_path)
    async with app_of(tmp_path, [Call("run_javascript", code=DUE), "Three."]) as app:
        events, finished = await drive(app)
        (result,) = await results_of(app, finished)
        assert result.text == SHOWN
        assert (f"read {NOTES}" in SHOWN, "notes/13.txt" in SHOWN) == (True, True)
        assert (finished.rounds, finished.calls, finished.reason) == (2, 1 + 1 + NOTES, "done")
        outer, *inner = reversed(await app.store.calls.history(session=finished.session))
        assert (outer.tool, outer.parent) == ("run_javascript", "")
        assert [each.tool for each in inner] == ["find_files", *["read_file"] * NOTES]
        assert {each.parent for each in inner} == {outer.call_id}
        told = [each for each in events if isinstance(each, ToolFinished)]
        assert [each.parent for each in told] == [*[outer.call_id] * (1 + NOTES), ""]


async def test_a_script_saves_rounds_and_most_of_what_the_model_reads(tmp_path: Path) -> None:
    write_notes(tmp_path)
    reads = [Call("read_file", path=f"notes/{number:02}.txt") for number in range(NOTES)]
    by_script = Scripted([Call("run_javascript", code=DUE), "Three."])
    at_once = Scripted([Call("find_files", pattern="notes/*.txt"), reads, "Three."])
    one_by_one = Scripted([Call("find_files", pattern="notes/*.txt"), *reads, "Three."])
    values = {"switches.run_javascript": True, "permissions.needs.code": "granted", "runs.rounds": 100}
    models = {"script": by_script, "many": at_once, "single": one_by_one}
    async with App(Config(home=tmp_path, values=values), providers=models) as app:
        rounds = {name: (await app.ask("default", "Due?", model=f"{name}/m")).rounds for name in models}
    assert rounds == {"script": 2, "many": 3, "single": NOTES + 2}
    for model in models.values():
        given = model.requests[-1].messages[-1]
        assert isinstance(given, ResultsMessage)
        assert all(result.ok for result in given.results)
    assert 10 * read_tokens(by_script) < read_tokens(at_once) < read_tokens(one_by_one)


@tool(effect="write", needs=["mail"])
async def send(context: Context, to: str) -> str:
    """Send a letter."""
    with (context.workspace.folder / "sent.txt").open("a") as file:
        file.write(f"{to}\n")
    return f"sent to {to}"


async def test_a_person_is_asked_about_the_script_and_about_each_call_that_must_ask(tmp_path: Path) -> None:
    code = "return [await tools.send({to: 'ada'}), await tools.send({to: 'bob'})]"
    replies: list[ScriptedReply] = [Call("run_javascript", code=code), "Sent."]
    async with app_of(tmp_path, replies, tools=[send], **{"permissions.needs.code": "ask"}) as app:
        person = Person("once", app.broker)
        _, finished = await drive(app)
        (result,) = await results_of(app, finished)
        assert json.loads(result.text) == ["sent to ada", "sent to bob"]
        assert [(each.tool, each.needs) for each in person.asked] == [
            ("run_javascript", ("code",)),
            ("send", ("mail",)),
            ("send", ("mail",)),
        ]
        assert "tools.send({to: 'ada'})" in person.asked[0].text
        assert "bob" in person.asked[2].text


async def test_what_a_person_denies_is_thrown_into_the_script_and_does_not_happen(tmp_path: Path) -> None:
    code = "try { await tools.send({to: 'ada'}) } catch (error) { return [error.kind, error.message] }"
    async with app_of(tmp_path, [Call("run_javascript", code=code), "No."], tools=[send]) as app:
        Person("no", app.broker)
        _, finished = await drive(app)
        (result,) = await results_of(app, finished)
        kind, message = json.loads(result.text)
        assert kind == "permission_denied"
        assert "A person said no" in message
        assert not (app.config.workspace_folder / "sent.txt").exists()
        assert [each.kind for each in await app.store.calls.history(tool="send")] == ["permission_denied"]


async def test_a_script_is_denied_where_nobody_is_asked_and_off_where_nobody_switched_it_on(
    tmp_path: Path,
) -> None:
    replies: list[ScriptedReply] = [Call("run_javascript", code="return 1"), "No."]
    async with app_of(tmp_path, replies, **{"permissions.needs.code": "ask"}) as app:
        _, finished = await drive(app)
        assert (await results_of(app, finished))[0].kind is Kind.PERMISSION_DENIED
    async with app_of(tmp_path, replies, **{"switches.run_javascript": False}) as app:
        _, finished = await drive(app)
        assert (await results_of(app, finished))[0].kind is Kind.TOOL_NOT_AVAILABLE
        both = {"run_javascript", "describe_tools"}
        assert not both & {each.name for each in app.engine.available()}
        with pytest.raises(InvalidConfig, match="comes and goes with run_javascript; use `oneclaw tools on"):
            await app.switch("describe_tools", True)
        await app.switch("run_javascript", True)
        assert both <= {each.name for each in app.engine.available()}


async def test_the_calls_of_a_script_count_against_the_limit_of_its_run(tmp_path: Path) -> None:
    code = """
    let count = 0;
    try { while (true) { await tools.get_current_time(); count++; } }
    catch (error) { return count + ': ' + error.message; }
    """
    replies: list[ScriptedReply] = [Call("run_javascript", code=code), "Enough."]
    async with app_of(tmp_path, replies) as app:
        _, finished = await drive(app, Agent(limits=Limits(calls=6)))
        (result,) = await results_of(app, finished)
        assert result.text == f"5: {LATE}"
        assert (finished.calls, finished.reason) == (6, "calls")
        assert len(await app.store.calls.history(tool="get_current_time")) == 5


VICTIM = """
import asyncio, os, signal, sys
from pathlib import Path
from oneclaw import App, Config, Scripted, tool
from oneclaw.providers.scripted import Call

met = 0

@tool(effect="write")
async def fall() -> str:
    '''Wait for the other one, then end the program.'''
    global met
    met += 1
    if met == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    await asyncio.Event().wait()

async def main():
    values = {"models.default": "test/m", "switches.run_javascript": True}
    config = Config(home=Path(sys.argv[1]), values={**values, "permissions.needs.code": "granted"})
    code = "await tools.get_current_time(); await Promise.all([tools.fall(), tools.fall()])"
    model = Scripted([Call("run_javascript", code=code, id="outer"), "never"])
    async with App(config, providers={"test": model}, tools=[fall]) as app:
        await app.ask("default", "go")

asyncio.run(main())
"""


async def test_a_program_killed_in_a_script_leaves_every_call_interrupted_and_goes_on(tmp_path: Path) -> None:
    ended = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", VICTIM, str(tmp_path)], timeout=60, check=False
    )
    assert ended.returncode == -signal.SIGKILL
    async with app_of(tmp_path, ["I go on."]) as app:
        rows = [
            (each.tool, each.parent, each.kind, each.effects)
            for each in reversed(await app.store.calls.history())
        ]
        assert rows == [
            ("run_javascript", "", "interrupted", "unknown"),
            ("get_current_time", "outer", "", "none"),
            ("fall", "outer", "interrupted", "unknown"),
            ("fall", "outer", "interrupted", "unknown"),
        ]
        (session,) = await app.store.sessions.list()
        results = [
            each
            for each in (await recall(app.store, session.id)).messages
            if isinstance(each, ResultsMessage)
        ]
        assert [[result.call_id for result in each.results] for each in results] == [["outer"]]
        events = [event async for event in app.resume(session.id)]
        assert isinstance(events[-1], RunFinished)
        assert events[-1].text == "I go on."


# ---------------------------------------------------------------------- at the command line

CODE = "await tools.get_current_time(); try { await tools.read_file({path: 'no.txt'}) } catch {} return 'ok'"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "config" / "oneclaw"
    folder.mkdir(parents=True)
    settings = '[switches]\nrun_javascript = true\n[permissions.needs]\ncode = "granted"\n'
    (folder / "oneclaw.toml").write_text(settings)
    return tmp_path / "home"


def run(home: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "oneclaw.cli.main", *words],
        env=environment(home),
        cwd=home.parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )


def test_the_command_line_shows_the_calls_of_a_script_under_it(home: Path, tmp_path: Path) -> None:
    model = script(tmp_path, {"call": "run_javascript", "arguments": {"code": CODE}}, "Done.")
    said = run(home, "run", "go", "--model", model).stderr.splitlines()
    starts = [
        "… run_javascript code=",
        "  ✓ get_current_time · ",
        "  ✗ read_file path=no.txt · file_not_found",
    ]
    for line, start in zip(said, [*starts, "✓ run_javascript code="], strict=False):
        assert line.startswith(start), said
    tools = [line.split("\t")[2] for line in run(home, "log").stdout.splitlines()]
    assert tools == ["run_javascript", "└ get_current_time", "└ read_file"]
    events = [
        json.loads(line) for line in run(home, "run", "go", "--model", model, "--json").stdout.splitlines()
    ]
    told = [(each["tool"], bool(each["parent"])) for each in events if each["event"] == "tool_finished"]
    assert told == [("get_current_time", True), ("read_file", True), ("run_javascript", False)]


def test_a_chat_shows_the_calls_of_a_script_under_it(home: Path, tmp_path: Path) -> None:
    model = script(tmp_path, {"call": "run_javascript", "arguments": {"code": CODE}}, "All done.")
    with Terminal("chat", "--model", model, environment=environment(home), columns=100) as terminal:
        terminal.say("go")
        terminal.wait("All done.")
        assert terminal.leave() == 0
        shown = [line for line in terminal.screen.lines if line.strip()]
    at = next(number for number, line in enumerate(shown) if line.startswith("… run_javascript"))
    assert shown[at + 1].startswith("  ✓ get_current_time")
    assert shown[at + 2].startswith("  ✗ read_file path=no.txt")
    assert shown[at + 3].startswith("    file_not_found")
    assert shown[at + 4].startswith("✓ run_javascript")
