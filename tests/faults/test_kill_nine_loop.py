"""Kill -9 at random points of a run with every kind of effect: it goes on, and does nothing twice.

Each of ten rounds appends to a file, writes a file, stores a memory, runs a tool in a worker process and a
shell command, and reads.

A small program that is loaded once forks a victim for each try. The victim begins the run, or resumes it, and
is killed after a random time; this is done to the same home until a victim reaches the end. The model is a
function of the conversation: it asks for the round that follows the ones it sees.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.faults.nursery import KILLED, Nursery
from tests.sandboxes import lack

from oneclaw import App, Config, ToolResult
from oneclaw.core.message import AssistantMessage, Message, ResultsMessage

ROUNDS = 10
LINES = 400
KINDS = "abcmps"
LOGS = {"a": "log.txt", "p": "notes.txt", "s": "shell.txt"}

PROGRAM = r"""
import asyncio, os, signal, sys, time
from pathlib import Path
from oneclaw import Agent, App, Config, Context, Limits, Scripted, tool
from oneclaw.agent.conversation import Conversation
from oneclaw.agent.loop import Run
from oneclaw.core.errors import InvalidConfig
from oneclaw.core.event import ToolFinished
from oneclaw.core.message import AssistantMessage, ResultsMessage
from oneclaw.providers.scripted import Call, Say, Wait
from oneclaw.tools import builtin
from oneclaw.agent.talk import follow
import oneclaw.agent.runs, oneclaw.agent.delegate, oneclaw.agent.session_tools, oneclaw.providers.connect

ROUNDS = 10
LINES = 400
SHELL = {"features.shell": True, "permissions.needs.shell": "granted"}
builtin.load_all()


@tool(isolation="process", effect="write")
def note(context: Context, line: str) -> str:
    with open(context.workspace.folder / "notes.txt", "a") as file:
        file.write(line + "\n")
    return "noted"


