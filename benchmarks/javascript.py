"""What a call of a JavaScript tool takes, beside Node started for it and a bare engine in the program."""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from javascript_sides import FETCHES, SOURCES, TRIVIAL, Ours, Side, prepare_context, prepare_node, serve
from table import draw

CALLS = 30
"""Warm calls of one source in a round."""
MANY = 200
AT_ONCE = 8
"""How many Nodes run at once: more would only wait for the processors."""
LONG_RUN = 10_000


def measure(rounds: int) -> str:
    """Every side at every point once a round, so that a busy minute falls on all of them."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = stack.enter_context(serve())
        return asyncio.run(race(folder, url, rounds))


async def race(folder: Path, url: str, rounds: int) -> str:
    ours = Ours(folder)
    sides = [Side("oneclaw", ours.prepare)]
    node = shutil.which("node")
    if node is not None:
        sides.append(Side("Node per call", lambda text: prepare_node(node, folder, text)))
    sides.append(Side("context in the program", prepare_context))
    try:
        for number in range(rounds):
            await race_cold(folder, sides[0])
            for side in sides:
                await race_calls(side, url, has_host=side.name != sides[-1].name)
                if number < (1 if "Node" in side.name else 5):
                    await race_many(side)
        memory = await measure_memory(ours)
    finally:
        await ours.runtime.close()
    return report(sides, memory, await node_version(node))


async def race_cold(folder: Path, side: Side) -> None:
    fresh = Ours(folder)
    try:
        await side.time("cold", fresh.prepare(TRIVIAL), {"n": 1}, "2")
    finally:
        await fresh.runtime.close()


async def race_calls(side: Side, url: str, has_host: bool) -> None:
    for what, text in SOURCES.items():
        call = side.prepare(text)
        if await call({"n": 1}) != "2":  # from here on it is warm, where there is such a thing
            raise OSError(f"{side.name} does not add")
        count = CALLS if side.name == "oneclaw" else 3
        for _ in range(count):
            await side.time(what, call, {"n": 1}, "2")
    if has_host:
        call = side.prepare(FETCHES)
        await call({"url": url})
        await side.time("fetches", call, {"url": url}, "5")


async def race_many(side: Side) -> None:
    """So many calls at once; the time is that of all of them by their number."""
    call = side.prepare(TRIVIAL)
    turns = asyncio.Semaphore(AT_ONCE if "Node" in side.name else MANY)

    async def one(number: int) -> str:
        async with turns:
            return await call({"n": number})

    begin = time.perf_counter()
    texts = await asyncio.gather(*(one(number) for number in range(MANY)))
    side.took.setdefault("many", []).append((time.perf_counter() - begin) / MANY)
    if texts != [str(number + 1) for number in range(MANY)]:
        raise OSError(f"{side.name} mixed up its calls")


# ------------------------------------------------------------------ memory


@dataclass(frozen=True, slots=True)
class Memory:
    """The megabytes of the program and of its workers after so many calls."""

    calls: int
    program: float
    workers: float


async def measure_memory(ours: Ours) -> list[Memory]:
    """The memory as the calls go on: four at a time, so that all workers are at it."""
    if sys.platform != "linux":
        return []
    call = ours.prepare(SOURCES["5 KB"])
    found: list[Memory] = []
    done = 0
    for wanted in (200, LONG_RUN // 10, LONG_RUN // 2, LONG_RUN):
        while done < wanted:
            await asyncio.gather(*(call({"n": 1}) for _ in range(4)))
            done += 4
        workers = sum(map(resident, descendants(ours.runtime.pids)))
        found.append(Memory(done, resident(os.getpid()), workers))
    return found


def resident(pid: int) -> float:
    """Its megabytes in memory, what it shares with others divided among them; 0 when it is gone."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), 0.0)


def descendants(pids: list[int]) -> list[int]:
    found = list(pids)
    for pid in found:
        try:
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text()
        except OSError:
            continue
        found += map(int, children.split())
    return found


# ------------------------------------------------------------------ the page

LABELS = {
    "cold": "first call, worker started",
    "trivial": "warm call, one line",
    "5 KB": "warm call, 5 KB source",
    "100 KB": "warm call, 100 KB source",
    "fetches": "five fetches at once, 50 ms each",
    "many": f"{MANY} calls at once, each",
}


def report(sides: list[Side], memory: list[Memory], node: str) -> str:
    head = ["what", "oneclaw ms", "median"]
    for side in sides[1:]:
        head += [f"{side.name} ms", "× ours"]
    rows: list[list[str]] = []
    for what, label in LABELS.items():
        ours = sides[0].took[what]
        row = [label, f"{min(ours) * 1e3:.2f}", f"{median(ours) * 1e3:.2f}"]
        for side in sides[1:]:
            theirs = side.took.get("trivial" if what == "cold" else what)
            row += (
                ["–", "–"]
                if theirs is None
                else [f"{min(theirs) * 1e3:.2f}", f"{min(theirs) / min(ours):.1f}"]
            )
        rows.append(row)
    note = (
        "Times are the minimum of the calls, with the median of OneClaw beside it. OneClaw calls go through"
        " Engine.call with all checks (no journal) and run in a worker process with limits; every call starts"
        " from a fresh copy of the loaded source. Node is started for each call"
        + (f" ({node})" if node else "; it is not on this machine and left out")
        + ". A context in the program is the same engine without limits, without a process that can be"
        " killed and without host functions; the source is evaluated again for each"
        f" call.{busyness()}"
    )
    table = draw("JavaScript tools", head, rows, note)
    if not memory:
        return table
    rows = [[f"{one.calls:,}", f"{one.program:.1f}", f"{one.workers:.1f}"] for one in memory]
    note = (
        'Memory in megabytes (proportional set size) after that many calls, four at a time; "workers" are all'
        " worker processes together."
    )
    return f"{table}\n{draw('JavaScript tools, memory', ['calls', 'program MB', 'workers MB'], rows, note)}"


def busyness() -> str:
    """A word about the machine, where others were at work on it."""
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    if load <= 2 * cores:
        return ""
    return f" The machine was busy with other work then: load {load:.0f} on {cores} cores."


async def node_version(node: str | None) -> str:
    if node is None:
        return ""
    process = await asyncio.create_subprocess_exec(node, "--version", stdout=subprocess.PIPE)
    return f"Node {(await process.communicate())[0].decode().strip().removeprefix('v')}"


if __name__ == "__main__":
    sys.stdout.write(measure(5))
