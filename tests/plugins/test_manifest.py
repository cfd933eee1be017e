"""Manifests: a plugin is known without its code being run."""

from pathlib import Path
from typing import Any

import pytest
from tests.plugins.conftest import load_plugins, look

from oneclaw.core.call import ToolCall
from oneclaw.core.errors import Kind
from oneclaw.plugins.manifest import Manifest, read_manifest
from oneclaw.plugins.source import InvalidPlugin

Home = Any
Serve = Any

WHOLE = """
name = "city"
description = "Facts of cities."
version = "3.1"
permissions = ["network"]

[[tools]]
name = "people"
description = "How many live there."
effect = "read"
seconds = 7

[tools.parameters]
type = "object"
required = ["city"]

[tools.parameters.properties.city]
type = "string"

[[tools]]
name = "mayor"
description = "Who decides."
permissions = []
"""
CODE = """
open({mark!r}, "a").write("x")
from oneclaw import tool

@tool
def people(city: str) -> int:
    "How many?"
    return len(city)
"""


async def test_tools_of_a_manifest_are_loaded_without_running_the_code(
    home: Home, engine_of: Serve, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    home.write("city.py", CODE.format(mark=str(mark)))
    home.write("city.toml", WHOLE)
    loaded = load_plugins(home.config)
    assert not loaded.problems
    people, mayor = (tool.definition for tool in loaded.tools)
    assert (people.needs, people.seconds, people.effect, people.isolation) == (
        ("network",),
        7,
        "read",
        "process",
    )
    assert people.version.startswith("3.1+")
    assert mayor.needs == ()
    (plugin,) = look(home.config)
    assert (plugin.description, plugin.version, plugin.permissions) == (
        "Facts of cities.",
        "3.1",
        ("network",),
    )
    assert not mark.exists()
    async with engine_of(loaded) as engine:
        assert (await engine.call(ToolCall("people", {"city": "Rome"}))).value == 4
        assert mark.exists()
        wrong = await engine.call(ToolCall("mayor", {}))
        assert (wrong.kind, "gives no tool 'mayor'" in wrong.message) == (Kind.EXECUTION_ERROR, True)


@pytest.mark.parametrize("place", ["package", "record"])
def test_a_package_has_its_manifest_among_its_files(home: Home, tmp_path: Path, place: str) -> None:
    mark = tmp_path / "mark"
    path = "city_code/oneclaw-plugin.toml" if place == "package" else "elsewhere/oneclaw-plugin.toml"
    files = {"city_code/__init__.py": CODE.format(mark=str(mark)), path: WHOLE}
    about = home.install("city", files, "x = city_code\n")
    if place == "package":  # as an editable install, whose list of files does not name it
        (about / "RECORD").unlink()
    assert [tool.name for tool in load_plugins(home.config).tools] == ["people", "mayor"]
    assert not mark.exists()


def test_a_tool_that_needs_more_than_the_manifest_says_is_left_out(home: Home) -> None:
    code = """
    from oneclaw import tool
    @tool(needs=["network"])
    def modest() -> str: "Modest."
    @tool(needs=["network", "shell"])
    def greedy() -> str: "Greedy."
    """
    home.write("city.py", code)
    assert len(load_plugins(home.config).tools) == 2
    home.write("city.toml", 'permissions = ["network"]')
    loaded = load_plugins(home.config)
    assert [tool.name for tool in loaded.tools] == ["modest"]
    assert "greedy needs shell" in loaded.problems[0].reason


def test_a_changed_manifest_is_another_version(home: Home) -> None:
    home.write("city.py", "from oneclaw import tool\n@tool\ndef fine(): 'Fine.'\n")
    home.write("city.toml", 'description = "One."')
    before = load_plugins(home.config).tools[0].definition.version
    home.write("city.toml", 'description = "Two."')
    assert load_plugins(home.config).tools[0].definition.version != before


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"\xff", "not TOML"),
        (b"name =", "not TOML"),
        (b'name = "other"', "names the plugin 'other'"),
        (b"version = 1", "version must be a text"),
        (b'colour = "red"', "no field 'colour'"),
        (b'permissions = "network"', "list of texts"),
        (b"permissions = [1]", "list of texts"),
        (b"tools = 3", r"\[\[tools\]\]"),
        (b"a = " + b"[" * 5000, "not TOML"),
    ],
)
def test_a_manifest_that_is_wrong_says_where(text: bytes, reason: str) -> None:
    with pytest.raises(InvalidPlugin, match=reason):
        read_manifest(text, "city.toml", "city")
    assert read_manifest(b'name = "city"', "city.toml", "city") == Manifest()


def test_a_wrong_manifest_leaves_out_its_plugin_alone(home: Home) -> None:
    code = "from oneclaw import tool\n@tool\ndef {}(): 'Fine.'\n"
    home.write("city.py", code.format("one"))
    home.write("city.toml", "name =")
    home.write("town.py", code.format("two"))
    home.write("town.toml", "[[tools]]\ndescription = 'no name'\n[[tools]]\nname = 'two'\n")
    loaded = load_plugins(home.config)
    assert [tool.name for tool in loaded.tools] == ["two"]
    assert [(problem.place, problem.index) for problem in loaded.problems] == [
        ("plugin city", None),
        ("plugin town", 0),
    ]
