"""Dates and times: adds durations to them and computes the time between them."""

import re
from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from fractions import Fraction

from oneclaw.calc.number import InvalidExpression
from oneclaw.calc.quantity import Quantity, plain, with_units
from oneclaw.calc.unit import TIME, YEAR_SECONDS, find_units

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMES = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september", "october"),
    *("november", "december"),
)
_DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class Moment:
    """A day or, where `has_time`, a moment of it; without a time zone."""

    time: datetime
    has_time: bool = False


def month_of(word: str) -> int:
    """The number of a month by its name or the beginning of it; 0 for any other word."""
    word = word.lower()
    is_name = word in _NAMES or word in MONTHS or word == "sept"
    return MONTHS.index(word[:3]) + 1 if is_name else 0


def make_moment(year: int, month: int, day: int, *clock: int) -> Moment:
    hour, minute, second = (*clock, 0, 0, 0)[:3]
    try:
        return Moment(datetime(year, month, day, hour, minute, second), bool(clock))
    except ValueError:
        raise InvalidExpression(f"there is no day {year:04}-{month:02}-{day:02}, or no such time") from None


def read_moment(text: str) -> Moment:
    """The moment of `2026-11-18`, `2026-11-18 14:30` or `18.11.2026`."""
    parts = [int(part) for part in re.split(r"[-.:T ]", text)]
    if "." in text:
        parts[:3] = parts[2::-1]
    return make_moment(*parts)


def shift(moment: Moment, time: Quantity, sign: int) -> Moment:
    """The moment so much later or, with the sign -1, earlier. Months and years follow the calendar."""
    if time.dimension != TIME:
        raise InvalidExpression("only a time, such as 90 days, can be added to a date or subtracted from it")
    is_calendar = any(unit.months for unit, _ in time.units)
    if is_calendar and not time.months and time.value:
        raise InvalidExpression("a part of a month or year cannot be added to a date; say it in days")
    seconds = time.value - time.months * YEAR_SECONDS / 12
    total = moment.time.year * 12 + moment.time.month - 1 + sign * time.months
    year, month = divmod(total, 12)
    try:
        last = monthrange(year, month + 1)[1]
        moved = moment.time.replace(year=year, month=month + 1, day=min(moment.time.day, last))
        days, rest = divmod(sign * seconds, _DAY_SECONDS)
        moved += timedelta(days=days, seconds=float(rest))
    except (ValueError, OverflowError):
        raise InvalidExpression("the date lies outside of the years 1 to 9999") from None
    return Moment(moved, moment.has_time or bool(seconds % _DAY_SECONDS))


def between(first: Moment, second: Moment) -> Quantity:
    """The time from the first to the second."""
    passed = second.time - first.time
    seconds = Fraction(passed.days * _DAY_SECONDS + passed.seconds)
    made = with_units(plain(seconds / _DAY_SECONDS), find_units("days"))
    return replace(made, is_mixed=bool(seconds % _DAY_SECONDS))


def describe_moment(moment: Moment) -> str:
    """`2027-02-16 (Tuesday)`."""
    form = "%Y-%m-%d %H:%M" if moment.has_time else "%Y-%m-%d"
    if moment.has_time and moment.time.second:
        form += ":%S"
    return f"{moment.time.strftime(form).rjust(10, '0')} ({moment.time:%A})"
