"""The loop with a model that plays a script, in few rounds and many: ours beside the peers'."""

from dataclasses import dataclass, field
from pathlib import Path

from contestant import Contestant, line_up
from table import draw

LOOPS = Path(__file__).parent / "loops"
OURS = [["ours.py", "memory"], ["ours.py", "stored"]]
PEERS = [
    ["peer_pydantic_ai.py"],
    ["peer_openai_agents.py"],
    ["peer_langgraph.py", "graph"],
    ["peer_langgraph.py", "ready"],
]

Point = tuple[int, int]
SHORT, MIDDLE, LONG = (10, 1), (100, 1), (1000, 1)
POINTS: list[Point] = [SHORT, (10, 10), MIDDLE, LONG, (1, 500)]
"""Rounds, and calls in each."""
REPEATS = {SHORT: 5}
"""How often a point is run in a race, where it is so short that one run says little."""
SPENT_SECONDS = 5.0
"""A point that has taken one contestant so long in all is not run again by it."""
MOST_SECONDS = 150.0
"""A point that would take one contestant longer is left out."""


@dataclass(slots=True)
class Times:
    """The seconds each point took one contestant: by the clock, of the processor."""

    contestant: Contestant
    took: dict[Point, list[float]] = field(default_factory=dict[Point, list[float]])
    worked: dict[Point, list[float]] = field(default_factory=dict[Point, list[float]])

    @property
    def name(self) -> str:
        said = self.contestant.said
        name, _, entry = said["name"].partition(", ")
        return ", ".join(filter(None, [f"{name} {said['version']}", entry]))

    def race(self, point: Point) -> None:
        for _ in range(REPEATS.get(point, 1)):
            if self._has_time(point):
                took, worked = self.contestant.ask(*point)
                self.took.setdefault(point, []).append(took)
                self.worked.setdefault(point, []).append(worked)

    def _has_time(self, point: Point) -> bool:
        if sum(self.took.get(point, ())) >= SPENT_SECONDS:
            return False
        # Where every round goes through the whole history, ten times the rounds take a hundred times as long.
        return point != LONG or 100 * min(self.took[MIDDLE]) <= MOST_SECONDS


def measure(peers: Path | None, rounds: int) -> str:
    """Everyone at every point once a round, so that a busy minute falls on all of them."""
    with line_up(LOOPS, OURS, PEERS, peers) as contestants:
        times = [Times(contestant) for contestant in contestants]
        for _ in range(rounds):
            for point in POINTS:
                for each in times:
                    each.race(point)
    return report(times)


def report(times: list[Times]) -> str:
    names = [f"{rounds:,}×{calls}" for rounds, calls in POINTS]
    note = (
        "Columns: rounds × calls in each round. Values: microseconds per call, minimum of the runs. Every"
        " library runs the same tool with the same calls, in its own loop, with its own checks and in its own"
        " process; the libraries take turns. The agent and the answers of its model are prepared before the"
        " measurement. Both rows of OneClaw are the same run of an app, with its checks, its numbered events"
        ' and one reader of them. "In memory" has a store that keeps nothing and writes nothing to disk, like'
        ' the other libraries; "stored" writes the session and the journal, each message and call before the'
        " next step. A value that would take more than"
        f" {MOST_SECONDS:.0f} s is left out (–)."
    )
    clock = draw("The loop", ["library", *names], [_times(one) for one in times], note)
    note = (
        "The same runs in processor time, which does not include waiting. Values are multiples of OneClaw in"
        " memory. The last column compares one of 1,000 rounds with one of 10."
    )
    rows = [_ratios(one, times[0]) for one in times]
    return f"{clock}\n{draw('The loop, beside ours', ['library', *names, '1,000 ÷ 10 rounds'], rows, note)}"


def _times(one: Times) -> list[str]:
    return [one.name, *(_figure(_each(one.took, point), 0) for point in POINTS)]


def _ratios(one: Times, ours: Times) -> list[str]:
    ratios = [_divide(_each(one.worked, point), _each(ours.worked, point)) for point in POINTS]
    growth = _divide(_each(one.worked, LONG), _each(one.worked, SHORT))
    return [one.name, *(_figure(ratio, 1) for ratio in ratios), _figure(growth, 2)]


def _each(seconds: dict[Point, list[float]], point: Point) -> float | None:
    """Microseconds for each call."""
    return min(seconds[point]) / (point[0] * point[1]) * 1e6 if point in seconds else None


def _divide(one: float | None, other: float | None) -> float | None:
    return None if one is None or not other else one / other


def _figure(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:,.{digits}f}"
