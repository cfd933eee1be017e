"""Sums, units and dates: what is calculated, and what only has numbers in it."""

import pytest

from oneclaw_smollm2.sums import read_sum


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("17 * 23", "17 * 23"),
        ("What is 17 times 23?", "17 * 23"),
        ("what's 15% of 80", "15% of 80"),
        ("20% tip on $45", "20% of 45"),
        ("how much is 1250 divided by 8?", "1250 / 8"),
        ("add 12.5 and 7.25", "12.5 + 7.25"),
        ("subtract 3 from ten", "10 - 3"),
        ("square root of 144", "sqrt(144)"),
        ("calculate (3 + 4) * 12 / 5", "(3 + 4) * 12 / 5"),
        ("twelve times twelve", "12 * 12"),
        ("convert 5 miles to km", "5 miles in km"),
        ("how many minutes are in 3 days?", "3 days in minutes"),
        ("how many inches in a foot", "1 foot in inches"),
        ("20°C in F", "20 °C in °F"),
        ("how many days until Christmas?", "days until 25 december"),
        ("what date is it in 90 days", "today + 90 days"),
        ("what day is March 3rd", "weekday of march 3"),
    ],
)
def test_a_sum_is_an_expression(text: str, expression: str) -> None:
    assert read_sum(text) == expression


@pytest.mark.parametrize(
    "text",
    [
        *("add milk and eggs", "add 3 eggs to todo.txt", "if I have 3 apples and eat one how many are left"),
        *("2024-05-01", "12/05/2024", "+49 170 1234567", "555-1234", "192.168.1.1", "42", "-5", "3:30"),
        *(
            "what time is it",
            "what day is it today",
            "how many files are there",
            "read 3 files",
            "",
            "a file",
        ),
        *("what is my name", "what is the capital of France", "how many people are in 3 cars"),
    ],
)
def test_what_only_has_numbers_in_it_is_no_sum(text: str) -> None:
    assert read_sum(text) == ""
