"""The template works as it is written, and overwrites nothing."""

from typing import Any

import pytest
from tests.plugins.conftest import load_plugins, look

from oneclaw.core.call import ToolCall
from oneclaw.plugins.source import InvalidPlugin
from oneclaw.plugins.template import write_template

Home = Any
Serve = Any


async def test_a_new_plugin_works_as_it_is_written(home: Home, engine_of: Serve) -> None:
    paths = write_template(home.tools, "say_again")
    assert [path.name for path in paths] == ["say_again.py", "say_again.toml"]
    loaded = load_plugins(home.config)
    assert ([tool.name for tool in loaded.tools], loaded.problems) == (["say_again"], [])
    assert look(home.config)[0].description == "Say again."
    async with engine_of(loaded) as engine:
        result = await engine.call(ToolCall("say_again", {"text": "ho", "times": 3}))
        assert result.value == "ho ho ho"
        refused = await engine.call(ToolCall("say_again", {"text": "ho", "times": 300}))
        assert refused.message == "times is 300; say how often from 1 to 100."


def test_nothing_is_overwritten(home: Home) -> None:
    write_template(home.tools, "mine")
    (home.tools / "mine.py").unlink()
    with pytest.raises(InvalidPlugin, match=r"mine\.toml is there already"):
        write_template(home.tools, "mine")
    assert not (home.tools / "mine.py").exists()


@pytest.mark.parametrize("name", ["", "Big", "a-b", "../up", "class", "x" * 65])
def test_a_name_no_tool_may_have_is_refused(home: Home, name: str) -> None:
    with pytest.raises(InvalidPlugin, match="cannot be the name of a tool"):
        write_template(home.tools, name)
    assert not home.tools.exists()
