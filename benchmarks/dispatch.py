"""One call, and many at once, from the model's text to the text of the result: ours beside the peers'."""

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from table import draw

ROADS = Path(__file__).parent / "roads"
OURS = [["bare.py"], ["ours.py", "road"], ["ours.py", "journal"], ["ours.py", "app"]]
PEERS = [
    ["peer_pydantic_ai.py", "toolset"],
    ["peer_pydantic_ai.py", "manager"],
    ["peer_openai_agents.py", "tool"],
    ["peer_openai_agents.py", "invoke"],
    ["peer_langchain.py"],
    ["peer_fastmcp.py", "tool"],
    ["peer_fastmcp.py", "server"],
    ["peer_agno.py"],
    ["peer_toolregistry.py"],
]
ONE, MANY = 1000, 500


@dataclass
class Contestant:
    """One library in its own process, and the microseconds a call took in each round."""

    process: subprocess.Popen[str]
    road: dict[str, Any]
    one: list[float] = field(default_factory=list[float])
    many: list[float] = field(default_factory=list[float])

    def run(self, what: str, count: int) -> float:
        """Microseconds for each of `count` calls."""
        stdin, stdout = self.process.stdin, self.process.stdout
        if stdin is None or stdout is None:
            raise OSError(f"{self.road['name']} cannot be spoken to")
        stdin.write(f"{what} {count}\n")
        stdin.flush()
        line = stdout.readline()
        if not line:
            raise OSError(f"{self.road['name']} stopped in the middle of the race")
        return float(line) / count * 1e6

    def round(self) -> None:
        self.one.append(self.run("one", ONE))
        self.many.append(self.run("many", MANY))

    def close(self) -> None:
        if self.process.stdin is not None:
            self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def start(python: str, command: list[str]) -> Contestant | None:
    """A contestant that has said who it is, or None when it could not start (and stderr says why)."""
    process = subprocess.Popen(
        [python, str(ROADS / command[0]), *command[1:]],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    hello = process.stdout.readline() if process.stdout else ""
    if not hello:
        process.kill()
        process.wait()
        print(f"({' '.join(command)} did not start and is left out.)", file=sys.stderr)
        return None
    return Contestant(process, json.loads(hello))


def measure(peers: Path | None, rounds: int) -> str:
    """Everyone once a round; the first round warms up and is thrown away."""
    commands = [(sys.executable, command) for command in OURS]
    if peers is not None:
        commands += [(str(peers), command) for command in PEERS]
    contestants = [one for python, command in commands if (one := start(python, command))]
    try:
        for _ in range(rounds + 1):
            for contestant in contestants:
                contestant.round()
    finally:
        for contestant in contestants:
            contestant.close()
    for contestant in contestants:
        del contestant.one[0], contestant.many[0]
    return report(contestants)


def report(contestants: list[Contestant]) -> str:
    bare = contestants[0]
    ours = next((one for one in contestants if one.road["name"] == "oneclaw"), bare)
    rows = [_row(one, bare, ours) for one in contestants]
    head = ["library", "entry", "checks", "one µs", "median", "× bare", "× ours", f"{MANY} at once µs each"]
    head += ["× bare ", "× ours "]
    note = (
        "Times are the least of the rounds, the median beside it; every library runs in its own process and"
        " takes its turn in each round. Checks on that path: v arguments against the schema, t a time limit"
        " (30 s, on where there is one), p permission or approval, j a journal on disk."
    )
    return draw("Dispatch", head, rows, f"{note}{_journal_cost(contestants)}")


def _journal_cost(contestants: list[Contestant]) -> str:
    """What the journal adds to a call, where both roads were measured."""
    ours = {one.road["entry"]: one for one in contestants if one.road["name"] == "oneclaw"}
    without, with_it = ours.get("Engine.call"), ours.get("Engine.call, journal")
    if without is None or with_it is None:
        return ""
    single, many = min(with_it.one) - min(without.one), min(with_it.many) - min(without.many)
    return f" The journal adds {single:.0f} µs to one call and {many:.0f} µs to each of {MANY} at once."


def _row(one: Contestant, bare: Contestant, ours: Contestant) -> list[str]:
    road = one.road
    marks = {"v": "validates", "t": "stops", "p": "permits", "j": "journals"}
    checks = " ".join(mark for mark, key in marks.items() if road[key]) or "–"
    single, many = min(one.one), min(one.many)
    return [
        f"{road['name']} {road['version']}",
        road["entry"],
        checks,
        f"{single:.1f}",
        f"{median(one.one):.1f}",
        f"{single / min(bare.one):.1f}",
        f"{single / min(ours.one):.1f}",
        f"{many:.1f}",
        f"{many / min(bare.many):.1f}",
        f"{many / min(ours.many):.1f}",
    ]
