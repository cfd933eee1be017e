"""Checks that an answer's events arrive in order and match its message."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import Any, get_args

from oneclaw.core.answer import (
    Answered,
    AnswerEvent,
    AnswerRestarted,
    ArgumentsAdded,
    CallBegun,
    TextAdded,
    ThoughtAdded,
)
from oneclaw.core.call import ToolCall
from oneclaw.core.message import AssistantMessage, Finish, ThoughtPart, Usage
from oneclaw.core.message_json import from_json, to_json
from oneclaw.core.subschema import is_object
from oneclaw.testing.contract import Checklist
from oneclaw.testing.fixture import ExpectedOutcome


def check_answer(answers: Sequence[object], checklist: Checklist) -> AssistantMessage | None:
    """Check the events of one answer, whatever it says; gives its message, or None where there is none."""
    ended = [number for number, each in enumerate(answers) if isinstance(each, Answered)]
    checklist.expect(
        "event types",
        all(isinstance(each, AnswerEvent) for each in answers),
        f"An event is no Answer: {[type(each).__name__ for each in answers]}.",
    )
    if not checklist.expect(
        "one answer",
        ended == [len(answers) - 1],
        f"{len(ended)} Answered among {len(answers)} events; give exactly one, as the last.",
    ):
        return None
    last = answers[-1]
    assert isinstance(last, Answered)
    restarts = [number for number, each in enumerate(answers) if isinstance(each, AnswerRestarted)]
    attempts = [each.attempt for each in answers if isinstance(each, AnswerRestarted)]
    checklist.expect(
        "restarts",
        attempts == list(range(2, len(attempts) + 2)),
        f"The attempts are numbered {attempts}; count from 2.",
    )
    _check_events(answers[restarts[-1] + 1 if restarts else 0 :], last.message, checklist)
    _check_message(last.message, checklist)
    return last.message


def _check_events(events: Sequence[object], message: AssistantMessage, checklist: Checklist) -> None:
    begun: list[CallBegun] = []
    in_order = True
    for each in events:
        if isinstance(each, CallBegun):
            in_order = in_order and each.index == len(begun)
            begun.append(each)
        elif isinstance(each, ArgumentsAdded):
            in_order = in_order and each.index < len(begun)
    checklist.expect(
        "events in order",
        in_order,
        "CallBegun must count 0, 1, 2 … and come before the ArgumentsAdded of its index.",
    )
    names, called = [each.tool for each in begun], [call.name for call in message.calls]
    checklist.expect(
        "streamed calls", names == called, f"The events begin {names}, the message calls {called}."
    )
    shown = "".join(each.text for each in events if isinstance(each, TextAdded))
    checklist.expect(
        "streamed text", shown == message.text, f"The events say {shown!r}, the message {message.text!r}."
    )
    thought = "".join(each.text for each in events if isinstance(each, ThoughtAdded))
    kept = "".join(part.text for part in message.parts if isinstance(part, ThoughtPart))
    checklist.expect(
        "streamed thoughts", thought == kept, f"The events think {thought!r}, the message {kept!r}."
    )


def _check_message(message: AssistantMessage, checklist: Checklist) -> None:
    ids = [call.id for call in message.calls]
    checklist.expect(
        "call ids",
        all(ids) and len(set(ids)) == len(ids),
        f"The ids of the calls are {ids}; make them unique.",
    )
    running = [call for call in message.calls if not call.fault]
    checklist.expect(
        "finish",
        message.finish in get_args(Finish) and (not running or message.finish in ("calls", "length")),
        f"The finish is {message.finish!r} with {len(running)} calls that may run.",
    )
    checklist.expect(
        "cut calls",
        message.finish != "cut" or not running,
        f"The answer was cut and {[call.name for call in running]} would run; set `fault`.",
    )
    usage = message.usage
    counts = astuple(usage)
    checklist.expect(
        "usage",
        all(type(count) is int and count >= 0 for count in counts)
        and usage.cached + usage.cache_written <= usage.input
        and usage.reasoning <= usage.output,
        f"{usage} is no count of tokens: `input` includes cached ones, `output` those of thoughts.",
    )
    try:
        is_same = to_json(from_json(to_json(message))) == to_json(message)
    except (TypeError, ValueError):
        is_same = False
    checklist.expect("stored", is_same, "The message is not the same after to_json and back.")


def check_expected(message: AssistantMessage, expected: ExpectedOutcome, checklist: Checklist) -> None:
    """Check that a message is the one its recorded answer holds."""
    checklist.expect(
        "expected finish",
        message.finish == expected.finish,
        f"The finish is {message.finish!r}, not {expected.finish!r}.",
    )
    checklist.expect(
        "expected text",
        expected.text is None or message.text == expected.text,
        f"The text is {message.text!r}, not {expected.text!r}.",
    )
    thoughts = "".join(part.text for part in message.parts if isinstance(part, ThoughtPart))
    checklist.expect(
        "expected thoughts",
        thoughts == expected.thoughts,
        f"The thoughts are {thoughts!r}, not {expected.thoughts!r}.",
    )
    calls = [(call.name, arguments_of(call)) for call in message.calls if not call.fault]
    wanted = [(name, dict(arguments)) for name, arguments in expected.calls]
    checklist.expect("expected calls", calls == wanted, f"The calls are {calls}, not {wanted}.")
    faulted = sum(1 for call in message.calls if call.fault)
    checklist.expect(
        "cut calls",
        faulted == expected.faulted,
        f"{faulted} calls have a fault, not {expected.faulted}; set `fault` where arguments were cut.",
    )
    if expected.usage is not None:
        usage = Usage(*astuple(message.usage))
        checklist.expect(
            "expected usage", usage == expected.usage, f"The usage is {usage}, not {expected.usage}."
        )


def arguments_of(call: ToolCall) -> Mapping[str, Any] | str | bytes:
    """The arguments of a call as an object, or as they are where they are none."""
    if isinstance(call.arguments, Mapping):
        return dict(call.arguments)
    try:
        read: Any = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return call.arguments
    return dict(read) if is_object(read) else call.arguments
