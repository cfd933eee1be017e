"""One program at work for long: memory, descriptors, threads and processes stay as they are.

Calls of every kind go through one app, several at a time, and runs of an agent beside them. After a warm-up,
each second is measured. `--soak 600` takes ten minutes instead of a few seconds.
"""

import asyncio
import gc
import mmap
import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import astuple, dataclass
from itertools import count
from pathlib import Path
from statistics import linear_regression, median
from typing import Any

import pytest
from tests.conftest import Serve
from tests.processes import children
from tests.sandboxes import lack

from oneclaw import App, Config, Scripted, ToolCall, ToolResult, tool
from oneclaw.core.errors import Kind
from oneclaw.providers.scripted import Call

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nhello\n"
FAULTS = {
    "outside": Kind.PATH_NOT_ALLOWED,
    "unknown": Kind.TOOL_NOT_FOUND,
    "invalid": Kind.VALIDATION_ERROR,
    "raises": Kind.EXECUTION_ERROR,
}

LEAST_SAMPLES = 12
"""A busy machine takes longer, and measures as often."""
MOST_GROWTH = {
    "own_kilobytes": 6_000,
    "other_kilobytes": 6_000,
    "descriptors": 3,
    "threads": 3,  # a pool of threads may still fill
    "processes": 1,
    "tasks": 1,
    "own_kilobytes_a_minute": 500,
}


@tool(effect="read")
def count_in_thread(text: str) -> int:
    """Count in a thread."""
    return len(text)


@tool(effect="read", isolation="process")
def count_in_process(text: str) -> int:
    """Count in a worker process."""
    return len(text)


@tool(effect="read")
async def raises() -> None:
    """Fail."""
    raise ValueError("no")


def mixed(number: int, port: int) -> list[ToolCall]:
    """One of each kind, by names that come again: what is kept on disk does not grow with the calls."""
    name, line = f"{number % 50}.txt", f"line {number}\n"
    kinds: dict[str, tuple[str, dict[str, Any] | str]] = {
        "write": ("write_file", {"path": name, "content": line * 50}),
        "edit": ("edit_file", {"path": name, "old": "line", "new": "row", "all": True}),
        "append": ("write_file", {"path": name, "content": line, "mode": "append"}),
        "read": ("read_file", {"path": name}),
        "list": ("list_files", {}),
        "search": ("search_text", {"pattern": "row 1", "limit": 3}),
        "thread": ("count_in_thread", {"text": line}),
        "process": ("count_in_process", {"text": line}),
        "remember": ("memory_store", {"key": f"key {number % 50}", "value": line}),
        "recall": ("memory_search", {"query": "key"}),
        "request": ("http_request", {"url": f"http://127.0.0.1:{port}/{number % 50}"}),
        "repaired": ("count_in_thread", '{"text": "a",}'),
        "outside": ("read_file", {"path": "../../etc/passwd"}),
        "unknown": ("no_such_tool", {}),
        "invalid": ("read_file", {"path": 7, "limit": "x"}),
        "raises": ("raises", {}),
    }
    if number % 5 == 0 and not lack("bubblewrap"):
        kinds["shell"] = ("execute_shell_command", {"command": f"echo {number}; ls | wc -l"})
    return [ToolCall(tool, arguments, f"{kind} {number}") for kind, (tool, arguments) in kinds.items()]


def judge(result: ToolResult) -> str:
    kind = result.call_id.split()[0]
    assert result.kind == FAULTS.get(kind), result
    return kind


@dataclass(frozen=True)
class Sample:
    """The state of the program at one moment."""

    seconds: float
    own_kilobytes: int
    other_kilobytes: int
    descriptors: int
    threads: int
    processes: int
    tasks: int


