"""Labels: the name of a tool for people, in one language or several, made of its name where there is none."""

from typing import Any

import pytest

from oneclaw.core.define.function import tool
from oneclaw.core.errors import InvalidTool
from oneclaw.core.tool import ToolDefinition
from oneclaw.tools.builtin import load_all


def test_a_label_is_made_of_the_name_where_there_is_none() -> None:
    assert ToolDefinition(name="get_weather").label_in() == "Get weather"
    assert ToolDefinition(name="get_weather", label="Look outside").label_in("de") == "Look outside"


def test_a_label_may_be_said_in_several_languages() -> None:
    @tool(label={"en": "Look outside", "de": "Aus dem Fenster sehen"})
    def weather() -> str:
        """Tell the weather."""
        return "sun"

    assert weather.definition.label_in("de") == "Aus dem Fenster sehen"
    assert weather.definition.label_in("fr") == "Look outside"
    assert ToolDefinition(name="weather", label={"de": "Wetter"}).label_in() == "Wetter"


@pytest.mark.parametrize("label", [None, 5, {}, {"en": ""}, {"en": 5}, {5: "five"}, ["Read"]])
def test_what_is_no_label_is_refused_when_the_tool_is_made(label: Any) -> None:
    with pytest.raises(InvalidTool, match="has the label"):
        ToolDefinition(name="weather", label=label)


def test_every_built_in_tool_has_a_short_label_of_its_own() -> None:
    labels = {each.name: each.definition.label for each in load_all()}
    assert all(isinstance(label, str) and 0 < len(label) <= 30 for label in labels.values()), labels
    assert len(set(labels.values())) == len(labels)
