"""Ready-made scripts of a model or provider that fails and recovers."""

from collections.abc import Mapping, Sequence
from typing import Any

from oneclaw.core.message import AssistantMessage, Message, ResultsMessage, UserMessage
from oneclaw.providers.scripted import Call, Cut, End, Fail, Say, ScriptedReply, Think

_HUGE_CHARS = 200_000


def faults(tool: str, arguments: Mapping[str, Any]) -> dict[str, list[ScriptedReply]]:
    """Scripts for `Scripted`, by the name of the fault; `tool` and `arguments` make a call that works.

    Each ends with the text "Done.", except those that end the run: `refusal`, `bad_key`, `no_credit`.
    """
    good = Call(tool, arguments)
    return {
        "cut_stream": [[Say("I "), good, Cut()], "Done."],
        "cut_arguments": [[Call(tool, '{"'), End("length")], "Done."],
        "broken_arguments": [Call(tool, '{"'), "Done."],
        "wrong_arguments": [Call(tool, {"no_such_argument": [1]}), "Done."],
        "arguments_no_object": [Call(tool, "[1, 2]"), "Done."],
        "huge_arguments": [Call(tool, {"text": "x" * _HUGE_CHARS}), "Done."],
        "deep_arguments": [Call(tool, '{"a":' * 500 + "1" + "}" * 500), "Done."],
        "unknown_tool": [Call(f"{tool}_that_does_not_exist"), "Done."],
        "empty_name": [Call("", arguments), "Done."],
        "repeated_ids": [[Call(tool, arguments, id="same"), Call(tool, arguments, id="same")], "Done."],
        "repeated_ids_later": [Call(tool, arguments, id="same"), Call(tool, arguments, id="same"), "Done."],
        "same_call_again": [good, good, "Done."],
        "many_calls": [[good] * 30, "Done."],
        "empty_answer": [[], "Done."],
        "only_a_thought": [Think("Hm."), "Done."],
        "rate_limit": [Fail("limit"), "Done."],
        "overload": [Fail("overload"), Fail("overload"), "Done."],
        "failure_midway": [[Say("I "), good, Fail("stream")], "Done."],
        "refusal": [[Say("I cannot help with that."), End("refusal")]],
        "bad_key": [Fail("key", "The key is refused.")],
        "no_credit": [Fail("quota", "Nothing is left to spend.")],
    }


def conversation_problems(messages: Sequence[Message]) -> list[str]:
    """Problems of a conversation: each call must have exactly one result, in order."""
    found: list[str] = []
    seen: list[str] = []
    for index, message in enumerate(messages):
        before = messages[index - 1] if index else None
        after = messages[index + 1] if index + 1 < len(messages) else None
        if index == 0 and not isinstance(message, UserMessage):
            found.append("it does not begin with the user")
        if isinstance(message, UserMessage) and not message.text.strip() and not message.images:
            found.append(f"message {index} of the user is empty")
        if isinstance(message, ResultsMessage) and not (
            isinstance(before, AssistantMessage) and before.calls and message.results
        ):
            found.append(f"message {index} holds results of nothing")
        if isinstance(message, AssistantMessage):
            asked = [call.id for call in message.calls]
            given = [result.call_id for result in after.results] if isinstance(after, ResultsMessage) else []
            found += [] if message.parts else [f"answer {index} is empty"]
            found += [] if asked == given else [f"answer {index} asks for {asked} and gets {given}"]
            found += [f"a call of answer {index} has no id" for each in asked if not each]
            found += [f"a call of answer {index} has no name" for call in message.calls if not call.name]
            seen += asked
    repeated = sorted({each for each in seen if seen.count(each) > 1})
    return [*found, *(f"the id {each!r} is used {seen.count(each)} times" for each in repeated)]


def check_conversation(messages: Sequence[Message]) -> None:
    """Raise `AssertionError` where a conversation is not valid, as `conversation_problems` tells."""
    problems = conversation_problems(messages)
    if problems:
        raise AssertionError(f"The conversation is not valid: {'; '.join(problems)}.")
