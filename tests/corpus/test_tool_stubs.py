"""Real tools of the outside data, declared for a script."""

from tests.corpus.conftest import Judged
from tests.js.declarations import check

from oneclaw.core.tool import ToolDefinition
from oneclaw.js.stubs import declare, summarise


def test_every_real_tool_is_declared_whole(tools: tuple[ToolDefinition, ...], judged: Judged) -> None:
    for definition in tools:
        with judged(definition.name):
            text = declare([definition])
            check(text)
            assert f"  {definition.name}(" in text
            fields = definition.parameters.get("properties", {})
            assert all(name in text for name in fields if name.isidentifier())
            assert "\n" not in summarise(definition)


def test_all_real_tools_are_declared_together_each_type_once(tools: tuple[ToolDefinition, ...]) -> None:
    text = declare(tools)
    check(text)
    types = [line.split()[1] for line in text.splitlines() if line.startswith("type ")]
    assert len(types) == len(set(types))
