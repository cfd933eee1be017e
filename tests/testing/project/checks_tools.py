"""Acme's tools hold the contract, and each broken twin of them fails the check that is for it."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any

import pytest
from acme_tools import heavy_work, quote_price

from oneclaw import Context, Tool, ToolDefinition, tool
from oneclaw.testing import ContractBroken, check_tool

SCHEMA = {"type": "object", "properties": {"item": {"type": "string"}}, "required": ["item"]}
EVERY = {
    *("description", "schema", "bad arguments", "examples", "result", "no exceptions", "time limit"),
    "stopped in time",
}


async def test_the_tools_hold_the_contract() -> None:
    report = await check_tool(
        quote_price,
        [{"item": "tea", "count": 2, "speed": "fast"}, {"item": "gold"}],
        bad=[{"item": "silver"}, {"item": "tea", "speed": "now"}],
        slow={"item": "tea", "speed": "slow"},
        secrets={"ACME_KEY": "acme-0123456789"},
    )
    assert set(report.checks) == EVERY
    await check_tool(heavy_work, [{"rounds": 10}], slow={"rounds": 10**12})


async def test_a_tool_of_a_shape_that_not_every_provider_takes_is_let_through_on_request() -> None:
    definition = ToolDefinition(name="odd", description="Odd.", parameters={**SCHEMA, "title": "Odd"})
    odd = Tool(definition, lambda arguments, context: "yes")
    assert "schema" in await failed(odd, [{"item": "tea"}])
    await check_tool(odd, [{"item": "tea"}], portable=False)


def by_schema(execute: Any, **more: Any) -> Tool:
    given: dict[str, Any] = {"description": "Tell a price.", "parameters": SCHEMA, "effect": "read"}
    return Tool(ToolDefinition(name="price", **{**given, **more}), execute)


def give_one(arguments: dict[str, Any], context: Context) -> float:
    return 1.0


def give_item(arguments: dict[str, Any], context: Context) -> str:
    return arguments["item"]


def give_letters(arguments: dict[str, Any], context: Context) -> list[str]:
    return sorted(arguments["item"].lower())


def give_nothing(arguments: dict[str, Any], context: Context) -> str:
    return ""


def give_object(arguments: dict[str, Any], context: Context) -> object:
    return object()


def fall_asleep(arguments: dict[str, Any], context: Context) -> str:
    time.sleep(2 if arguments == SLOW else 0)
    return "late"


async def hold_the_loop(arguments: dict[str, Any], context: Context) -> str:
    time.sleep(3.6 if arguments == SLOW else 0)
    return "late"


@tool(effect="read")
async def is_quick(item: str) -> str:
    """Tell a price at once, whatever is asked."""
    await asyncio.sleep(0)
    return item


LOOSE: Mapping[str, Any] = {"type": "object", "properties": {"item": {"type": "string"}}}
UNTYPED: Mapping[str, Any] = {**SCHEMA, "properties": {"item": {}}}
SLOW = {"item": "coffee"}
BROKEN: list[tuple[str, Tool, dict[str, Any]]] = [
    ("definition", by_schema(give_one, parameters={"type": "objekt"}), {}),
    ("description", by_schema(give_one, description=""), {}),
    ("schema", by_schema(give_one, parameters={**SCHEMA, "title": "Price"}), {}),
    ("bad arguments", by_schema(give_one), {"bad": [{"item": "silver"}]}),
    ("bad arguments", by_schema(give_one, parameters={**LOOSE, "required": []}), {"bad": [{}]}),
    ("no exceptions", by_schema(give_item, parameters=LOOSE), {}),
    ("no exceptions", by_schema(give_letters, parameters=UNTYPED), {}),
    ("no exceptions", by_schema(give_item, parameters=LOOSE, effect="write"), {"bad": [{}]}),
    ("result", by_schema(give_nothing), {}),
    ("examples", by_schema(give_object), {}),
    ("examples", by_schema(give_one, output={"type": "string"}), {}),
    ("time limit", is_quick, {"slow": SLOW}),
    ("time limit", by_schema(hold_the_loop), {"slow": SLOW}),
    ("stopped in time", by_schema(fall_asleep), {"slow": SLOW}),
]


@pytest.mark.parametrize(("check", "tool", "more"), BROKEN, ids=[each[0] for each in BROKEN])
async def test_a_broken_twin_fails_its_check(check: str, tool: Tool, more: dict[str, Any]) -> None:
    assert check in await failed(tool, [{"item": "tea"}], **more)


async def test_every_check_has_a_twin() -> None:
    assert {check for check, *_ in BROKEN} - {"definition"} == EVERY


async def test_a_tool_without_an_example_is_not_passed() -> None:
    assert await failed(quote_price, []) == {"examples"}


async def failed(tool: Tool, examples: list[dict[str, Any]], **more: Any) -> set[str]:
    with pytest.raises(ContractBroken) as caught:
        await check_tool(tool, examples, **more)
    return {problem.check for problem in caught.value.report.problems}
