"""Expressions: what people write, what comes out, and where each mistake is."""

from datetime import date, datetime

import pytest

from oneclaw.calc.number import InvalidExpression
from oneclaw.calc.parser import calculate

TODAY = date(2026, 11, 18)


def result(expression: str) -> str:
    return calculate(expression, TODAY)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("17 * 23", "391"),
        ("17 x 23 =", "391"),
        ("17 × 23 ÷ 17", "23"),
        ("What is 17 times 23?", "391"),
        ("100 divided by 8", "12.5"),
        ("0.1 + 0.2", "0.3"),
        ("1,000 + 2,500.50", "3500.5"),
        ("1_000 * 1e3", "1000000"),
        (".5 + 1.", "1.5"),
        ("2 + 3 * 4 ^ 2 - 1", "49"),
        ("(2 + 3) * (4 - 1)", "15"),
        ("2(3 + 4)", "14"),
        ("-2^2", "-4"),
        ("2^-2", "0.25"),
        ("2^3^2", "512"),
        ("2**10", "1024"),
        ("5²", "25"),
        ("5 squared + 2 cubed", "33"),
        ("2 to the power of 8", "256"),
        ("17 mod 5", "2"),
        ("-7 mod 3", "2"),
        ("1/3", "≈ 0.333333333333333 (1/3)"),
        ("1/3 * 3", "1"),
        ("2/3 + 1/3", "1"),
        ("5 million / 2 thousand", "2500"),
        ("3 dozen", "36"),
        ("2^1000 mod 7", "2"),
    ],
)
def test_arithmetic_is_exact(expression: str, expected: str) -> None:
    assert result(expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("sqrt(144)", "12"),
        ("√144", "12"),
        ("square root of 2.25", "1.5"),
        ("sqrt(2)", "≈ 1.4142135623731"),
        ("sqrt(2)^2", "≈ 2"),
        ("cbrt(-27)", "-3"),
        ("cube root of 64", "4"),
        ("root(32, 5)", "2"),
        ("8^(2/3)", "4"),
        ("abs(-3.5)", "3.5"),
        ("round(2.5)", "3"),
        ("round(-2.5)", "-3"),
        ("round(2/3, 2)", "0.67"),
        ("floor(-1.5) + ceil(1.2)", "0"),
        ("max(1,200)", "200"),
        ("min(3, 2.5, 4)", "2.5"),
        ("sum(1, 2, 3)", "6"),
        ("average(1, 2, 3, 4)", "2.5"),
        ("2 pi", "≈ 6.28318530717959"),
        ("sqrt(9 m^2)", "3 m"),
    ],
)
def test_roots_and_functions(expression: str, expected: str) -> None:
    assert result(expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("15% of 80", "12"),
        ("what is 15 percent of 80", "12"),
        ("80 + 15%", "92"),
        ("80 - 10%", "72"),
        ("200 + 10% - 10%", "198"),
        ("80 * 15%", "12"),
        ("10% + 5%", "15%"),
        ("20 as % of 80", "25%"),
        ("0.125 in %", "12.5%"),
        ("3 km as percent of 12 km", "25%"),
        ("50% of 5 km", "2.5 km"),
    ],
)
def test_percentages(expression: str, expected: str) -> None:
    assert result(expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("5 miles in km", "8.04672 km"),
        ("convert 5 miles to km", "8.04672 km"),
        ("how many km are in 5 miles?", "8.04672 km"),
        ("5 ft 11 in in cm", "180.34 cm"),
        ("5 in to cm", "12.7 cm"),
        ("5 ft 11 in + 2 in", "73 in"),
        ("1 acre in m²", "4046.8564224 m^2"),
        ("2 m * 3 m", "6 m^2"),
        ("2 m * 3 m * 4 m in liters", "24000 L"),
        ("9 square feet in square yards", "1 yd^2"),
        ("1 cup in ml", "236.5882365 mL"),
        ("1 lb in g", "453.59237 g"),
        ("2 kg + 500 g", "2.5 kg"),
        ("1000 g - 1 kg", "0 g"),
        ("1 GiB in MB", "1073.741824 MB"),
        ("100 Mbps in MB/s", "12.5 MB/s"),
        ("60 mph in km/h", "96.56064 km/h"),
        ("60 miles per hour * 2 h", "120 mi"),
        ("100 km / 8 L", "12.5 km/L"),
        ("20 knots in mph", "≈ 23.0155889604709 mph"),
        ("20 °C in °F", "68°F"),
        ("212 F in C", "100°C"),
        ("0 kelvin in celsius", "-273.15°C"),
        ("20 degrees celsius in kelvin", "293.15 K"),
        ("20 °C + 5 °C", "25°C"),
        ("6 km / 2 km", "3"),
        ("-40 °C in °F", "-40°F"),
        ("(2 + 3) km in m", "5000 m"),
        ("1 nautical mile in m", "1852 m"),
    ],
)
def test_units(expression: str, expected: str) -> None:
    assert result(expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("3 h 20 min + 50 min", "4 h 10 min"),
        ("1 h - 20 min", "40 min"),
        ("90 min + 30 min", "120 min"),
        ("2 hours and 30 minutes in min", "150 min"),
        ("2 days 3 hours in minutes", "3060 min"),
        ("1 week in days", "7 days"),
        ("20 min - 1 h 20 min", "-1 h"),
        ("1 year in days", "365.2425 days"),
        ("days between 2026-01-01 and 2026-03-01", "59 days"),
        ("how many weeks between 2026-01-01 and 2026-03-01?", "≈ 8.42857142857143 weeks (59 days)"),
        ("from 2026-03-01 to 2026-01-01", "-59 days"),
        ("2026-11-18 + 90 days", "2027-02-16 (Tuesday)"),
        ("90 days + 2026-11-18", "2027-02-16 (Tuesday)"),
        ("2026-01-31 + 1 month", "2026-02-28 (Saturday)"),
        ("2024-02-29 + 1 year", "2025-02-28 (Friday)"),
        ("2026-01-31 + 1 month - 1 day", "2026-02-27 (Friday)"),
        ("2026-11-18 - 2026-01-01", "321 days"),
        ("2026-11-18 14:30 + 3 h 45 min", "2026-11-18 18:15 (Wednesday)"),
        ("2026-11-18 14:30 - 2026-11-17 13:00", "1 day 1 h 30 min"),
        ("18 November 2026 + 2 weeks", "2026-12-02 (Wednesday)"),
        ("Nov 18, 2026 - 1 year", "2025-11-18 (Tuesday)"),
        ("18.11.2026 + 1 day", "2026-11-19 (Thursday)"),
        ("days until 25 December", "37 days"),
        ("days since 2026-01-01", "321 days"),
        ("weekday of 2026-11-18", "Wednesday"),
        ("tomorrow + 1 week", "2026-11-26 (Thursday)"),
        ("today - yesterday", "1 day"),
        ("0999-12-31 + 1 day", "1000-01-01 (Wednesday)"),
    ],
)
def test_times_and_dates(expression: str, expected: str) -> None:
    assert result(expression) == expected


