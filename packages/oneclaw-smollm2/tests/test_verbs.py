"""Which tools a request may lead to by its verb, over everyday sentences and the messages kept back."""

import pytest
from evaluation.everyday import IDLE, REFUSED, WRITTEN
from evaluation.stand_ins import STAND_INS
from training.heldout import cases

from oneclaw import ToolDefinition
from oneclaw.tools.builtin import load
from oneclaw_smollm2.message import read_message
from oneclaw_smollm2.rules import RULED
from oneclaw_smollm2.verbs import TRAINED, may_call, request_verb, tools_for

TOOLS = [*(load(name).definition for name in TRAINED), *STAND_INS]
RENAME = ToolDefinition(
    name="rename_file",
    description="Give a file another name",
    parameters={
        "type": "object",
        "properties": {"path": {"type": "string"}, "new_name": {"type": "string"}},
        "required": ["path", "new_name"],
    },
)


def names(text: str, *more: ToolDefinition) -> set[str]:
    return {tool.name for tool in tools_for(read_message(text), [*TOOLS, *more])}


def test_the_stand_ins_are_the_tools_of_rules() -> None:
    assert {tool.name for tool in STAND_INS} == set(RULED)
    assert not set(RULED) & set(TRAINED)


@pytest.mark.parametrize("text", REFUSED)
def test_a_verb_that_no_tool_does_leads_to_none(text: str) -> None:
    assert names(text) == set()


@pytest.mark.parametrize("text", [row[0] for row in WRITTEN])
def test_what_asks_to_write_may_write_whatever_is_written(text: str) -> None:
    assert "write_file" in names(text)


@pytest.mark.parametrize("name", ["plain", "harder", "fresh"])
def test_no_message_kept_back_loses_its_tool(name: str) -> None:
    tools, rows = cases(name)
    lost = [
        case.message
        for case in rows
        if case.tool and case.tool not in {tool.name for tool in tools_for(read_message(case.message), tools)}
    ]
    assert lost == []


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("what's the weather in Berlin?", set[str]()),
        ("tell me a joke", set[str]()),
        ("remind me to call mum at 6", set[str]()),
        ("search the web for pancakes", set[str]()),
        ("write a poem about cats to poem.txt", set[str]()),
        ("forget everything", set[str]()),
        ("delete everything", set[str]()),
        ("obfuscate report.txt", set[str]()),
        ("print report.txt on my printer", set[str]()),
        ("What time is it in Tokyo?", {"get_current_time"}),
        ("show me the files in archive", {"list_files"}),
        ("find all txt files", {"find_files", "search_text"}),
        ("read todo.txt", {"read_file"}),
        ("forget my locker code", {"memory_forget"}),
        ("fetch https://example.com", {"http_request"}),
    ],
)
def test_only_tools_that_do_what_is_asked_are_allowed(text: str, allowed: set[str]) -> None:
    assert names(text) == allowed


def test_no_model_calls_a_tool_of_a_rule() -> None:
    for tool in STAND_INS:
        assert not may_call(tool, read_message("delete, move, copy and calculate report.txt"))


def test_a_tool_that_somebody_added_is_called_for_its_verb() -> None:
    assert names("rename report.txt to final.txt", RENAME) == {"rename_file"}
    assert names("delete report.txt", RENAME) == set()


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("Would you mind renaming a.txt?", "rename"),
        ("a.txt, please move it", "move"),
        ("I want a.txt copied to b.txt", "copy"),
        ('write "rename a.txt" to b.txt', "write"),
        ("run me through a.txt", ""),
        ("what did I change in a.txt?", ""),
    ],
)
def test_the_verb_of_a_request(text: str, verb: str) -> None:
    assert request_verb(read_message(text)) == verb


def test_a_question_or_a_statement_leads_to_no_writing() -> None:
    for text in IDLE[:5]:
        assert "write_file" not in names(text), text
