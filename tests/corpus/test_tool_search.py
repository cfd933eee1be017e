"""Outside questions find their tool among the first five of all outside tools."""

import pytest

from oneclaw.agent.tool_index import ToolIndex
from oneclaw.core.tool import ToolDefinition

from .conftest import Rows

pytestmark = pytest.mark.slow


def test_the_right_tool_is_among_the_first_five(rows: Rows) -> None:
    named: dict[str, ToolDefinition] = {}
    for row in rows("bfcl_functions"):
        function = row["function"]
        if function["name"] not in named:
            named[function["name"]] = ToolDefinition(
                name=f"tool_{len(named)}",
                label=str(function["name"]),
                description=str(function["description"]),
                parameters=function["parameters"],
            )
    by_name = {made.name: real for real, made in named.items()}
    index = ToolIndex(named.values())
    hits = wanted = 0
    for row in rows("bfcl_calls"):
        turns = [message for turn in row["question"] for message in turn]
        text = " ".join(message["content"] for message in turns if message["role"] == "user")
        found = {by_name[one.name] for one in index.search(text, 5)}
        names = {name for call in row["expected"] for name in call} & set(named)
        wanted += len(names)
        hits += len(names & found)
    print(f"The right tool is among the first five: {hits} of {wanted}, {len(named)} tools.")
    assert hits * 2 >= wanted
