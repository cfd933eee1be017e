"""One contestant's side of the race: it says who it is, then answers each line with the seconds it took."""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass

One = Callable[[str], Awaitable[str]]
Many = Callable[[Sequence[str]], Awaitable[Sequence[str]]]

WARM = 100
"""Calls before the clock starts: each process has slept while the others ran."""


@dataclass(frozen=True)
class Road:
    """What a library does between the raw text of a call and the text of its result."""

    name: str
    entry: str
    version: str
    validates: bool
    stops: bool
    permits: bool
    journals: bool = False


def texts(count: int) -> list[str]:
    """Arguments as a model sends them: text, and not twice the same."""
    return [f'{{"a": {number}, "b": 2}}' for number in range(count)]


def check(answers: Sequence[str], name: str) -> None:
    """A road that loses or mixes up an answer is not in the race."""
    for number, answer in enumerate(answers):
        if str(number + 2) not in answer:
            raise SystemExit(f"{name} answered {answer!r} to {number} + 2.")


async def gather(one: One, arguments: Sequence[str]) -> list[str]:
    return await asyncio.gather(*[one(text) for text in arguments])


async def race(road: Road, one: One, many: Many | None = None) -> None:
    """Answer `one N` (N calls, one after the other) and `many N` (N at once) until the input ends."""
    print(json.dumps(asdict(road)), flush=True)
    for line in iter(sys.stdin.readline, ""):
        what, count = line.split()
        arguments = texts(int(count))
        for text in arguments[:WARM]:
            await one(text)
        start = time.perf_counter()
        if what == "one":
            answers: Sequence[str] = [await one(text) for text in arguments]
        elif many is None:
            answers = await gather(one, arguments)
        else:
            answers = await many(arguments)
        seconds = time.perf_counter() - start
        check(answers, road.name)
        print(seconds, flush=True)


async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b