@pytest.mark.parametrize(
    ("expression", "at", "message"),
    [
        ("", 1, "the expression ends where a number is expected"),
        ("5 +", 4, "the expression ends where a number is expected"),
        ("2 * (3 + 4", 5, "the bracket that opens here is not closed"),
        ("2 + 3)", 6, "')' is not expected here"),
        ("5 $ 3", 3, "'$' is not expected here"),
        ("3 + hello", 5, "'hello' is not understood here"),
        ("10 % 3", 6, "'3' is not expected here; write mod for the rest of a division"),
        ("1 + 2 / 0", 7, "nothing can be divided by 0"),
        ("0 ^ -1", 3, "0 has no negative power"),
        ("sqrt(-4)", 1, "a negative number has no such root"),
        ("sqrt 4", 6, "( is expected after sqrt"),
        ("root(8, 3, 2)", 1, "the function takes 2 values, not 3"),
        ("3,5 + 1", 1, "the comma is unclear: write 3.5 for a decimal, 1,000 for a thousand"),
        ("1.2.3", 1, "a number has two points"),
        ("5 km + 3 kg", 6, "a mass cannot be added to a length"),
        ("5 km in kg", 9, "a length cannot be converted to a mass"),
        ("5 km in parsecs", 9, "'parsecs' is no unit that is known"),
        ("20 °C * 2", 7, "a temperature cannot be multiplied or divided; convert it first"),
        ("2026-02-30 + 1 day", 1, "there is no day 2026-02-30, or no such time"),
        ("2026-01-01 + 2026-01-02", 12, "two dates cannot be added; subtract them"),
        ("2026-01-01 + 5", 12, "only a time, such as 90 days, can be added to a date"),
        (
            "2026-01-01 + 0.5 months",
            12,
            "a part of a month or year cannot be added to a date; say it in days",
        ),
        ("9999-12-31 + 1 day", 12, "the date lies outside of the years 1 to 9999"),
        ("days between 2026-01-01", 24, "'and' and a second date are expected"),
        ("how many 5", 10, "a unit is expected after how many"),
        ("2 ^ 100000", 3, "the exponent is larger than 10,000"),
        ("9^9^9", 2, "the exponent is larger than 10,000"),
        ("99^9999", 3, "the power is too large"),
        ("2^9000 * 2^9000 * 2^9000", 17, "a number becomes too large"),
        ("1e9999", 1, "a number becomes too large"),
        ("2^9000", 7, "the result has more than 1,000 digits"),
        ("1" * 501, 1, "a number has 501 digits; at most 500 are read"),
        ("(" * 60, 51, "brackets are nested deeper than 50"),
        ("-" * 60 + "1", 51, "brackets are nested deeper than 50"),
        ("1" + "+1" * 500, 0, "the expression has 1,001 characters; at most 1,000 are read"),
    ],
)
def test_a_mistake_is_named_with_its_place(expression: str, at: int, message: str) -> None:
    with pytest.raises(InvalidExpression) as caught:
        result(expression)
    assert str(caught.value).startswith(message)
    assert caught.value.at == at


def test_now_is_this_very_minute() -> None:
    moment = datetime(2026, 11, 18, 12, 34, 56)
    assert calculate("now + 3 hours", moment) == "2026-11-18 15:34 (Wednesday)"
    assert calculate("today + 1 day", moment) == "2026-11-19 (Thursday)"


@pytest.mark.parametrize("expression", ["5!", "2 + 3!", "(1 + 2)!"])
def test_a_factorial_is_refused_and_not_taken_for_the_end_of_a_sentence(expression: str) -> None:
    assert calculate("2 + 3 !", TODAY) == "5"
    with pytest.raises(InvalidExpression, match="'!' is not expected"):
        calculate(expression, TODAY)
