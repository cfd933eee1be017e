"""Any expression: what Python's own fractions and dates say, or one clear error; never anything else."""

import re
from datetime import date, datetime, timedelta
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from oneclaw.calc.number import InvalidExpression
from oneclaw.calc.parser import calculate

TODAY = date(2026, 11, 18)
SIGNS = st.sampled_from("+-*/")
PIECES = st.sampled_from(
    [
        *(
            "0",
            "1",
            "2.5",
            "1,000",
            "1e3",
            "999",
            "_",
            ".",
            "+",
            "-",
            "*",
            "/",
            "^",
            "(",
            ")",
            "²",
            ",",
            "mod",
        ),
        *("%", "of", "in", "to", "as", "per", "and", "between", "until", "how", "many", "square", "root"),
        "x",
        *("km", "m", "kg", "h", "min", "°C", "°F", "days", "month", "2026-11-18", "today", "million", "pi"),
        *("sqrt(", "max(", "?", "=", "\0", "é"),
    ]
)


@st.composite
def trees(draw: st.DrawFn, depth: int = 0) -> tuple[str, Fraction]:
    """An expression and its value, as Python's fractions have it."""
    if depth > 4 or draw(st.booleans()):
        digits, places = draw(st.integers(0, 10**6)), draw(st.integers(0, 4))
        value = Fraction(digits, 10**places)
        return (f"{digits / 10**places:.{places}f}", value)
    (left, one), (right, other) = draw(trees(depth + 1)), draw(trees(depth + 1))
    sign = draw(SIGNS)
    if sign == "/" and not other:
        sign = "+"
    results = {"+": one + other, "-": one - other, "*": one * other}
    return f"({left} {sign} {right})", results[sign] if sign in results else one / other


@given(trees())
def test_arithmetic_is_that_of_fractions(tree: tuple[str, Fraction]) -> None:
    expression, value = tree
    written = calculate(f"({expression}) * {value.denominator}", TODAY)
    assert Fraction(written) == value.numerator


@given(trees(), trees())
def test_precedence_is_that_of_python(one: tuple[str, Fraction], other: tuple[str, Fraction]) -> None:
    text = f"1 + {one[0]} * {other[0]} - 2"
    expected = 1 + one[1] * other[1] - 2
    assert Fraction(calculate(f"({text}) * {expected.denominator}", TODAY)) == expected.numerator


DATES = st.dates(date(1900, 1, 1), date(2200, 1, 1))


@given(DATES, st.integers(-50_000, 50_000))
def test_days_are_added_as_python_adds_them(day: date, count: int) -> None:
    sign = "+" if count >= 0 else "-"
    written = calculate(f"{day} {sign} {abs(count)} days", TODAY)
    assert written.startswith(str(day + timedelta(days=count)))


@given(DATES, DATES)
def test_the_days_between_two_dates_are_those_python_counts(first: date, second: date) -> None:
    count = (second - first).days
    assert calculate(f"days between {first} and {second}", TODAY) == f"{count} day{'s' * (abs(count) != 1)}"
    assert calculate(f"{first} + ({second} - {first})", TODAY).startswith(str(second))


@given(st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1)), st.integers(0, 10**7))
def test_minutes_are_added_as_python_adds_them(moment: datetime, minutes: int) -> None:
    moment = moment.replace(second=0, microsecond=0)
    written = calculate(f"{moment:%Y-%m-%d %H:%M} + {minutes} min", TODAY)
    assert written.startswith(f"{moment + timedelta(minutes=minutes):%Y-%m-%d %H:%M}")


UNITS = st.sampled_from(
    [("m", "ft"), ("km", "miles"), ("kg", "lb"), ("L", "gal"), ("GB", "MiB"), ("°C", "°F"), ("h", "days")]
)


@given(st.integers(-(10**6), 10**6), UNITS)
def test_a_quantity_comes_back_from_another_unit_as_it_was(amount: int, units: tuple[str, str]) -> None:
    one, other = units
    back = calculate(f"{amount} {one} in {other} in {one}", TODAY)
    assert re.match(r"-?\d+", back)[0] == str(amount)  # pyright: ignore[reportOptionalSubscript]


@given(st.lists(PIECES, max_size=40).map(" ".join) | st.text(max_size=80))
def test_whatever_is_written_gives_a_short_text_or_one_error_with_its_place(expression: str) -> None:
    try:
        said, at = calculate(expression, TODAY), 1
    except InvalidExpression as error:
        said, at = str(error), error.at
    assert 0 < len(said) <= 1_100
    assert "\n" not in said
    assert 0 <= at <= len(expression) + 1
