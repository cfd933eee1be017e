"""Which tools a request may lead to by its verb, over everyday sentences and the messages kept back."""

import pytest
from tests.providers.local.everyday import IDLE, REFUSED, WRITTEN
from training.heldout import cases

from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.local.grammar import call_grammar
from oneclaw.providers.local.message import read_message
from oneclaw.providers.local.models import EMBEDDED_TOOLS
from oneclaw.providers.local.plan import make_plan
from oneclaw.providers.local.reply import undone_text
from oneclaw.providers.local.verbs import may_call, request_verb, undone_verb
from oneclaw.tools.builtin import load

TOOLS = [load(name).definition for name in EMBEDDED_TOOLS]
RENAME = ToolDefinition(
    name="rename_file",
    description="Give a file another name",
    parameters={
        "type": "object",
        "properties": {"path": {"type": "string"}, "new_name": {"type": "string"}},
        "required": ["path", "new_name"],
    },
)


async def answer_nothing(prompt: str, grammar: str) -> str:
    return ">chat"


@pytest.mark.parametrize("text", REFUSED)
async def test_a_verb_that_no_tool_does_is_refused_before_the_model_is_asked(text: str) -> None:
    first = (await make_plan(text, TOOLS, answer_nothing))[0]
    assert first.undone
    assert "write_file" not in call_grammar(TOOLS, text)


@pytest.mark.parametrize("text", [row[0] for row in WRITTEN if "copy" not in row[0]])
def test_what_asks_to_write_may_write_whatever_is_written(text: str) -> None:
    message = read_message(text)
    assert undone_verb(message, TOOLS) == ""
    assert may_call("write_file", message)
    assert "write_file {" in call_grammar(TOOLS, text)


@pytest.mark.parametrize("name", ["plain", "harder", "fresh", "unseen", "fresh_unseen"])
def test_no_message_kept_back_is_refused_or_loses_its_tool(name: str) -> None:
    tools, rows = cases(name)
    for case in rows:
        message = read_message(case.message)
        assert undone_verb(message, tools) == "", case.message
        assert case.tool is None or may_call(case.tool, message), case.message


def test_a_tool_that_does_the_verb_is_called_for_it() -> None:
    message = read_message("rename report.txt to final.txt")
    assert undone_verb(message, TOOLS) == "rename"
    assert undone_verb(message, [*TOOLS, RENAME]) == ""
    grammar = call_grammar([*TOOLS, RENAME], message.text)
    assert "rename_file {" in grammar
    assert "write_file {" not in grammar


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
        assert not may_call("write_file", read_message(text)), text


def test_the_refusal_is_one_sentence_that_says_what_can_be_done() -> None:
    text = undone_text("rename", TOOLS)
    assert text.startswith(
        "I have no tool to rename that, so I changed nothing; I can read files, write new files"
    )
    assert text.endswith(" and forget them.")
    assert text.count(".") == 1
    assert undone_text("rename", []) == "I have no tool to rename that, so I changed nothing."


async def test_what_comes_after_a_request_that_no_tool_does_is_not_done_either() -> None:
    async def read(prompt: str, grammar: str) -> str:
        return '>read_file {"path": "a.txt"}'

    steps = await make_plan("Read a.txt and rename a.txt to b.txt and read a.txt", TOOLS, read)
    assert [(step.tool, step.undone) for step in steps] == [("read_file", ""), ("", "rename"), ("", "")]
