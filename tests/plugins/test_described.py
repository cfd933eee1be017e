"""What a plugin says of its tools is data: checked, bound by its manifest, and no more than the owner's."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.plugins.conftest import load_plugins

from oneclaw.core.errors import OneClawError
from oneclaw.core.tool import ToolDefinition
from oneclaw.plugins.described import PluginDefaults, as_data, read_tool
from oneclaw.plugins.description_cache import CachedDescription, DescriptionCache
from oneclaw.plugins.discovery import find_files, read

Home = Any
OWNER = PluginDefaults("weather", "1.0", "0123456789abcdef", ("network",))


def test_a_definition_comes_back_as_it_was_said() -> None:
    said = ToolDefinition(
        name="forecast",
        description="Say the weather.",
        parameters={"type": "object", "properties": {"city": {"type": "string"}}},
        needs=("network",),
        seconds=12.5,
        effect="read",
        resource="city:{city}",
        secrets=("KEY",),
        output={"type": "string"},
        chars=900,
        trim="middle",
        spill=False,
        polls=True,
        default_on=False,
        feature="weather",
        label="Forecast",
        isolation="thread",
    )
    read = read_tool(json.loads(json.dumps(as_data(said))), OWNER)
    assert (read.isolation, read.group, read.version) == ("process", "weather", "1.0+0123456789ab")
    for name in ToolDefinition.__slots__:
        if name not in ("isolation", "group", "version"):
            assert getattr(read, name) == getattr(said, name), name


def test_a_plugin_cannot_say_what_is_the_owners_to_say() -> None:
    said = {"name": "x", "isolation": "inline", "group": "files", "agents": ["a"], "switchable": False}
    read = read_tool(said, OWNER)
    assert (read.isolation, read.group, read.agents, read.switchable) == ("process", "weather", None, True)
    # The twin: inline, it runs where it says; the rest is still not for it to say.
    read = read_tool(said, PluginDefaults("weather", is_inline=True))
    assert (read.isolation, read.group, read.agents, read.switchable) == ("inline", "weather", None, True)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ([], "not an object"),
        ({}, "no name"),
        ({"name": 3}, "no name"),
        ({"name": "Bad Name"}, "not allowed"),
        ({"name": "x", "colour": "red"}, "no field 'colour'"),
        ({"name": "x", "needs": "network"}, "needs must be a list of texts"),
        ({"name": "x", "needs": [1]}, "needs must be a list of texts"),
        ({"name": "x", "needs": ["shell"]}, "needs shell"),
        ({"name": "x", "seconds": True}, "seconds must be a number"),
        ({"name": "x", "seconds": -1}, "must be above 0"),
        ({"name": "x", "seconds": float("inf")}, "seconds must be a number"),
        ({"name": "x", "chars": 2.5}, "chars must be a whole number"),
        ({"name": "x", "effect": "write-only"}, "effect"),
        ({"name": "x", "description": "y" * 30_000}, "description must be a text"),
        ({"name": "x", "parameters": []}, "parameters must be an object"),
        ({"name": "x", "parameters": {"type": "strin"}}, "strin"),
        ({"name": "x", "parameters": {"type": "string"}}, "must be an object"),
        ({"name": "x", "parameters": {"properties": 3, "type": "object"}}, "properties"),
        ({"name": "x", "resource": "file:{path}"}, "resource"),
        ({"name": "x", "resource": "file:{0.__class__}"}, "resource"),
    ],
)
def test_what_cannot_be_used_is_refused_with_a_reason(said: Any, reason: str) -> None:
    with pytest.raises(OneClawError, match=reason):
        read_tool(said, OWNER)


def test_a_template_that_would_fill_the_memory_of_the_program_is_refused() -> None:
    parameters = {"type": "object", "properties": {"path": {"type": "string"}}}
    for resource in ("file:{path:>9999999999}", "file:{path!r:>99}", "file:{path.x}", "{path}", "file:{"):
        with pytest.raises(OneClawError, match="resource"):
            read_tool({"name": "x", "parameters": parameters, "resource": resource}, OWNER)
    fine = {"name": "x", "parameters": parameters, "resource": "file:{path}"}
    assert read_tool(fine, OWNER).resource == "file:{path}"


def test_a_bad_tool_is_left_out_alone(home: Home) -> None:
    home.write(
        "mixed.py",
        """
        from oneclaw import Tool, ToolDefinition, tool

        def bad(x: complex) -> str: return ""

        @tool
        def good() -> str:
            "Good."
            return ""

        class Sharp:
            definition = ToolDefinition(name="sharp", parameters={"type": "strin"})
            def execute(self, arguments, context): return 1

        class Deep:
            definition = ToolDefinition(name="deep")
            def execute(self, arguments): return 1

        circle = {"type": "object"}
        circle["properties"] = {"a": circle}

        sharp, deep = Sharp(), Deep()
        round = Tool(ToolDefinition(name="round", parameters=circle), lambda arguments, context: 1)
        twin = Tool(ToolDefinition(name="good"), lambda arguments, context: 1)
        bound = tool(lambda: 1, name="bound", agents=("one",))
        """,
    )
    loaded = load_plugins(home.config)
    assert [tool.name for tool in loaded.tools] == ["good", "deep", "bound"]
    said = [problem.reason for problem in loaded.problems]
    assert len(said) == 4
    assert any("round cannot be described" in reason for reason in said)
    assert any("named 'good'" in reason for reason in said)
    assert any("strin" in reason for reason in said)
    assert [problem.reason for problem in loaded.problems if problem.is_warning] == [
        "bound sets agents, which is left to your settings and not used."
    ]


def test_more_tools_than_there_may_be_are_refused(home: Home) -> None:
    many = (
        "from oneclaw import tool\nfor n in range({}): globals()[f't{{n}}'] = tool(lambda: 1, name=f't{{n}}')"
    )
    home.write("many.py", many.format(201))
    loaded = load_plugins(home.config)
    assert (loaded.tools, len(loaded.problems)) == ([], 1)
    home.write("many.py", many.format(200))
    assert len(load_plugins(home.config).tools) == 200


def test_what_was_kept_is_checked_like_what_was_said(home: Home, tmp_path: Path) -> None:
    home.write("good.py", "from oneclaw import tool\n@tool\ndef fine(): 'Fine.'\n")
    load_plugins(home.config)
    (file,) = (tmp_path / "cache" / "oneclaw" / "plugins").iterdir()
    said = json.loads(file.read_text())["said"]["data"]
    said["tools"] += [{"name": "Evil Name"}, 7]
    said["tools"][0]["isolation"] = "inline"
    said["faults"] = [["x"], 3]
    (found,) = find_files(home.config.tools_folder)
    kept = DescriptionCache(file.parent, sys.path, home.config.home)
    kept.put(found.place, read(found).source.digest, CachedDescription(said))
    loaded = load_plugins(home.config)
    assert [(tool.name, tool.definition.isolation) for tool in loaded.tools] == [("fine", "process")]
    assert len(loaded.problems) == 4


NEEDY = "from oneclaw import tool\n@tool(needs=['shell'])\ndef fine(): 'Fine.'\n"


def take_need_away(home: Home, file: Path) -> tuple[str, ...]:
    """What the tool needs after somebody has edited what is kept of it."""
    home.write("good.py", NEEDY)
    assert load_plugins(home.config).tools[0].definition.needs == ("shell",)
    edited = file.read_text().replace('["shell"]', "[]")
    assert edited != file.read_text()
    file.write_text(edited)
    return load_plugins(home.config).tools[0].definition.needs


@pytest.fixture
def kept_file(home: Home, tmp_path: Path) -> Path:
    home.write("good.py", NEEDY)
    load_plugins(home.config)
    (file,) = (tmp_path / "cache" / "oneclaw" / "plugins").iterdir()
    return file


def test_what_was_edited_in_the_cache_is_not_believed(home: Home, kept_file: Path) -> None:
    assert take_need_away(home, kept_file) == ("shell",)
    assert (home.config.home / "plugins.key").stat().st_mode & 0o777 == 0o600


def test_without_the_seal_it_would_be(home: Home, kept_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DescriptionCache, "_is_sealed", lambda *_: True)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    assert take_need_away(home, kept_file) == ()


def test_what_was_kept_of_other_files_or_under_another_key_is_not_believed(
    home: Home, kept_file: Path
) -> None:
    (found,) = find_files(home.config.tools_folder)
    digest = read(found).source.digest
    kept = DescriptionCache(kept_file.parent, sys.path, home.config.home)
    assert kept.get(found.place, digest) is not None
    assert kept.get(found.place, digest[::-1]) is None
    (home.config.home / "plugins.key").unlink()
    assert DescriptionCache(kept_file.parent, sys.path, home.config.home).get(found.place, digest) is None
