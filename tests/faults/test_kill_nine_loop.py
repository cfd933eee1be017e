"""Kill -9 at random points of a run of ten rounds that writes files: it goes on, and does nothing twice.

A small program that is loaded once forks a victim for each try. The victim begins the run, or resumes it, and
is killed after a random time; this is done to the same home until a victim reaches the end. The model is a
function of the conversation: it asks for the round that follows the ones it sees.
"""

import asyncio
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from oneclaw import App, Config
from oneclaw.core.message import AssistantMessage, Message, ResultsMessage

ROUNDS = 10

NURSERY = r"""
import asyncio, os, signal, sys, time
from pathlib import Path
from oneclaw import Agent, App, Config, Limits, Scripted
from oneclaw.agent.conversation import Conversation
from oneclaw.agent.loop import Run
from oneclaw.core.errors import InvalidConfig
from oneclaw.core.event import ToolFinished
from oneclaw.core.message import AssistantMessage, ResultsMessage
from oneclaw.providers.scripted import Call, Say, Wait
from oneclaw.tools import builtin
import oneclaw.agent.runs, oneclaw.agent.delegate, oneclaw.agent.session_tools, oneclaw.providers.connect

ROUNDS = 10
builtin.load_all()


def reply(request):
    done = sum(bool(m.calls) for m in request.messages if isinstance(m, AssistantMessage))
    if done >= ROUNDS:
        return "All is written."
    line = {"path": "log.txt", "content": f"line {done}\n", "mode": "append"}
    return [
        Say(f"Round {done}. "),
        Wait(0.001),
        Call("write_file", line, id=f"a{done}"),
        Call("write_file", {"path": f"{done}.txt", "content": str(done)}, id=f"b{done}"),
        Call("read_file", {"path": "log.txt"}, id=f"c{done}"),
    ]


def forget_answers():
    # The guard taken out: an answer is kept together with the results of its calls, as others do it.
    held = []
    plain = Conversation.append

    async def append(self, message, cost=None):
        if isinstance(message, AssistantMessage) and message.calls:
            held.append(message)
            self.window.append(message)
            return
        if isinstance(message, ResultsMessage) and held:
            await self._book.append(self.session, held.pop())
        await plain(self, message, cost)

    Conversation.append = append


async def work(home, kill_at):
    async with App(Config(home=home), providers={"test": Scripted([reply], keep=False, repeats=True)}) as app:
        agent = Agent(model="test/model", limits=Limits(rounds=None))
        sessions = await app.store.sessions.list()
        if sessions and await app.store.messages.load(sessions[0].id):
            events = app.runs.run(agent, None, session=app.resume_session(sessions[0].id))
        else:
            events = app.run(agent, "Write ten lines.")
        try:
            async for event in events:
                if kill_at and isinstance(event, ToolFinished) and event.call_id == kill_at:
                    os.kill(os.getpid(), signal.SIGKILL)
        except InvalidConfig as error:
            return str(error)  # it was killed after its end: there is nothing to go on with
    return event.reason


for line in sys.stdin:
    home, milliseconds, twin, kill_at = line.rstrip("\n").split("|")
    child = os.fork()
    if child == 0:
        if twin:
            forget_answers()
        ended = asyncio.run(work(Path(home), kill_at))
        os._exit(0 if ended == "done" or "nothing to go on with" in ended else 1)
    if milliseconds:
        time.sleep(float(milliseconds) / 1000)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    print("killed" if os.WIFSIGNALED(status) else f"ended {os.WEXITSTATUS(status)}", flush=True)
"""


class Nursery:
    """Starts victims and kills them."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", NURSERY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def start(
        self, home: Path, *, milliseconds: float | None = None, twin: str = "", kill_at: str = ""
    ) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        after = "" if milliseconds is None else f"{milliseconds:.3f}"
        self._process.stdin.write(f"{home}|{after}|{twin}|{kill_at}\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()

    def close(self) -> None:
        self._process.communicate(timeout=30)


@pytest.fixture
def nursery() -> Iterator[Nursery]:
    opened = Nursery()
    yield opened
    opened.close()


def read(home: Path) -> tuple[list[Message], Counter[str], list[str]]:
    """The conversation, the rows of the journal for each call, and the lines that were written."""

    async def look() -> tuple[list[Message], Counter[str]]:
        async with App(Config(home=home)) as app:
            sessions = await app.store.sessions.list()
            messages = [stored.message for stored in await app.store.messages.load(sessions[0].id)]
            rows = Counter(
                row.call_id for row in await app.store.calls.history(session=sessions[0].id, limit=1000)
            )
            return messages, rows

    messages, rows = asyncio.run(look())
    return messages, rows, (home / "workspace" / "log.txt").read_text().splitlines()


def check(home: Path) -> None:
    messages, rows, lines = read(home)
    given = [
        result for message in messages if isinstance(message, ResultsMessage) for result in message.results
    ]
    calls = [call for message in messages if isinstance(message, AssistantMessage) for call in message.calls]
    assert [result.call_id for result in given] == [call.id for call in calls]
    assert len(calls) == 3 * ROUNDS
    assert all(count == 1 for count in rows.values()), rows
    assert all(count == 1 for count in Counter(lines).values()), lines
    results = {result.call_id: result for result in given}
    for number in range(ROUNDS):
        result = results[f"a{number}"]
        is_there = f"line {number}" in lines
        if result.ok:
            assert is_there
        elif is_there:
            # Done, and the conversation does not say so: then it must say that nobody knows.
            assert (result.kind, result.effects) == ("interrupted", "unknown")


@pytest.mark.slow
def test_a_run_killed_at_random_points_goes_on_and_does_nothing_twice(
    nursery: Nursery, tmp_path: Path, many: int
) -> None:
    chance = random.Random(7)
    assert nursery.start(tmp_path / "first") == "ended 0"
    check(tmp_path / "first")
    kills, number = 0, 0
    while kills < many:
        number += 1
        home = tmp_path / f"home {number}"
        for _ in range(60):
            ended = nursery.start(home, milliseconds=chance.uniform(5, 120))
            if ended != "killed":
                break
            kills += 1
        else:
            ended = nursery.start(home)
        assert ended == "ended 0"
        check(home)


@pytest.mark.parametrize("twin", ["", "answers are kept late"])
def test_a_write_that_was_done_before_the_kill_is_not_done_again(
    nursery: Nursery, tmp_path: Path, twin: str
) -> None:
    assert nursery.start(tmp_path, twin=twin, kill_at="a4") == "killed"
    assert nursery.start(tmp_path, twin=twin) == "ended 0"
    lines = Counter((tmp_path / "workspace" / "log.txt").read_text().splitlines())
    assert lines["line 4"] == (2 if twin else 1)