def kilobytes(pid: int) -> int:
    """The memory that is the process's own; one that has ended has none."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith(("Private_", "Swap:")))


def measure(begun: float) -> Sample:
    gc.collect()
    others = list(children(os.getpid()))
    return Sample(
        time.monotonic() - begun,
        kilobytes(os.getpid()),
        sum(map(kilobytes, others)),
        len(os.listdir("/proc/self/fd")),
        threading.active_count(),
        len(others),
        len(asyncio.all_tasks()),
    )


Leak = Callable[[], object]


async def work(home: Path, port: int, seconds: float, leak: Leak | None = None) -> list[Sample]:
    """The samples taken while calls and runs go through one app, each at rest between two batches."""
    values = {
        "models.default": "test/model",
        "network.private_hosts": ["127.0.0.1"],
        "features.shell": True,
        "permissions.needs.shell": "granted",
    }
    model = Scripted([Call("list_files"), "Done."], keep=False, repeats=True)
    tools = [count_in_thread, count_in_process, raises]
    samples: list[Sample] = []
    judged: Counter[str] = Counter()
    async with App(Config(home=home, values=values), tools=tools, providers={"test": model}) as app:
        begun = time.monotonic()
        for number in count():
            batches = (app.engine.call_all(mixed(each, port)) for each in (number * 2, number * 2 + 1))
            for results in await asyncio.gather(*batches):
                judged.update(map(judge, results))
            if number % 5 == 0:
                assert (await app.ask("default", "go on")).reason == "done"
                judged["run"] += 1
            if leak:
                leak()
            elapsed = time.monotonic() - begun
            if elapsed >= (len(samples) + 1) * max(0.2, seconds / 600):
                samples.append(measure(begun))
            if elapsed >= seconds and len(samples) >= LEAST_SAMPLES:
                break
    print(f"{judged.total():,} calls in {seconds:.0f} s: {dict(judged)}")
    return samples


def growth(samples: list[Sample]) -> dict[str, float]:
    """How much more there is at the end than after the warm-up, which is the first third."""
    warm = samples[len(samples) // 3 :]
    third = len(warm) // 3
    first, last = warm[:third], warm[-third:]
    names = list(Sample.__dataclass_fields__)[1:]
    ends = zip(zip(*map(astuple, first), strict=True), zip(*map(astuple, last), strict=True), strict=True)
    grown = [median(after) - median(before) for before, after in ends][1:]
    seconds = [sample.seconds for sample in warm]
    slope = linear_regression(seconds, [sample.own_kilobytes for sample in warm]).slope
    return {**dict(zip(names, grown, strict=True)), "own_kilobytes_a_minute": slope * 60}


def check(samples: list[Sample]) -> None:
    grown = growth(samples)
    print(samples[len(samples) // 3], samples[-1], grown, sep="\n")
    above = {name: value for name, value in grown.items() if value > MOST_GROWTH[name]}
    if samples[-1].seconds < 120:  # in a short run one allocation makes a steep line
        above.pop("own_kilobytes_a_minute", None)
    assert above == {}


@pytest.mark.slow
async def test_memory_descriptors_and_processes_stay_flat(serve: Serve, tmp_path: Path, soak: float) -> None:
    port, seen = await serve(ANSWER)
    check(await work(tmp_path, port, soak, seen.clear))


def new_memory(size: int) -> mmap.mmap:
    """Memory that the program did not have: after thousands of tests its heap has room for some leaks."""
    made = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    made.write(b"x" * size)
    return made


@pytest.mark.parametrize("name", ["own_kilobytes", "descriptors"])
async def test_a_leak_would_be_seen(serve: Serve, tmp_path: Path, name: str) -> None:
    port, _ = await serve(ANSWER)
    kept: list[mmap.mmap] = []
    opened: list[int] = []
    leaks: dict[str, Leak] = {
        "own_kilobytes": lambda: kept.append(new_memory(4 << 20)),
        "descriptors": lambda: opened.extend(os.dup(1) for _ in range(3)),
    }
    try:
        samples = await work(tmp_path, port, 3, leaks[name])
    finally:
        for each in opened:
            os.close(each)
    with pytest.raises(AssertionError, match=f"'{name}'"):
        check(samples)
