"""One call, and many at once, from the model's text to the text of the result: ours beside the peers'."""

from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from contestant import Contestant, line_up
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


@dataclass(slots=True)
class Times:
    """The microseconds a call took one contestant in each round."""

    contestant: Contestant
    one: list[float] = field(default_factory=list[float])
    many: list[float] = field(default_factory=list[float])

    @property
    def road(self) -> dict[str, Any]:
        return self.contestant.said

    def round(self) -> None:
        self.one.append(self._run("one", ONE))
        self.many.append(self._run("many", MANY))

    def _run(self, what: str, count: int) -> float:
        [seconds] = self.contestant.ask(what, count)
        return seconds / count * 1e6


def measure(peers: Path | None, rounds: int) -> str:
    """Everyone once a round; the first round warms up and is thrown away."""
    with line_up(ROADS, OURS, PEERS, peers) as contestants:
        times = [Times(contestant) for contestant in contestants]
        for _ in range(rounds + 1):
            for each in times:
                each.round()
    for each in times:
        del each.one[0], each.many[0]
    return report(times)


def report(times: list[Times]) -> str:
    bare = times[0]
    ours = next((one for one in times if one.road["name"] == "oneclaw"), bare)
    rows = [_row(one, bare, ours) for one in times]
    head = ["library", "entry", "checks", "one µs", "median", "× bare", "× ours", f"{MANY} at once µs each"]
    head += ["× bare ", "× ours "]
    note = (
        "Times are the minimum of all rounds, with the median beside it. Every library runs in its own"
        " process, and the libraries take turns in each round. Checks on that path: v validates arguments"
        " against the schema, t enforces a time limit (30 s where there is one), p checks permission or"
        " approval, j writes a journal to disk."
    )
    return draw("Dispatch", head, rows, f"{note}{_journal_cost(times)}")


def _journal_cost(times: list[Times]) -> str:
    """What the journal adds to a call, where both roads were measured."""
    ours = {one.road["entry"]: one for one in times if one.road["name"] == "oneclaw"}
    without, with_it = ours.get("Engine.call"), ours.get("Engine.call, journal")
    if without is None or with_it is None:
        return ""
    single, many = min(with_it.one) - min(without.one), min(with_it.many) - min(without.many)
    return f" The journal adds {single:.0f} µs to one call and {many:.0f} µs to each of {MANY} at once."


def _row(one: Times, bare: Times, ours: Times) -> list[str]:
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
