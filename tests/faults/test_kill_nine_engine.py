"""Kill -9 of a whole program at work: its files are whole, its calls accounted for, its workers gone.

A small program that is started once forks a victim for each round. The victim opens the app and runs calls
of every kind (file tools, a thread, worker processes, batches), telling each finished one through a pipe,
until it is killed. Then the same home is opened again and looked at.
"""

import asyncio
import os
import random
import select
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.faults.nursery import KILLED, Nursery

from oneclaw import App, Config, ToolCall
from oneclaw.store.calls import CallRecord

DOCUMENTS = ("one.txt", "two.txt")
MADE = ("-n", "-p", "-t")
LINES = 400

PROGRAM = r"""
import asyncio, os, signal, sys, time
from itertools import count
from pathlib import Path
from oneclaw import App, Config, Context, ToolCall, tool
from oneclaw.guard.files import paths
from oneclaw.tools import builtin

LINES = 400
told = int(sys.argv[1])
builtin.load_all()


def enrol(context):
    folder = context.workspace.folder.parent / "workers"
    (folder / f"{os.getpid()} {os.getppid()}").touch()


@tool(isolation="process", effect="write")
def make_in_process(context: Context) -> str:
    enrol(context)
    (context.workspace.folder / "made" / context.call_id).touch()
    return "made"


@tool(effect="write")
def make_in_thread(context: Context) -> str:
    (context.workspace.folder / "made" / context.call_id).touch()
    return "made"


@tool(isolation="process", effect="write", seconds=600)
def linger(context: Context) -> None:
    enrol(context)
    (context.workspace.folder / "made" / context.call_id).touch()
    time.sleep(600)


def version(name):
    return "".join(f"{name} {line} draft\n" for line in range(LINES))


def tell(result):
    os.write(told, f"{result.call_id} {result.status}\n".encode())


async def work(home, round, twin):
    async with App(Config(home=home), tools=[make_in_process, make_in_thread, linger]) as app:
        made = app.config.workspace_folder / "made"
        made.mkdir(exist_ok=True)
        (home / "workers").mkdir(exist_ok=True)
        break_something(app, twin)
        lasting = asyncio.ensure_future(app.engine.call(ToolCall("linger", {}, f"{round}-lasting")))
        for number in count():
            document = ("one.txt", "two.txt")[number % 2]
            name = f"{round}-{number}"
            await one(app, "write_file", f"{name}-first", path=document, content=version(f"{name}-first"))
            calls = [
                ToolCall("write_file", {"path": document, "content": version(f"{name}-w")}, f"{name}-w"),
                ToolCall("read_file", {"path": document, "limit": 3}, f"{name}-r"),
                ToolCall("edit_file", edit(document), f"{name}-e"),
                ToolCall("write_file", append(f"{name}-a"), f"{name}-a"),
                ToolCall("write_file", {"path": f"made/{name}-n", "content": name}, f"{name}-n"),
                ToolCall("make_in_thread", {}, f"{name}-t"),
                ToolCall("search_text", {"pattern": "draft", "limit": 5}, f"{name}-s"),
                ToolCall("read_file", {"path": "../../etc/passwd"}, f"{name}-x"),
            ]
            if number % 4 == 0:
                calls.append(ToolCall("make_in_process", {}, f"{name}-p"))
            for result in await app.engine.call_all(calls):
                tell(result)


def edit(document):
    return {"path": document, "old": "draft", "new": "final", "all": True}


def append(name):
    return {"path": "log.txt", "content": f"{name} was here\n", "mode": "append"}


async def one(app, tool, call_id, **arguments):
    tell(await app.engine.call(ToolCall(tool, arguments, call_id)))


def break_something(app, twin):
    if twin == "half":
        def write_in_place(workspace, path, data, *_):
            with open(workspace.folder / path, "wb", buffering=0) as file:
                file.write(data[: len(data) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
        paths.replace_file = write_in_place
    if twin == "rename":
        rename = os.rename
        def rename_nothing_beside(name, *more, **given):
            if str(name).startswith(".oneclaw-"):
                os.kill(os.getpid(), signal.SIGKILL)
            rename(name, *more, **given)
        os.rename = rename_nothing_beside
    if twin == "no journal":
        app.engine._journal = None


def run(home, round, twin):
    asyncio.run(work(Path(home), round, twin))
"""


