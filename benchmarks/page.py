"""How fast events reach the tabs of the page, beside a bare Starlette socket, and what many tabs cost."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import time
from typing import Any
from urllib.request import Request, urlopen

from websockets.asyncio.client import connect

from table import draw

SERVER = Path(__file__).parent / "page_server.py"
SECONDS = 10.0
SOCKETS, SESSIONS, RATE = 200, 50, 20.0
"""200 sockets on 50 sessions that write 1,000 events a second between them: each is sent to four sockets."""
TABS = 10


@dataclass
class Load:
    """Events that sockets received: how late each was, how many are missing; the server's memory in MiB."""

    late: list[float] = field(default_factory=list[float])
    missing: int = 0
    memory: list[float] = field(default_factory=list[float])

    def late_ms(self, share: float) -> float:
        ordered = sorted(self.late)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1e3


def measure(rounds: int) -> str:
    """`rounds` has no bearing: each row is ten seconds of a thousand events each."""
    watched = [[number % SESSIONS] for number in range(SOCKETS)]
    bare, ours = asyncio.run(load("bare", watched)), asyncio.run(load("ours", watched))
    tabs = asyncio.run(load("ours", [list(range(SESSIONS))] * TABS))
    rows = [
        _row(f"bare Starlette, {SOCKETS} sockets", bare, bare),
        _row(f"the page, {SOCKETS} sockets", ours, bare),
        _row(f"the page, {TABS} tabs × {SESSIONS} sessions", tabs, bare),
    ]
    note = (
        f"{SESSIONS} runs write {SESSIONS * RATE:,.0f} events a second between them for {SECONDS:.0f} s, and"
        " begin within one;"
        " late is from the event to the client that has read it, on the same two cores. The bare socket"
        " stores and checks nothing. Memory is that of the server, after a third of the time and at the end."
    )
    head = [
        "server",
        "events received",
        "missing",
        "median ms",
        "p99 ms",
        "× bare",
        "MiB before",
        "MiB after",
    ]
    return draw("Page", head, rows, note)


def _row(name: str, load: Load, bare: Load) -> list[str]:
    return [
        name,
        f"{len(load.late):,}",
        str(load.missing),
        f"{load.late_ms(0.5):.1f}",
        f"{load.late_ms(0.99):.1f}",
        f"{load.late_ms(0.99) / bare.late_ms(0.99):.1f}",
        f"{load.memory[0]:.0f}",
        f"{load.memory[-1]:.0f}",
    ]


async def load(kind: str, watched: Sequence[Sequence[int]], seconds: float = SECONDS) -> Load:
    """Have sockets watch sessions, each by its number, while all of them write."""
    found = Load()
    command = [sys.executable, str(SERVER), kind, str(SESSIONS), str(RATE), str(seconds)]
    server = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
    assert server.stdin is not None
    assert server.stdout is not None
    told = json.loads(await server.stdout.readline())
    address = f"127.0.0.1:{told['port']}"
    cookie = await asyncio.to_thread(_log_in, address, told["link"])
    ready = asyncio.Barrier(len(watched) + 1)
    names = [[told["sessions"][number] for number in each] for each in watched]
    count = round(RATE * seconds)
    tabs = [asyncio.ensure_future(_watch(address, cookie, each, count, ready, found)) for each in names]
    await ready.wait()
    server.stdin.write(b"go\n")
    for wait in (seconds / 3, seconds * 2 / 3):
        await asyncio.sleep(wait)
        found.memory.append(_memory(told["pid"]))
    await asyncio.gather(*tabs)
    server.stdin.write(b"end\n")
    await server.wait()
    return found


def _log_in(address: str, link: str) -> str:
    if not link:
        return ""
    headers = {"content-type": "application/json", "x-oneclaw": "1"}
    request = Request(f"http://{address}/api/login", json.dumps({"link": link}).encode(), headers)
    with urlopen(request, timeout=30) as answer:
        return answer.headers["set-cookie"].partition(";")[0]


async def _watch(
    address: str, cookie: str, sessions: Sequence[str], count: int, ready: asyncio.Barrier, found: Load
) -> None:
    """Read the events of sessions until all of them have ended."""
    headers = {"cookie": cookie}
    url, origin = f"ws://{address}/api/socket", f"http://{address}"
    seen: dict[str, set[int]] = {name: set() for name in sessions}
    left = set(sessions)
    async with connect(url, origin=origin, additional_headers=headers, proxy=None, max_size=None) as socket:  # pyright: ignore[reportArgumentType]
        await socket.send(json.dumps({"watch": {name: {"run": "", "after": 0} for name in sessions}}))
        await socket.recv()
        await ready.wait()
        while left:
            said: dict[str, Any] = json.loads(await socket.recv())
            now = time()
            for event in said.get("events", ()):
                if event["event"] == "text_added":
                    found.late.append(now - event["time"])
                    seen[event["session"]].add(event["number"])
                elif event["event"] == "run_finished":
                    left.discard(event["session"])
    found.missing += sum(count - len(each) for each in seen.values())


def _memory(pid: int) -> float:
    text = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("VmRSS")) / 1024
