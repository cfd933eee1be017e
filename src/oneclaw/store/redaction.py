"""Redacts known secrets from messages before they are stored.

A thought that is sealed cannot be changed: one that told a secret is kept without its seal, and so is never
sent back. The texts of a message are searched together first: nearly always none holds a secret, and one
search tells.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.message import (
    CallPart,
    Echo,
    ForeignPart,
    Message,
    Part,
    ResultsMessage,
    TextPart,
    ThoughtPart,
    UserMessage,
)

RedactText = Callable[[str], str]


def redact_message(message: Message, redact: RedactText) -> Message:
    """The message without secrets; the same object where it holds none."""
    texts: list[str] = []
    _gather(message, texts)
    together = "\n".join(texts)
    if redact(together) == together:
        return message
    if isinstance(message, UserMessage):
        return replace(message, text=redact(message.text))
    if isinstance(message, ResultsMessage):
        return ResultsMessage(tuple(_redact_result(result, redact) for result in message.results))
    return replace(message, parts=tuple(_redact_part(part, redact) for part in message.parts))


def _gather(message: Message, texts: list[str]) -> None:
    """Put every text of a message into the list."""
    if isinstance(message, UserMessage):
        texts.append(message.text)
    elif isinstance(message, ResultsMessage):
        for result in message.results:
            texts += (result.call_id, result.tool, result.message, *result.repairs)
            _gather_in(result.value, texts)
            _gather_in(result.details, texts)
    else:
        for part in message.parts:
            if isinstance(part, CallPart):
                call = part.call
                texts += (call.id, call.name, call.fault)
                _gather_in(call.arguments, texts)
            else:
                texts.append(part.text)
            if part.echo is not None:
                _gather_in(part.echo, texts)


def _gather_in(value: Any, texts: list[str]) -> None:
    if type(value) is str:
        texts.append(value)
        return
    stack = [value]
    while stack:
        each = stack.pop()
        if isinstance(each, str):
            texts.append(each)
        elif type(each) is int:
            texts.append(_number(each))
        elif isinstance(each, Mapping):
            members = cast(Mapping[Any, Any], each)
            stack.extend(members)
            stack.extend(members.values())
        elif isinstance(each, list | tuple):
            stack.extend(cast(list[Any], each))
        elif isinstance(each, bytes):
            texts.append(each.decode("utf-8", "surrogateescape"))
        elif isinstance(each, int | float) and not isinstance(each, bool):
            texts.append(_number(each))


def _number(value: float) -> str:
    try:
        return str(value)
    except ValueError:  # an integer of 5,000 digits
        return ""


def _redact_part(part: Part, redact: RedactText) -> Part:
    echo = None if part.echo is None else cast(Echo, redact_value(part.echo, redact))
    if isinstance(part, CallPart):
        call = part.call
        cleaned = ToolCall(
            redact(call.name), redact_value(call.arguments, redact), redact(call.id), redact(call.fault)
        )
        return CallPart(cleaned, echo)
    text = redact(part.text)
    if isinstance(part, TextPart):
        return TextPart(text, echo)
    if isinstance(part, ThoughtPart):
        is_sealed = part.echo is not None and "signature" in part.echo
        is_changed = echo != part.echo or (is_sealed and text != part.text)
        return ThoughtPart(text, None if is_changed else part.echo)
    return ForeignPart({} if echo is None else echo, text)


def _redact_result(result: ToolResult, redact: RedactText) -> ToolResult:
    return replace(
        result,
        call_id=redact(result.call_id),
        tool=redact(result.tool),
        value=redact_value(result.value, redact),
        message=redact(result.message),
        repairs=tuple(redact(each) for each in result.repairs),
        details=None if result.details is None else redact_value(result.details, redact),
    )


def redact_value(value: Any, redact: RedactText) -> Any:
    """Plain data without secrets."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Mapping):
        members = cast(Mapping[Any, Any], value)
        return {redact_value(name, redact): redact_value(member, redact) for name, member in members.items()}
    if isinstance(value, list | tuple):
        return [redact_value(member, redact) for member in cast(list[Any], value)]
    if isinstance(value, bytes):
        text = value.decode("utf-8", "surrogateescape")
        return redact(text).encode("utf-8", "surrogateescape")
    if isinstance(value, int | float) and not isinstance(value, bool):
        text = _number(value)
        redacted = redact(text)
        return value if redacted == text else redacted
    return value