class Killer:
    """Kills victims at work, and hears on a pipe of the calls they finished."""

    def __init__(self) -> None:
        self._told, theirs = os.pipe()
        os.set_blocking(self._told, False)
        self._nursery = Nursery(PROGRAM, str(theirs), pass_fds=[theirs])
        os.close(theirs)

    def kill_one(
        self, home: Path, number: int, calls: int, seconds: float, twin: str = "-"
    ) -> dict[str, str]:
        """Kill a victim so many seconds after so many calls, or let it do so itself; what it had told."""
        self._nursery.start(home, number, twin)
        heard, kills = b"", twin not in ("half", "rename")
        if kills:
            heard = self._hear(calls)
            time.sleep(seconds)
        assert self._nursery.wait(kills=kills) == KILLED, "it ended by itself"
        heard += self._rest()
        return dict(line.split() for line in heard.decode().splitlines())

    def _hear(self, calls: int) -> bytes:
        heard, until = b"", time.monotonic() + 30
        while heard.count(b"\n") < calls:
            assert time.monotonic() < until, f"only {len(heard.splitlines())} calls in half a minute"
            if select.select([self._told], [], [], 1)[0]:
                heard += os.read(self._told, 65536)
        return heard

    def _rest(self) -> bytes:
        heard = b""
        while select.select([self._told], [], [], 0)[0]:
            heard += os.read(self._told, 65536)
        return heard

    def end(self) -> None:
        self._nursery.end()
        os.close(self._told)


@pytest.fixture
def killer() -> Iterator[Killer]:
    made = Killer()
    yield made
    made.end()


@dataclass
class Home:
    """A home that victims share, and what they told of their calls."""

    folder: Path
    told: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    def names(self, folder: str) -> set[str]:
        found = self.workspace / folder
        return {each.name for each in found.iterdir()} if found.exists() else set()


def check(home: Home) -> dict[str, CallRecord]:
    """What must hold after a crash, whenever it came; the calls by their id."""
    calls = asyncio.run(reopen(home))
    check_rows(home, calls)
    check_files(home, calls)
    check_workers(home)
    return calls


async def reopen(home: Home) -> dict[str, CallRecord]:
    async with App(Config(home=home.folder)) as app:
        assert (await app.store.database.find_faults(60))[0] == []
        found = await app.store.calls.history(limit=1_000_000)
    calls = {each.call_id: each for each in found}
    assert len(calls) == len(found), "a call has two rows"
    return calls


def check_rows(home: Home, calls: dict[str, CallRecord]) -> None:
    for name, call in calls.items():
        if call.kind == "interrupted":
            assert call.effects == ("none" if call.effect == "read" else "unknown"), name
        else:
            assert call.status == ("error" if name.endswith("-x") else "success"), (name, call.message)
            if name.endswith("-x"):
                assert call.kind == "path_not_allowed"
    assert set(home.told) <= set(calls), "a result that was told is lost"
    for name, status in home.told.items():
        assert (calls[name].status, calls[name].kind == "interrupted") == (status, False), name


def check_files(home: Home, calls: dict[str, CallRecord]) -> None:
    made = home.names("made")
    assert made <= set(calls), "an effect without its row"
    done = {name for name, call in calls.items() if call.status == "success" and name[-2:] in MADE}
    assert done <= made, "a result without its effect"
    for document in DOCUMENTS:
        if (home.workspace / document).exists():
            author = check_document((home.workspace / document).read_text())
            assert author in calls, "a version without its row"
    check_log(home, calls)
    # A writer killed between its last two steps leaves one name beside the file, and only one.
    assert len(temporary(home)) <= len((*DOCUMENTS, "log.txt"))


def check_document(text: str) -> str:
    """The name of the call that wrote the text, which is whole."""
    author, _, state = text.partition("\n")[0].split()
    assert state in ("draft", "final")
    assert text == version(author, state), "a file is half-written"
    return author


