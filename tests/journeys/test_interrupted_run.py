"""A run whose program is killed: it is found interrupted, and goes on with the budget that was left."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from oneclaw import Agent, App, Config, Scripted, tool
from oneclaw.cli.main import main
from oneclaw.core.answer import TextAdded
from oneclaw.core.event import ToolFinished
from oneclaw.core.message import UserMessage
from oneclaw.core.run_event import AnswerFinished, RunFinished
from oneclaw.providers.scripted import Call

VICTIM = """
import asyncio, sys
from pathlib import Path
from oneclaw import Agent, App, Config, Limits, Scripted, tool
from oneclaw.providers.scripted import Call, Say

@tool(effect="read")
async def count() -> int:
    '''Count.'''
    return 1

@tool(effect="read", seconds=60)
async def hang() -> str:
    '''Hang.'''
    print("hanging", flush=True)
    await asyncio.sleep(60)
    return ""

async def run(home):
    script = [[Say("First."), Call("count", id="c1")], [Call("count", id="c2")], [Call("hang", id="h")]]
    values = {"runs.rounds": 5, "runs.repeats": False, "models.default": "test/model"}
    async with App(Config(home=home, values=values), tools=[count, hang],
                   providers={"test": Scripted(script)}) as app:
        handle = await app.runs.start(app.agents.get("default"), "Count.")
        async for envelope in handle.events():
            print("seen", envelope.number, flush=True)

asyncio.run(run(Path(sys.argv[1])))
"""


UNFINISHED = """
import asyncio, os, sys
from pathlib import Path
from oneclaw import App, Config, Scripted
from oneclaw.agent.conversation import Conversation
from tests.journeys.test_interrupted_run import CITY

append = Conversation.append

async def die_before_asking_again(self, message, *more):
    if getattr(message, "origin", "") == "guard":
        await self.flush()
        os._exit(9)
    await append(self, message, *more)

Conversation.append = die_before_asking_again

async def run(home):
    async with App(Config(home=home), agents=[CITY], providers={"test": Scripted(["Rome, I think."])}) as app:
        await app.ask("geographer", "Which city?", model="test/model")

asyncio.run(run(Path(sys.argv[1])))
"""
CITY = Agent(
    name="geographer",
    model="test/model",
    output={"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
)


@tool(effect="read")
async def count() -> int:
    """Count."""
    return 1


@tool(effect="read")
async def hang() -> str:
    """Hang no more."""
    return "here"


def kill_one(home: Path) -> int:
    """Play the run until it hangs, then kill its program; the number of the last event that was seen."""
    process = subprocess.Popen([sys.executable, "-c", VICTIM, str(home)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    seen = 0
    for line in process.stdout:
        if line.startswith("seen"):
            seen = int(line.split()[1])
        elif line.startswith("hanging"):
            break
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    return seen


def test_a_killed_run_goes_on_with_what_was_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    last_seen = kill_one(tmp_path)
    assert main(["--home", str(tmp_path), "runs", "--json"]) == 0
    assert '"state": "interrupted"' in capsys.readouterr().out
    asyncio.run(go_on(tmp_path, last_seen))
    assert main(["--home", str(tmp_path), "runs"]) == 0
    assert "done" in capsys.readouterr().out


async def go_on(home: Path, last_seen: int) -> None:
    call = [Call("count")]
    model = Scripted([call, call, call, call])
    values = {"runs.rounds": 5, "runs.repeats": False, "models.default": "test/model"}
    config = Config(home=home, values=values)
    async with App(config, tools=[count, hang], providers={"test": model}) as app:
        (record,) = await app.store.runs.list()
        assert record.state == "interrupted"
        assert (await app.store.runs.spent(record)).rounds == 3
        before = await app.store.events.read(record.id)
        handle = await app.runs.resume(record.id)
        finished = await handle.wait()
        # Three of five rounds were spent: two are left, and a last one without tools.
        assert (finished.reason, finished.rounds) == ("rounds", 6)
        whole = [envelope async for envelope in handle.events()]
        assert [each.number for each in whole[: len(before)]] == [each.number for each in before]
        late = [envelope async for envelope in handle.events(last_seen)]
        assert all(envelope.number > last_seen for envelope in late)
        answers = [each.event.message.text for each in whole if isinstance(each.event, AnswerFinished)]
        assert answers[0] == "First."
        ids = [each.event.call_id for each in whole if isinstance(each.event, ToolFinished)]
        assert ids[:2] == ["c1", "c2"]
        assert isinstance(whole[-1].event, RunFinished)
        assert not any(isinstance(each.event, TextAdded) for each in whole[: len(before)])


def test_a_wrong_structured_answer_is_asked_for_again_after_a_crash(tmp_path: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", UNFINISHED, str(tmp_path)], timeout=60)
    assert ended.returncode == 9
    model = Scripted(['{"name": "Rome"}'])

    async def resume() -> list[RunFinished]:
        async with App(Config(home=tmp_path), agents=[CITY], providers={"test": model}) as app:
            [run] = await app.store.runs.list()
            return [event async for event in app.resume(run.id) if isinstance(event, RunFinished)]

    [finished] = asyncio.run(resume())
    assert finished.value == {"name": "Rome"}
    asked = model.requests[0].messages[-1]
    assert isinstance(asked, UserMessage)
    assert "Your answer does not fit" in asked.text


def test_resume_through_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kill_one(tmp_path)
    (tmp_path / "script.json").write_text('["It is three."]')
    model = f"scripted/{tmp_path / 'script.json'}"
    (run,) = interrupted(tmp_path, capsys)
    assert main(["--home", str(tmp_path), "resume", run, "--model", model, "--quiet"]) == 0
    assert capsys.readouterr().out == "It is three.\n"
    assert main(["--home", str(tmp_path), "resume", run]) == 2
    assert "has its answer already" in capsys.readouterr().err
    assert main(["--home", str(tmp_path), "runs", "show", run]) == 0
    assert "done" in capsys.readouterr().out
    assert main(["--home", str(tmp_path), "runs", "events", run]) == 0
    assert '"event": "run_finished"' in capsys.readouterr().out
    assert main(["--home", str(tmp_path), "resume", "nope"]) == 2
    assert "there is no run 'nope'" in capsys.readouterr().err


def interrupted(home: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert main(["--home", str(home), "runs", "--state", "interrupted", "--json"]) == 0
    return [each["id"] for each in json.loads(capsys.readouterr().out)]
