"""One contestant's side: it says who it is, then runs the loop of each line and answers how long it took."""

import gc
import json
import sys
import time
from collections.abc import Awaitable, Callable


def add(a: int, b: int) -> int:
    """Add two numbers.

    Args:
        a: one
        b: two
    """
    return a + b


def arguments(round_number: int, call_number: int) -> dict[str, int]:
    """What the model writes: not twice the same, so that no guard against repeats steps in."""
    return {"a": round_number, "b": call_number}


Run = Callable[[], Awaitable[int]]


async def race(name: str, version: str, prepare: Callable[[int, int], Run]) -> None:
    """Answer `ROUNDS CALLS` with the seconds, by the clock and of the processor, until the input ends.

    `prepare` writes down what the model will answer; the run it gives is timed, and returns how many calls
    were made.
    """
    await prepare(2, 2)()
    print(json.dumps({"name": name, "version": version}), flush=True)
    for line in iter(sys.stdin.readline, ""):
        rounds, calls = map(int, line.split())
        run = prepare(rounds, calls)
        gc.collect()  # nobody pays for what the run before has left
        start, worked = time.perf_counter(), time.process_time()
        made = await run()
        took, worked = time.perf_counter() - start, time.process_time() - worked
        if made != rounds * calls:
            raise SystemExit(f"{name} made {made} calls of {rounds * calls}.")
        print(took, worked, flush=True)