def check_log(home: Home, calls: dict[str, CallRecord]) -> None:
    log = home.workspace / "log.txt"
    lines = log.read_text().splitlines(keepends=True) if log.exists() else []
    assert all(line.endswith(" was here\n") for line in lines), "a line is half-written"
    names = [line.split()[0] for line in lines]
    assert len(names) == len(set(names)), "a line was written twice"
    assert set(names) <= set(calls), "a line without its row"
    added = {name for name, call in calls.items() if name.endswith("-a") and call.status == "success"}
    assert added <= set(names), "a line is lost"


def temporary(home: Home) -> list[Path]:
    return sorted(home.workspace.rglob(".oneclaw-*"))


def check_workers(home: Home) -> None:
    """Every worker of the victims is gone, and its supervisor; a number used again is another program's."""
    until = time.monotonic() + 10
    folder = home.folder / "workers"
    for file in folder.iterdir() if folder.exists() else ():
        for pid in file.name.split():
            while is_worker(pid):
                assert time.monotonic() < until, f"worker {pid} is still there"
                time.sleep(0.005)
        file.unlink()


def is_worker(pid: str) -> bool:
    try:
        return b"child.supervisor" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False


async def write_everything(home: Home) -> None:
    """The next program on the same home works at once, and sweeps what the dead left."""
    async with App(Config(home=home.folder)) as app:
        results = [await app.engine.call(ToolCall("write_file", append("")))]
        for name in DOCUMENTS:
            author = f"{time.monotonic_ns()}-after"
            arguments = {"path": name, "content": version(author, "draft")}
            results.append(await app.engine.call(ToolCall("write_file", arguments, author)))
            results.append(await app.engine.call(ToolCall("read_file", {"path": name})))
            assert results[-1].value == version(author, "draft")
    assert all(result.ok for result in results)
    if can_be_unnamed(home.workspace):
        assert not temporary(home), "a temporary file was left"


def can_be_unnamed(folder: Path) -> bool:
    """Whether the system makes files without a name here; where not, odd names are swept after an hour."""
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_WRONLY))
    except OSError:
        return False
    return True


def append(text: str) -> dict[str, str]:
    return {"path": "log.txt", "content": text, "mode": "append"}


def version(author: str, state: str) -> str:
    return "".join(f"{author} {line} {state}\n" for line in range(LINES))


@pytest.mark.slow
def test_whenever_the_program_is_killed_files_are_whole_and_calls_accounted_for(
    tmp_path: Path, killer: Killer, many: int
) -> None:
    seed = random.randrange(1_000_000)
    chance = random.Random(seed)
    print(f"seed {seed}")
    ended = {"success": 0, "error": 0, "interrupted": 0}
    home = Home(tmp_path)
    for number in range(many):
        if number % 10 == 0:
            home = Home(tmp_path / str(number))  # so that victims also die while they make a home
            home.folder.mkdir()
        calls = chance.choice([0, 0, chance.randrange(30), chance.randrange(80)])
        home.told |= killer.kill_one(home.folder, number, calls, chance.random() * 0.05)
        found = check(home)
        for name, call in found.items():
            if name.startswith(f"{number}-"):
                ended[call.kind if call.kind == "interrupted" else call.status] += 1
        if number % 10 in (4, 9):
            asyncio.run(write_everything(home))
    print(ended)
    assert all(ended.values())


def test_a_name_left_beside_a_file_is_taken_away_by_the_next_write(tmp_path: Path, killer: Killer) -> None:
    home = Home(tmp_path)
    home.told = killer.kill_one(tmp_path, 1, 0, 0, "rename")
    if not can_be_unnamed(home.workspace):
        pytest.skip("files without a name cannot be made here")
    assert len(temporary(home)) == 1
    assert check(home)["1-0-w"].kind == "interrupted"
    asyncio.run(write_everything(home))


def test_a_file_written_in_place_would_be_found_half_written(tmp_path: Path, killer: Killer) -> None:
    killer.kill_one(tmp_path, 1, 0, 0, "half")
    with pytest.raises(AssertionError, match="half-written"):
        check(Home(tmp_path))


def test_calls_without_a_journal_would_be_found_out(tmp_path: Path, killer: Killer) -> None:
    home = Home(tmp_path)
    home.told = killer.kill_one(tmp_path, 1, 9, 0, "no journal")
    with pytest.raises(AssertionError, match="a result that was told is lost"):
        check(home)
