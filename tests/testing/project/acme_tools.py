"""Acme's tools."""

import asyncio
from dataclasses import dataclass
from typing import Literal

from oneclaw import Context, Kind, ToolError, tool

PRICES = {"tea": 2.5, "gold": 60_000.0}


@dataclass
class Quote:
    """A price.

    item: What is sold.
    total: What it costs.
    """

    item: str
    total: float


@tool(effect="read", secrets="ACME_KEY")
async def quote_price(
    item: str, context: Context, count: int = 1, speed: Literal["fast", "slow"] = "fast"
) -> Quote:
    """Quote a price.

    item: What is bought.
    count: How many.
    speed: How soon it is needed.
    """
    assert context.secrets["ACME_KEY"]
    if speed == "slow":
        await asyncio.sleep(60)
    if item not in PRICES:
        raise ToolError(f"There is no item {item!r}; use one of {', '.join(PRICES)}.", Kind.VALIDATION_ERROR)
    return Quote(item, PRICES[item] * count)


@tool(effect="read", isolation="process", needs="shell")
def heavy_work(rounds: int) -> int:
    """Count to a number, slowly.

    rounds: How far.
    """
    total = 0
    for number in range(rounds):
        total += number
    return total
