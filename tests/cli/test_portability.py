"""`oneclaw tools portability`: what each provider is sent of each tool, and why."""

from typing import Any

import pytest

from oneclaw.cli.options import tools
from oneclaw.cli.tools import portability_lines
from oneclaw.core.tool import ToolDefinition
from oneclaw.operations.portability import PROVIDERS, list_portability
from oneclaw.providers.dialect.convert import DIALECTS
from oneclaw.tools.builtin import NAMES

Cli = Any

ODD = ToolDefinition(
    name="odd",
    parameters={
        "type": "object",
        "properties": {"n": {"type": "number", "multipleOf": 0.5}, "$top": {"type": "integer"}},
    },
)


def test_every_tool_is_listed_for_every_provider(cli: Cli) -> None:
    ended = cli("tools", "portability", "--json")
    assert ended.code == 0
    tools = (*NAMES, "sessions", "message")
    told = {(row["tool"], row["provider"]) for row in ended.json}
    assert told >= {(tool, dialect) for tool in tools for dialect in DIALECTS}
    assert told == {(tool, dialect) for tool, _ in told for dialect in DIALECTS}
    assert {row["verdict"] for row in ended.json} <= {"kept", "rewritten", "dropped"}
    assert all(bool(row["changes"]) == (row["verdict"] != "kept") for row in ended.json)


def test_one_tool_and_one_provider_can_be_asked_for(cli: Cli) -> None:
    rows = cli("tools", "portability", "read_file", "--provider", "anthropic", "--json").json
    assert [(row["tool"], row["provider"], row["verdict"]) for row in rows] == [
        ("read_file", "anthropic", "kept")
    ]
    assert cli("tools", "portability", "read_file", "--provider", "anthropic").out.split("\t")[:3] == [
        "read_file",
        "anthropic",
        "kept",
    ]


def test_an_unknown_tool_or_provider_is_wrong_use(cli: Cli) -> None:
    assert cli("tools", "portability", "red_file").code == 3
    refused = cli("tools", "portability", "--provider", "acme")
    assert refused.code == 2
    assert "gemini_parameters" in refused.err


@pytest.mark.parametrize(
    ("dialect", "line"),
    [
        ("openai", "odd\topenai\tkept\t\t"),
        ("gemini", "odd\tgemini\tdropped\tproperties.n: multipleOf\tnot taken here; it is said in words"),
        (
            "anthropic",
            "odd\tanthropic\trewritten\tproperties.$top: properties\t"
            "the name is sent as top, and mapped back",
        ),
    ],
)
def test_each_change_is_a_line_with_its_place_and_reason(dialect: str, line: str) -> None:
    [found] = list_portability([ODD], dialect)
    assert ["\t".join(cells) for cells in portability_lines(found)] == [line]


def test_what_was_dropped_is_the_verdict_of_the_tool() -> None:
    assert {each.provider: each.verdict for each in list_portability([ODD])} == {
        "openai": "kept",
        "openai_strict": "rewritten",
        "anthropic": "rewritten",
        "gemini": "dropped",
        "gemini_parameters": "dropped",
    }


def test_the_options_offer_every_provider_with_rules() -> None:
    assert tools.PROVIDERS == PROVIDERS
