"""lib.stats: the figures Python's statistics gives."""

import math
import random
import statistics
from typing import Any

import pytest
from tests.js.conftest import Evaluate, outcomes


async def test_figures_are_those_of_python(evaluate: Evaluate) -> None:
    chance = random.Random(3)
    lists = [[chance.uniform(-1e6, 1e6) for _ in range(chance.randrange(2, 60))] for _ in range(50)]
    lists += [[float(chance.randrange(5)) for _ in range(30)], [1e16, 1.0, -1e16], [0.1] * 10]
    told = await evaluate(
        """
        const { stats } = lib;
        return p.lists.map((list) => [stats.sum(list), stats.mean(list), stats.median(list),
            stats.variance(list),
            stats.deviation(list, { population: true }), stats.quantile(list, 0.1), stats.min(list),
                stats.max(list)]);
        """,
        {"lists": lists},
    )
    for numbers, row in zip(lists, told, strict=True):
        expected = [
            math.fsum(numbers),
            statistics.fmean(numbers),
            statistics.median(numbers),
            statistics.variance(numbers),
            statistics.pstdev(numbers),
            statistics.quantiles(numbers, n=10, method="inclusive")[0],
            min(numbers),
            max(numbers),
        ]
        assert row == pytest.approx(expected, rel=1e-9, abs=1e-9), numbers


async def test_two_lists_are_compared(evaluate: Evaluate) -> None:
    xs, ys = [1, 2, 3, 4, 7], [2.1, 3.9, 6.2, 8.0, 13.5]
    told = await evaluate(
        """
        return [lib.stats.correlation(p.xs, p.ys), lib.stats.regression(p.xs, p.ys),
                lib.stats.correlation([1, 2], [3, 3]), lib.stats.regression([1, 2], [3, 3])];
        """,
        {"xs": xs, "ys": ys},
    )
    slope, intercept = statistics.linear_regression(xs, ys)
    r = statistics.correlation(xs, ys)
    assert told[0] == pytest.approx(r)
    assert told[1] == pytest.approx({"slope": slope, "intercept": intercept, "r2": r * r})
    assert told[2:] == [None, {"slope": 0, "intercept": 3, "r2": 1}]


async def test_modes_histograms_and_the_whole_picture(evaluate: Evaluate) -> None:
    told = await evaluate("""
        return [lib.stats.mode([3, 1, 3, 1, 2]), lib.stats.mode([1, 2]), lib.stats.mode([5]),
                lib.stats.histogram([0, 1, 2, 3, 4], 2), lib.stats.histogram([7, 7]), lib.stats.describe([4,
                    1, 3, 2]),
                lib.stats.describe([5]), lib.stats.sum([]), lib.stats.sum(new Float32Array([1, 2]))];
    """)
    picture: dict[str, Any] = {"count": 4, "sum": 10, "mean": 2.5, "median": 2.5, "min": 1, "max": 4}
    assert told[:5] == [
        [1, 3],
        [],
        [5],
        [{"from": 0, "to": 2, "count": 2}, {"from": 2, "to": 4, "count": 3}],
        [{"from": 7, "to": 7, "count": 2}],
    ]
    assert told[5] == {**picture, "deviation": pytest.approx(1.2909944), "q1": 1.75, "q3": 3.25}
    assert told[6]["deviation"] is None
    assert told[7:] == [0, 3]


async def test_the_order_of_the_numbers_does_not_change_their_sum(evaluate: Evaluate) -> None:
    assert await evaluate(
        "return [lib.stats.sum([1, 1e100, 1, -1e100]), lib.stats.sum(Array(10).fill(0.1))]"
    ) == [2, 1]


WRONG: list[tuple[str, str]] = [
    ("mean([])", "RangeError: This needs at least 1 number; there are 0."),
    ("variance([1])", "RangeError: This needs at least 2 numbers; there is 1."),
    ("mean([1, '2'])", 'TypeError: Value 2 is not a finite number: "2".'),
    ("sum([1, NaN])", "TypeError: Value 2 is not a finite number: NaN."),
    ("sum('12')", "TypeError: lib.stats needs a list of numbers."),
    ("sum(null)", "TypeError: lib.stats needs a list of numbers."),
    ("quantile([1], 50)", "RangeError: A quantile is from 0 to 1."),
    ("correlation([1, 2], [1])", "at least 2 numbers"),
    (
        "correlation([1, 2], [1, 2, 3])",
        "RangeError: Both lists must be equally long; they have 2 and 3 numbers.",
    ),
    ("regression([1, 1], [1, 2])", "RangeError: A line needs points with different x."),
    ("histogram([1, 2], 0)", "RangeError: A histogram has 1 to 1,000 bins."),
]


async def test_what_has_no_figure_is_named(evaluate: Evaluate) -> None:
    told = await outcomes(evaluate, [f"lib.stats.{call}" for call, _ in WRONG])
    for (call, expected), outcome in zip(WRONG, told, strict=True):
        assert expected in str(outcome), (call, outcome)