def reply(request):
    done = sum(bool(m.calls) for m in request.messages if isinstance(m, AssistantMessage))
    if done >= ROUNDS:
        return "All is written."
    line = {"path": "log.txt", "content": f"line {done}\n", "mode": "append"}
    return [
        Say(f"Round {done}. "),
        Wait(0.001),
        Call("write_file", line, id=f"a{done}"),
        Call("write_file", {"path": f"{done}.txt", "content": f"{done}\n" * LINES}, id=f"b{done}"),
        Call("read_file", {"path": "log.txt"}, id=f"c{done}"),
        Call("memory_store", {"key": f"key {done}", "value": f"line {done}"}, id=f"m{done}"),
        Call("note", {"line": f"line {done}"}, id=f"p{done}"),
        Call("execute_shell_command", {"command": f"echo line {done} >> shell.txt"}, id=f"s{done}"),
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
    model = Scripted([reply], keep=False, repeats=True)
    async with App(Config(home=home, values=SHELL), tools=[note], providers={"test": model}) as app:
        agent = Agent(model="test/model", limits=Limits(rounds=None))
        sessions = await app.store.sessions.list()
        try:
            if sessions and await app.store.messages.load(sessions[0].id):
                session = await app.resume_session(sessions[0].id)
                events = follow(lambda: app.runs.start(agent, None, session=session))
            else:
                events = app.run(agent, "Write ten lines.")
            async for event in events:
                if kill_at and isinstance(event, ToolFinished) and event.call_id == kill_at:
                    os.kill(os.getpid(), signal.SIGKILL)
        except InvalidConfig as error:
            return str(error)  # it was killed after its end: there is nothing to go on with
    return event.reason


def run(home, twin, kill_at):
    if twin:
        forget_answers()
    ended = asyncio.run(work(Path(home), kill_at))
    return 0 if ended == "done" or "nothing to go on with" in ended else 1
"""


@pytest.fixture
def nursery() -> Iterator[Nursery]:
    made = Nursery(PROGRAM)
    yield made
    made.end()


def live(
    nursery: Nursery, home: Path, *, seconds: float | None = None, twin: str = "", kill_at: str = ""
) -> int:
    """Begin the run or go on with it; how the victim ended, killed after so many seconds or by itself."""
    nursery.start(home, twin, kill_at)
    time.sleep(seconds or 0)
    return nursery.wait(kills=seconds is not None)


@dataclass
class Left:
    """The state of a home after a run: the conversation, the rows of each call, and the effects."""

    messages: list[Message]
    rows: Counter[str]
    effects: dict[str, list[str]]
    files: dict[str, str]


async def look(home: Path) -> Left:
    async with App(Config(home=home)) as app:
        (session,) = await app.store.sessions.list()
        messages = [stored.message for stored in await app.store.messages.load(session.id)]
        rows = Counter(row.call_id for row in await app.store.calls.history(session=session.id, limit=1000))
        assert (await app.store.database.find_faults(60))[0] == []
        # A memory that is stored again with the same value has a later version or stands twice.
        memories = [each.value for each in await app.store.memories.everyone() for _ in range(each.version)]
        folder = app.config.workspace_folder
    assert not list(folder.rglob(".oneclaw-*")), "a temporary file is left"
    files = {path.name: path.read_text() for path in folder.iterdir()}
    effects = {kind: files.pop(name, "").splitlines() for kind, name in LOGS.items()}
    return Left(messages, rows, {**effects, "m": memories}, files)


def check(home: Path) -> Counter[str]:
    """Each call has one result, and each effect is there as often as its result says; how calls ended."""
    left = asyncio.run(look(home))
    given = [
        result
        for message in left.messages
        if isinstance(message, ResultsMessage)
        for result in message.results
    ]
    calls = [
        call for message in left.messages if isinstance(message, AssistantMessage) for call in message.calls
    ]
    assert [result.call_id for result in given] == [call.id for call in calls]
    assert [call.id for call in calls] == [f"{kind}{number}" for number in range(ROUNDS) for kind in KINDS]
    assert all(count == 1 for count in left.rows.values()), left.rows
    results = {result.call_id: result for result in given}
    for kind, lines in left.effects.items():
        assert all(count == 1 for count in Counter(lines).values()), (kind, lines)
        for number in range(ROUNDS):
            agree(results[f"{kind}{number}"], f"line {number}" in lines)
    for number in range(ROUNDS):
        agree(results[f"b{number}"], f"{number}.txt" in left.files)
    for name, text in left.files.items():
        assert text == f"{Path(name).stem}\n" * LINES, f"{name} is half-written"
    return Counter(str(result.kind or "success") for result in given)


def agree(result: ToolResult, is_there: bool) -> None:
    """A result and its effect say the same, or the result says that nobody knows."""
    if result.ok:
        assert is_there, f"{result.call_id}: a result without its effect"
    elif is_there:
        assert (result.kind, result.effects) == ("interrupted", "unknown"), result
    else:
        assert result.kind == "interrupted" or lack("bubblewrap"), result


@pytest.mark.slow
def test_a_run_killed_at_random_points_goes_on_and_does_nothing_twice(
    nursery: Nursery, tmp_path: Path, many: int
) -> None:
    seed = random.randrange(1_000_000)
    chance = random.Random(seed)
    print(f"seed {seed}")
    begun = time.monotonic()
    assert live(nursery, tmp_path / "first") == 0
    whole_seconds = time.monotonic() - begun
    check(tmp_path / "first")
    kills, number = 0, 0
    ended: Counter[str] = Counter()
    while kills < many:
        number += 1
        home = tmp_path / f"home {number}"
        for _ in range(60):
            after = chance.choice([0.03, 0.1, 0.4]) * chance.random() * whole_seconds
            end = live(nursery, home, seconds=after)
            if end != KILLED:
                break
            kills += 1
        else:
            end = live(nursery, home)
        assert end == 0
        ended += check(home)
    print(f"{kills} kills of {number} runs: {dict(ended)}")
    assert {"success", "interrupted"} <= ended.keys()


@pytest.mark.parametrize("twin", ["", "answers are kept late"])
def test_a_write_that_was_done_before_the_kill_is_not_done_again(
    nursery: Nursery, tmp_path: Path, twin: str
) -> None:
    assert live(nursery, tmp_path, twin=twin, kill_at="a4") == KILLED
    assert live(nursery, tmp_path, twin=twin) == 0
    lines = Counter((tmp_path / "workspace" / "log.txt").read_text().splitlines())
    assert lines["line 4"] == (2 if twin else 1)
