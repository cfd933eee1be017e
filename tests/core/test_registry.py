"""The registry: names, duplicates, and what may be registered."""

from typing import Any

import pytest

from oneclaw.core.define.function import tool
from oneclaw.core.errors import DuplicateTool, InvalidName, InvalidSchema, InvalidTool, NotFound
from oneclaw.core.permit.policy import Policy, Rules
from oneclaw.core.registry import Registry, nearest
from oneclaw.core.tool import Tool, ToolDefinition


@tool(group="maths")
async def add(a: int, b: int) -> int:
    """Add."""
    return a + b


@pytest.mark.covers("RFC004-GO-02", "RFC004-UT-01a")
def test_a_tool_is_found_by_name_and_group() -> None:
    registry = Registry([add])
    entry = registry.find("add")
    assert entry is not None
    assert entry.tool.name == "add"
    assert [one.name for one in registry.group("maths")] == ["add"]
    assert "add" in registry
    assert registry.find("sub") is None
    assert [one.name for one in registry.definitions()] == ["add"]


@pytest.mark.covers("FEAT004-TR-01", "RFC004-UT-01b")
def test_a_duplicate_is_refused_with_both_origins() -> None:
    registry = Registry()
    registry.register(Tool(ToolDefinition(name="x"), lambda a, c: 1), origin="plugin one")
    with pytest.raises(DuplicateTool, match=r"plugin one.*plugin two"):
        registry.register(Tool(ToolDefinition(name="x"), lambda a, c: 1), origin="plugin two")
    assert len(registry) == 1


def test_two_of_one_name_in_one_plugin_are_told_apart_by_their_places() -> None:
    async def another() -> None:
        """Add."""

    registry = Registry()
    registry.register(add, origin="kit")
    with pytest.raises(DuplicateTool, match=r"kit \(.*test_registry.py:\d+\), one from kit \(.*:\d+\)"):
        registry.register(tool(another, name="add"), origin="kit")


def test_a_function_belongs_to_the_plugin_that_registers_it() -> None:
    policy = Policy(plugins={"kit": Rules(deny=("*",))})
    taken = Registry().register(add, origin="kit")
    assert not policy.decide(taken.definition, agent="default", origin=taken.origin).allowed
    # The twin: registered by nobody in particular, it is where it stands, and the rules are not about it.
    own = Registry().register(add)
    assert "test_registry.py" in own.origin
    assert policy.decide(own.definition, agent="default", origin=own.origin).allowed


@pytest.mark.covers("FEAT004-TR-02")
@pytest.mark.parametrize("name", ["Add", "1add", "", "add-one", "a" * 65, "añadir", "add\n", "_add"])
def test_a_name_outside_the_rule_is_refused(name: str) -> None:
    with pytest.raises(InvalidName, match="lower-case"):
        ToolDefinition(name=name)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"effect": "reads"}, "read, write, unknown"),
        ({"isolation": "fork"}, "inline, thread, process"),
        ({"trim": "tail"}, "head, middle"),
        ({"seconds": 0}, "above 0"),
        ({"seconds": float("nan")}, "above 0"),
        ({"chars": 0}, "above 0"),
    ],
)
def test_a_definition_that_makes_no_sense_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidTool, match=said):
        ToolDefinition(name="x", **options)


def test_an_invalid_schema_is_refused_at_registration_with_its_path() -> None:
    bad: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integr"}}}
    with pytest.raises(InvalidSchema) as caught:
        Registry([Tool(ToolDefinition(name="x", parameters=bad), lambda a, c: 1)])
    assert "properties.n" in caught.value.path


def test_a_name_that_is_no_text_is_refused() -> None:
    with pytest.raises(InvalidName, match="None"):
        ToolDefinition(name=None)  # pyright: ignore[reportArgumentType]


def test_a_bad_tool_does_not_take_the_good_ones_with_it() -> None:
    registry = Registry([add])
    bad = Tool(ToolDefinition(name="x", parameters={"type": 5}), lambda a, c: 1)
    with pytest.raises(InvalidSchema):
        registry.register(bad)
    assert [one.name for one in registry] == ["add"]


def test_a_plain_function_is_made_into_a_tool() -> None:
    def shout(text: str) -> str:
        """Shout."""
        return text.upper()

    assert Registry([shout]).find("shout") is not None


def test_what_is_no_tool_is_refused() -> None:
    with pytest.raises(InvalidTool, match="not a tool"):
        Registry().register(42)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InvalidTool, match="not a tool"):
        Registry().register(Registry)


def test_a_removed_tool_is_gone() -> None:
    registry = Registry([add])
    registry.remove("add")
    assert "add" not in registry
    registry.register(add)


def test_the_nearest_names_are_found_however_they_are_spelled() -> None:
    names = ["read_file", "write_file", "get_current_time"]
    assert nearest("Read-File", names)[0] == "read_file"
    assert nearest("getCurrentTime", names)[0] == "get_current_time"
    assert nearest("zzzz", names) == []
    assert nearest("time", names) == ["get_current_time"]
    assert nearest("fi", names) == []


def test_tools_are_found_by_several_names_globs_and_groups() -> None:
    def made(name: str, group: str = "") -> Tool:
        return Tool(ToolDefinition(name=name, group=group), lambda arguments, context: None)

    registry = Registry([made("read_file", "files"), made("fetch_url", "web"), made("add")])
    assert [each.name for each in registry.select("group:web", "read_*")] == ["read_file", "fetch_url"]
    assert [each.name for each in registry.select("add", "add")] == ["add"]
    assert registry.select() == []
    assert registry.get("add").name == "add"
    for wrong, words in (
        ("ad", "no tool 'ad'. Did you mean add"),
        ("group:mail", "There is no tool that matches 'group:mail'"),
        ("mail_*", "There is no tool that matches 'mail_"),
    ):
        with pytest.raises(NotFound, match=words):
            registry.select("add", wrong)


def test_an_output_that_is_no_schema_is_refused_with_the_name_of_its_tool() -> None:
    definition = ToolDefinition(name="weather", output={"type": "nothing"})
    with pytest.raises(InvalidSchema, match=r"The output of weather: .*\$\.type"):
        Registry([Tool(definition, lambda arguments, context: 1)])
