"""A run asks while nobody is there, is killed, is answered by another process, and goes on with that."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

from oneclaw.core.envelope import Envelope
from oneclaw.core.event import QuestionAnswered, QuestionAsked, ToolFinished, ToolStarted
from oneclaw.core.run_event import AnswerFinished, RunFinished
from oneclaw.store.store import Store

PROGRAM = """
import asyncio, json, sys
from pathlib import Path
from oneclaw import App, Config, Context, Scripted, tool
from oneclaw.agent.recording import PIECES
from oneclaw.core.event import QuestionAsked
from oneclaw.core.event_json import envelope_json
from oneclaw.core.run_event import AnswerFinished
from oneclaw.providers.scripted import Call, Say

@tool(effect="read", seconds=30)
async def measure() -> int:
    '''Measure, slowly.'''
    await asyncio.sleep(0.5)
    return 7

async def state(handle, after, until):
    seen = []
    async for envelope in handle.events(after):
        seen.append(envelope)
        if until(envelope):
            break
    return seen

def whole(seen):
    return [envelope_json(each) for each in seen if type(each.event) not in PIECES]

async def main(home):
    ask = Call("ask_user", question="Which colour?", options=["red", "blue"], id="q")
    script = [[Say("I measure."), Call("measure", id="m")], [Call("measure", id="m2")], [ask]]
    values = {"runs.rounds": 5, "runs.repeats": False, "models.default": "test/model"}
    async with App(Config(home=home, values=values), tools=[measure], outside=False,
                   providers={"test": Scripted(script)}) as app:
        agent = app.agents.get("default")
        handle = await app.runs.start(agent, "Paint it.", origin="schedule", reason="daily")
        await state(handle, 0, lambda each: isinstance(each.event, AnswerFinished))      # the reader leaves
        is_asked = lambda each: isinstance(each.event, QuestionAsked)
        first = await state(handle, 0, is_asked)
        middle = first[len(first) // 2].number
        third = await state(handle, middle, is_asked)
        late = await state(handle, 0, is_asked)
        print(json.dumps({"run": handle.id, "middle": middle, "first": whole(first), "third": whole(third),
                          "late": whole(late)}), flush=True)
        await handle.wait()
        print(json.dumps({"status": handle.status}), flush=True)

asyncio.run(main(Path(sys.argv[1])))
"""


@contextmanager
def program(home: Path) -> Generator[tuple["subprocess.Popen[str]", dict[str, Any]]]:
    """The program that asks, and what it says once the question is open."""
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, str(home)], stdout=subprocess.PIPE, text=True)
    try:
        yield process, json.loads(line_of(process.stdout))
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def line_of(stream: IO[str] | None) -> str:
    assert stream is not None
    return stream.readline()


def oneclaw(home: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    start = "from oneclaw.cli.main import main; import sys; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", start, "--home", str(home), *words]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


async def stored(home: Path, run: str) -> list[Envelope]:
    with Store(home / "oneclaw.db", read_only=True) as store:
        return await store.events.read(run)


def test_an_answer_of_another_process_reaches_a_run_that_waits(tmp_path: Path) -> None:
    with program(tmp_path) as (process, said):
        assert said["first"] == said["late"]
        assert said["third"] == [each for each in said["first"] if each["number"] > said["middle"]]
        (listed,) = json.loads(oneclaw(tmp_path, "questions", "--json").stdout)
        assert (listed["kind"], listed["answers"], listed["run"]) == ("choice", ["red", "blue"], said["run"])
        wrong = oneclaw(tmp_path, "answer", listed["id"], "green")
        assert (wrong.returncode, "none of the choices" in wrong.stderr) == (4, True)
        assert oneclaw(tmp_path, "answer", listed["id"][:6], "2").stdout == "Answered.\n"
        assert json.loads(line_of(process.stdout)) == {"status": "failed"}  # the script has no fourth answer
        again = oneclaw(tmp_path, "answer", listed["id"], "red")
        assert (again.returncode, "was answered already" in again.stderr) == (1, True)
        assert oneclaw(tmp_path, "questions").stderr.startswith("No question waits for an answer.")
    results = [
        each.event.result.value
        for each in asyncio.run(stored(tmp_path, said["run"]))
        if isinstance(each.event, ToolFinished)
    ]
    assert results == [7, 7, "blue"]


def test_a_killed_run_goes_on_with_the_answer_it_got_meanwhile(tmp_path: Path) -> None:
    with program(tmp_path) as (process, said):
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    run = said["run"]
    before = asyncio.run(stored(tmp_path, run))
    # The start of a call is stored when it has run for a quarter of a second.
    passing = ("round_finished", "usage_counted", "tool_started")
    assert [each.number for each in before if not isinstance(each.event, ToolStarted)] == [
        each["number"] for each in said["late"] if each["event"] not in passing
    ]
    (listed,) = json.loads(oneclaw(tmp_path, "questions", "--json").stdout)
    answered = oneclaw(tmp_path, "answer", listed["id"], "blue")
    assert answered.returncode == 0
    assert f"oneclaw resume {run}" in answered.stdout
    ask = {
        "call": "ask_user",
        "arguments": {"question": "Which colour?", "options": ["red", "blue"]},
        "id": "again",
    }
    more: dict[str, Any] = {"call": "get_current_time", "arguments": {}}
    (tmp_path / "script.json").write_text(json.dumps([ask, more, more, "Blue it is."]))
    model = f"scripted/{tmp_path / 'script.json'}"
    resumed = oneclaw(tmp_path, "resume", run, "--model", model)
    after = asyncio.run(stored(tmp_path, run))
    assert after[: len(before)] == before
    results = {e.event.call_id: e.event.result for e in after if isinstance(e.event, ToolFinished)}
    assert results["again"].value == "blue", resumed.stderr
    finished = after[-1].event
    assert isinstance(finished, RunFinished)
    # Three of five rounds were spent before the kill: two are left, and a last one without tools.
    assert (finished.reason, finished.rounds) == ("rounds", 6)
    asked = [each.event.question_id for each in after if isinstance(each.event, QuestionAsked)]
    ended = [each.event.question_id for each in after if isinstance(each.event, QuestionAnswered)]
    assert asked == ended == [listed["id"]]
    assert sum(isinstance(each.event, AnswerFinished) for each in after) == 6


@pytest.mark.parametrize("is_meant", [True, False])
def test_an_answer_is_for_the_very_question_that_was_asked(tmp_path: Path, is_meant: bool) -> None:
    """After the kill the model asks something else: nobody has answered that."""
    with program(tmp_path) as (process, said):
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    (listed,) = json.loads(oneclaw(tmp_path, "questions", "--json").stdout)
    oneclaw(tmp_path, "answer", listed["id"], "blue")
    text = "Which colour?" if is_meant else "May I delete it?"
    ask = {"call": "ask_user", "arguments": {"question": text, "options": ["red", "blue"]}}
    (tmp_path / "script.json").write_text(json.dumps([ask, "Well."]))
    (tmp_path / "oneclaw.toml").write_text("[questions]\nwait_seconds = 0.5\n")
    words = ("resume", said["run"], "--model", f"scripted/{tmp_path / 'script.json'}")
    resumed = oneclaw(tmp_path, "--config", str(tmp_path / "oneclaw.toml"), *words)
    assert resumed.stdout == "Well.\n"
    assert ("Nobody answered" in resumed.stderr) is not is_meant
