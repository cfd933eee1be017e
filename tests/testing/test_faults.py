"""The faulty model: whatever goes wrong, the run ends and each call has exactly one result."""

from pathlib import Path

import pytest

from oneclaw import Agent, App, Config, Scripted, ToolCall, ToolResult, tool
from oneclaw.core.message import AssistantMessage, CallPart, ResultsMessage, TextPart, UserMessage
from oneclaw.testing import check_conversation, conversation_problems, faults

SCRIPTS = faults("price", {"item": "tea"})
ENDINGS = {"refusal": "refusal", "bad_key": "failed", "no_credit": "failed"}
ASKED = AssistantMessage((CallPart(ToolCall("price", {"item": "tea"}, "a")),), "calls")
GIVEN = ResultsMessage((ToolResult("a", "price", 2.5),))


@tool(effect="read")
async def price(item: str) -> float:
    """Look up a price."""
    return {"tea": 2.5}[item]


@pytest.mark.parametrize("name", SCRIPTS)
async def test_a_run_survives_every_fault_of_a_model(name: str, tmp_path: Path) -> None:
    model = Scripted(SCRIPTS[name])
    async with App(Config(tmp_path), tools=[price], providers={"test": model}) as app:
        handle = await app.runs.start(Agent(model="test/model"), "What is tea?")
        finished = await handle.wait()
    assert finished.reason == ENDINGS.get(name, "done")
    assert name in ENDINGS or finished.text == "Done."
    # The model's own empty name stays in its answer; each wire format sends another in its place.
    allowed = {"a call of answer 1 has no name"} if name == "empty_name" else set[str]()
    for request in model.requests:
        assert set(conversation_problems(request.messages)) <= allowed


@pytest.mark.parametrize(
    ("messages", "problem"),
    [
        ([UserMessage("Hi"), ASKED], "answer 1 asks for ['a'] and gets []"),
        ([UserMessage("Hi"), ASKED, UserMessage("And?")], "answer 1 asks for ['a'] and gets []"),
        ([UserMessage("Hi"), GIVEN], "message 1 holds results of nothing"),
        ([ASKED, GIVEN], "it does not begin with the user"),
        ([UserMessage(" ")], "message 0 of the user is empty"),
        ([UserMessage("Hi"), AssistantMessage()], "answer 1 is empty"),
        ([UserMessage("Hi"), ASKED, GIVEN, ASKED, GIVEN], "the id 'a' is used 2 times"),
    ],
)
def test_a_conversation_that_is_not_valid_is_told(messages: list[object], problem: str) -> None:
    assert conversation_problems(messages) == [problem]  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="is not valid"):
        check_conversation(messages)  # type: ignore[arg-type]


def test_a_valid_conversation_has_no_problem() -> None:
    check_conversation([UserMessage("Hi"), ASKED, GIVEN, AssistantMessage((TextPart("2.5"),))])
