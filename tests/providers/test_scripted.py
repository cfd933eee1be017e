"""The scripted model: what it plays, how it fails, and scripts from files."""

import json
from pathlib import Path

import pytest

from oneclaw import Scripted, ToolCall
from oneclaw.core.answer import Answered, AnswerEvent, AnswerRestarted, ArgumentsAdded, CallBegun, TextAdded
from oneclaw.core.errors import InvalidConfig
from oneclaw.core.message import AssistantMessage, Usage, UserMessage
from oneclaw.providers.base import ProviderError, Request
from oneclaw.providers.scripted import Call, Cut, End, Fail, Say, ScriptedReply, Think, Wait, read_script

REQUEST = Request("m", [UserMessage("hi")])


async def ask(model: Scripted) -> tuple[list[AnswerEvent], AssistantMessage]:
    answers = [answer async for answer in model.answer(REQUEST)]
    last = answers[-1]
    assert isinstance(last, Answered)
    return answers, last.message


async def test_a_text_is_an_answer_in_pieces() -> None:
    answers, message = await ask(Scripted(["Hello you."], chunk=4))
    assert [answer.text for answer in answers if isinstance(answer, TextAdded)] == ["Hell", "o yo", "u."]
    assert (message.text, message.finish) == ("Hello you.", "stop")


async def test_steps_are_played_in_their_order() -> None:
    model = Scripted([[Think("hm"), Say("Look: "), Call("read_file", path="a"), Call("b", "{bad", id="x")]])
    answers, message = await ask(model)
    assert [answer.tool for answer in answers if isinstance(answer, CallBegun)] == ["read_file", "b"]
    written = [answer.text for answer in answers if isinstance(answer, ArgumentsAdded)]
    assert written == [
        '{"path": "a"}',
        "{bad",
    ]
    assert message.finish == "calls"
    assert message.calls[1] == ToolCall("b", "{bad", "x")
    assert message.calls[0].id != ""


async def test_a_failure_that_waiting_helps_is_followed_by_the_next_reply() -> None:
    model = Scripted([Fail("limit", seconds=0.01), Fail("overload"), "Here."])
    answers, message = await ask(model)
    assert [answer.attempt for answer in answers if isinstance(answer, AnswerRestarted)] == [2, 3]
    assert message.text == "Here."
    assert len(model.requests) == 1


@pytest.mark.parametrize("replies", [[Fail("key", "No key.")], [Fail("server")] * 9, []])
async def test_a_failure_for_good_is_raised(replies: list[ScriptedReply]) -> None:
    with pytest.raises(ProviderError):
        await ask(Scripted(replies))


@pytest.mark.parametrize("end", [Cut(), End("length")])
async def test_a_call_at_the_end_of_a_cut_answer_has_a_fault(end: Cut | End) -> None:
    _, message = await ask(Scripted([[Call("a", x=1), end]]))
    assert "cut off" in message.calls[0].fault


async def test_a_function_sees_the_request_and_replies() -> None:
    _, message = await ask(Scripted([lambda request: f"You sent {len(request.messages)}."]))
    assert message.text == "You sent 1."


def write(folder: Path, document: object) -> Path:
    file = folder / "script.json"
    file.write_text(json.dumps(document))
    return file


async def test_a_script_is_read_from_a_file(tmp_path: Path) -> None:
    document = [
        [{"think": "t"}, {"say": "S "}, {"call": "read_file", "arguments": {"path": "a"}}, {"wait": 0}],
        {"call": "b", "arguments": "{bad"},
        {"fail": "limit", "seconds": 0},
        [{"say": "half"}, {"cut": True}],
        [{"say": "long"}, {"end": "length"}],
        "Bye.",
    ]
    model = read_script(write(tmp_path, document))
    finishes = [(await ask(model))[1].finish for _ in range(5)]
    assert finishes == ["calls", "calls", "cut", "length", "stop"]


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"say": "x"}, "no list of replies"),
        (["fine", {"shout": "x"}], "reply 2"),
        ([{"fail": "bad luck"}], "reply 1"),
        ([{"call": "a", "arguments": 5}], "reply 1"),
        ([3], "reply 1"),
    ],
)
def test_a_script_that_is_wrong_is_refused_with_the_place(
    tmp_path: Path, document: object, said: str
) -> None:
    with pytest.raises(InvalidConfig, match=said):
        read_script(write(tmp_path, document))


def test_a_script_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfig, match="cannot be read"):
        read_script(tmp_path / "none.json")


async def test_a_script_says_what_an_answer_took(tmp_path: Path) -> None:
    model = read_script(write(tmp_path, [["Hi.", {"usage": {"input": 7, "output": 2, "cached": 3}}]]))
    _, message = await ask(model)
    assert message.usage == Usage(input=7, output=2, cached=3)


async def test_waiting_can_be_stopped() -> None:
    answers = Scripted([[Say("a"), Wait(60)]]).answer(REQUEST)
    assert isinstance(await anext(answers), TextAdded)
    await answers.aclose()
