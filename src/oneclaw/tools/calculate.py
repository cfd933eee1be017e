"""calculate: exact arithmetic with percentages, units, dates and times."""

from datetime import datetime
from typing import TYPE_CHECKING

from oneclaw.core.define.function import tool
from oneclaw.core.errors import invalid

if TYPE_CHECKING:
    from oneclaw.calc.number import InvalidExpression

_SHOWN_CHARS = 40


@tool(effect="read", seconds=5, group="math", isolation="thread", label="Calculate")
def calculate(expression: str) -> str:
    """Calculate an expression exactly: arithmetic, percentages, units, dates and times.

    Examples: '(2 + 3)^4 / 7', 'sqrt(2)', '15% of 80', '80 + 15%', '5 miles in km', '20 °C in °F',
    '60 km/h * 90 min', '3 h 20 min + 50 min', '2026-11-18 + 90 days', 'days between 2026-01-01 and today'.

    expression: The expression to calculate.
    """
    from oneclaw.calc.number import InvalidExpression  # here: a program that calculates nothing does without
    from oneclaw.calc.parser import calculate as work_out

    try:
        return work_out(expression, datetime.now())
    except InvalidExpression as error:
        raise invalid(_explain(expression, error)) from None


def _explain(expression: str, error: "InvalidExpression") -> str:
    said = str(error)
    said = said[0].upper() + said[1:]
    if not error.at:
        return f"{said}."
    rest = expression[error.at - 1 : error.at - 1 + _SHOWN_CHARS]
    where = f"before {rest!r}" if rest else "the end"
    return f"{said} (character {error.at:,}, {where})."
