"""lib.dates: reckoning with dates as Python's calendar does it."""

import calendar
import random
from datetime import date, timedelta
from typing import Any

from tests.js.conftest import Evaluate, outcomes

RECKONED: list[tuple[str, Any]] = [
    ("add('2026-01-31', { months: 1 })", "2026-02-28"),
    ("add('2024-01-31', { months: 1 })", "2024-02-29"),
    ("add('2024-02-29', { years: 1, days: 1 })", "2025-03-01"),
    ("subtract('2026-03-31', 'P1M')", "2026-02-28"),
    ("add('2026-12-31', 'P1Y2M3W4D')", "2028-03-25"),
    ("add('2026-11-16T23:30:00+02:00', { minutes: 45 })", "2026-11-17T00:15:00+02:00"),
    ("add('2026-11-16T23:30Z', 'PT1.5S')", "2026-11-16T23:30:01.500Z"),
    ("add('2026-11-16T23:30:00', { hours: 1 })", "2026-11-17T00:30:00"),
    ("add('2026-11-16', { hours: 25 })", "2026-11-17T01:00:00"),
    ("add('0001-01-01', { days: 365 })", "0002-01-01"),
    ("add('2026-11-16', '-P1D')", "2026-11-15"),
    ("between('2026-01-01', '2026-12-31')", 364),
    ("between('2026-12-31', '2026-01-01', 'day')", -364),
    ("between('2026-01-31', '2026-02-28', 'months')", 1),
    ("between('2026-02-28', '2026-01-31', 'months')", 0),
    ("between('2000-05-20', '2026-05-19', 'years')", 25),
    ("between('2026-05-20', '2000-05-20', 'years')", -26),
    ("between('2026-01-01T00:00:00+02:00', '2026-01-01T00:00:00Z', 'hours')", 2),
    ("compare('2026-01-01T00:00:00+02:00', '2025-12-31T22:00:00Z')", 0),
    ("compare('2026-01-01', '2025-12-31')", 1),
    ("weekday('2026-11-16')", {"number": 1, "name": "Monday"}),
    ("week('2027-01-01')", {"year": 2026, "week": 53}),
    ("week('2024-12-30')", {"year": 2025, "week": 1}),
    ("dayOfYear('2024-12-31')", 366),
    ("startOf('2026-11-18', 'week')", "2026-11-16"),
    ("endOf('2026-11-18', 'week')", "2026-11-22"),
    ("endOf('2024-02-10', 'month')", "2024-02-29"),
    ("endOf('2026-11-18T10:00:00Z', 'day')", "2026-11-18T23:59:59.999Z"),
    ("startOf('2026-11-18T10:00:00+05:30', 'year')", "2026-01-01T00:00:00+05:30"),
    (
        "range('2026-01-31', '2026-04-30', 'P1M')",
        ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30"],
    ),
    ("range('2026-01-03', '2026-01-01', { days: -1 })", ["2026-01-03", "2026-01-02", "2026-01-01"]),
    ("range('2026-01-03', '2026-01-01')", []),
    ("daysInMonth(2100, 2)", 28),
    ("isLeapYear(2000)", True),
    ("isValid('2026-02-29')", False),
    ("isValid('2026-02-28 10:00')", True),
    ("isValid(7)", False),
    ("parts('2026-11-16')", {"year": 2026, "month": 11, "day": 16}),
    ("add(new Date(0), { days: 1 })", "1970-01-02T00:00:00Z"),
]


async def test_dates_are_reckoned(evaluate: Evaluate) -> None:
    told = await outcomes(evaluate, [f"lib.dates.{call}" for call, _ in RECKONED])
    for (call, expected), outcome in zip(RECKONED, told, strict=True):
        assert outcome == expected, call


WRONG: list[tuple[str, str]] = [
    (
        "add('16.11.2026', { days: 1 })",
        "RangeError: Not a date in ISO 8601: 16.11.2026; write it as 2026-02-28",
    ),
    ("add('2026-13-01', {})", "RangeError: There is no such date or time: 2026-13-01."),
    ("add('2026-02-30', {})", "RangeError: There is no such date or time: 2026-02-30."),
    ("add('2026-01-01T24:01:00Z', {})", "There is no such date or time"),
    (
        "add('2026-01-01', { fortnights: 1 })",
        "RangeError: There is no unit fortnights; use years, months",
    ),
    (
        "add('2026-01-01', { days: 1.5 })",
        "TypeError: The number of days must be a whole number, not 1.5.",
    ),
    ("add('2026-01-01', 3)", "TypeError: An amount of time is an object as { days: 3 }"),
    ("add('2026-01-01', 'P')", "RangeError: Not a duration in ISO 8601: P"),
    ("add('2026-01-01', 'P1DT')", "RangeError: Not a duration in ISO 8601: P1DT"),
    ("add('2026-01-01', { years: 300000 })", "RangeError: The date is too far away."),
    ("between('2026-01-01', '2026-01-02', 'moons')", "RangeError: There is no unit moons"),
    ("startOf('2026-01-01', 'hour')", "RangeError: Use one of year, month, week and day, not hour."),
    ("range('2026-01-01', '2026-01-02', { days: 0 })", "RangeError: The step of a range must not be 0."),
    ("range('0001-01-01', '2026-01-02')", "RangeError: A range has at most 10,000 dates."),
]


async def test_what_is_no_date_or_amount_is_named(evaluate: Evaluate) -> None:
    told = await outcomes(evaluate, [f"lib.dates.{call}" for call, _ in WRONG])
    for (call, expected), outcome in zip(WRONG, told, strict=True):
        assert expected in str(outcome), (call, outcome)


def plus_months(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


async def test_any_dates_are_reckoned_as_python_does(evaluate: Evaluate) -> None:
    chance = random.Random(11)
    cases = [
        (date.fromordinal(chance.randrange(40_000, 3_000_000)), chance.randrange(-999, 999))
        for _ in range(500)
    ]
    told = await evaluate(
        """
        const { dates } = lib;
        return p.cases.map(([day, count]) => [dates.add(day, { days: count }), dates.add(day,
            { months: count }),
            dates.week(day), dates.weekday(day).number, dates.dayOfYear(day),
            dates.between(day, dates.add(day, { days: count }))]);
        """,
        {"cases": [[day.isoformat(), count] for day, count in cases]},
    )
    for (day, count), row in zip(cases, told, strict=True):
        year, week, weekday = day.isocalendar()
        assert row == [
            (day + timedelta(days=count)).isoformat(),
            plus_months(day, count).isoformat(),
            {"year": year, "week": week},
            weekday,
            day.timetuple().tm_yday,
            count,
        ]
