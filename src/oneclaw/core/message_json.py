"""Lossless JSON codec for messages.

What JSON has no word for is marked (see oddity), and the message then says that it is `odd`: a plain one is
never searched for marks. Halves of surrogate pairs are written as escapes; two that stand side by side come
back as the one character they spell.
"""

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from json.encoder import encode_basestring
from typing import Any, cast, get_args

from oneclaw.core.call import EFFECTS, Image, ToolCall, ToolResult
from oneclaw.core.encoder import make_encoder
from oneclaw.core.errors import Kind
from oneclaw.core.message import (
    AssistantMessage,
    CallPart,
    Finish,
    ForeignPart,
    Message,
    MessageOrigin,
    Part,
    ResultsMessage,
    TextPart,
    ThoughtPart,
    Usage,
    UserMessage,
)
from oneclaw.core.oddity import mark, unmark

Json = dict[str, Any]
_FINISHES: frozenset[str] = frozenset(get_args(Finish))
_ORIGINS: frozenset[str] = frozenset(get_args(MessageOrigin))
_LONE = re.compile("[\ud800-\udfff]")
Encode = Callable[[Any], str]
_encode = make_encoder(allow_nan=False)
_quote = encode_basestring


def to_json(message: Message) -> str:
    """The message as JSON text that UTF-8 can hold; never raises."""
    try:
        text = _write(message, _quote, _encode)
    except (ValueError, TypeError, RecursionError):
        text = f'{_write(message, _encode_odd, _encode_odd)[:-1]},"odd":true}}'
    if text.isascii():
        return text
    return _LONE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def from_json(text: str) -> Message:
    """The message of a text that `to_json` made; raises `ValueError` for any other.

    A part of a kind that only a newer version knows becomes a text that says so.
    """
    try:
        document = json.loads(text)
        if document.pop("odd", False):
            document = unmark(document)
        return _READERS[document["role"]](document)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"this is no message of ours ({type(error).__name__}: {error})") from error


# ---------------------------------------------------------------------- out


# Written by hand: to build dictionaries and encode those takes twice as long, and every message is written.


def _write(message: Message, quote: Encode, encode: Encode) -> str:
    """The message as JSON: `quote` writes its texts, `encode` any value in it."""
    if isinstance(message, AssistantMessage):
        parts = ",".join([_part(each, quote, encode) for each in message.parts])
        text = f'{{"role":"assistant","parts":[{parts}]'
        if message.finish != "stop":
            text += f',"finish":{quote(message.finish)}'
        if message.wire:
            text += f',"wire":{quote(message.wire)}'
        if message.model:
            text += f',"model":{quote(message.model)}'
        usage = message.usage
        if usage.input or usage.output or usage.cached or usage.cache_written or usage.reasoning:
            counts = [usage.input, usage.output, usage.cached, usage.cache_written, usage.reasoning]
            text += f',"usage":{encode(counts)}'
    elif isinstance(message, ResultsMessage):
        results = ",".join([_result(each, quote, encode) for each in message.results])
        text = f'{{"role":"results","results":[{results}]'
    else:
        text = f'{{"role":"user","text":{quote(message.text)}'
        if message.images:
            text += f',"images":{encode(_images(message.images))}'
        if message.origin != "user":
            text += f',"origin":{quote(message.origin)}'
    return text + "}"


def _part(part: Part, quote: Encode, encode: Encode) -> str:
    if isinstance(part, CallPart):
        text = _call(part.call, quote, encode)
    else:
        kind = (
            "text"
            if isinstance(part, TextPart)
            else "thought"
            if isinstance(part, ThoughtPart)
            else "foreign"
        )
        text = f'{{"type":"{kind}","text":{quote(part.text)}'
    if part.echo is not None:
        text += f',"echo":{encode(dict(part.echo))}'
    return text + "}"


def _call(call: ToolCall, quote: Encode, encode: Encode) -> str:
    arguments = call.arguments
    text = f'{{"type":"call","id":{quote(call.id)},"name":{quote(call.name)}'
    if isinstance(arguments, str):
        text += f',"raw":{quote(arguments)}'
    elif isinstance(arguments, bytes):
        text += f',"bytes":"{b64encode(arguments).decode("ascii")}"'
    else:
        text += f',"arguments":{encode(arguments if type(arguments) is dict else dict(arguments))}'
    return f'{text},"fault":{quote(call.fault)}' if call.fault else text


def _result(result: ToolResult, quote: Encode, encode: Encode) -> str:
    text = f'{{"id":{quote(result.call_id)},"tool":{quote(result.tool)}'
    value = result.value
    if type(value) is int and encode is _encode:
        text += f',"value":{value}'
    elif value != "":
        text += f',"value":{encode(value)}'
    if result.kind is not None:
        text += f',"kind":{quote(result.kind.value)}'
    if result.message:
        text += f',"message":{quote(result.message)}'
    if result.seconds:
        text += f',"seconds":{encode(result.seconds)}'
    if result.effects != "none":
        text += f',"effects":{quote(result.effects)}'
    if result.repairs:
        text += f',"repairs":{encode(result.repairs)}'
    if result.truncated_from is not None:
        text += f',"truncated_from":{encode(result.truncated_from)}'
    if result.images:
        text += f',"images":{encode(_images(result.images))}'
    if result.details is not None:
        text += f',"details":{encode(dict(result.details))}'
    return text + "}"


def _encode_odd(value: Any) -> str:
    return _encode(mark(value))


def _images(images: tuple[Image, ...]) -> list[Json]:
    return [{"type": image.media_type, "data": b64encode(image.data).decode("ascii")} for image in images]


# ---------------------------------------------------------------------- back


def _read_user(document: Json) -> UserMessage:
    origin = document.get("origin", "user")
    return UserMessage(
        _text(document["text"]),
        _read_images(document),
        cast(MessageOrigin, origin if origin in _ORIGINS else "user"),
    )


def _read_assistant(document: Json) -> AssistantMessage:
    finish = document.get("finish", "stop")
    return AssistantMessage(
        tuple([_read_part(part) for part in document["parts"]]),
        cast(Finish, finish if finish in _FINISHES else "stop"),
        _text(document.get("wire", "")),
        _text(document.get("model", "")),
        Usage(*document["usage"]) if "usage" in document else _NO_USAGE,
    )


def _read_part(document: Json) -> Part:
    kind, echo = document["type"], document.get("echo")
    if kind == "text":
        return TextPart(_text(document["text"]), echo)
    if kind == "call":
        return CallPart(_read_call(document), echo)
    if kind == "thought":
        return ThoughtPart(_text(document["text"]), echo)
    if kind == "foreign":
        return ForeignPart(echo or {}, _text(document["text"]))
    return TextPart(f"(A part of the kind {str(kind)[:60]!r} stood here, which this version cannot read.)")


def _read_call(document: Json) -> ToolCall:
    arguments: Any
    if "raw" in document:
        arguments = _text(document["raw"])
    elif "bytes" in document:
        arguments = b64decode(document["bytes"], validate=True)
    else:
        arguments = document["arguments"]
        if not isinstance(arguments, dict):
            raise TypeError("arguments are an object")
    return ToolCall(
        _text(document["name"]), cast(Json, arguments), _text(document["id"]), document.get("fault", "")
    )


def _read_result(document: Json) -> ToolResult:
    kind, effects = document.get("kind"), document.get("effects", "none")
    return ToolResult(
        _text(document["id"]),
        _text(document["tool"]),
        document.get("value", ""),
        None if kind is None else read_kind(kind),
        document.get("message", ""),
        document.get("seconds", 0.0),
        effects if effects in EFFECTS else "unknown",
        tuple(document.get("repairs", ())),
        document.get("truncated_from"),
        _read_images(document),
        document.get("details"),
    )


def read_kind(name: Any) -> Kind:
    """The kind of this name; one of a newer version is still an error."""
    try:
        return Kind(name)
    except ValueError:
        return Kind.EXECUTION_ERROR


def _read_images(document: Json) -> tuple[Image, ...]:
    if "images" not in document:
        return ()
    return tuple(
        [Image(b64decode(image["data"], validate=True), _text(image["type"])) for image in document["images"]]
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a text is needed, not a {type(value).__name__}")
    return value


_NO_USAGE = Usage()
_TYPES: dict[type[Part], str] = {TextPart: '"text"', ThoughtPart: '"thought"', ForeignPart: '"foreign"'}
_READERS: dict[str, Callable[[Json], Message]] = {
    "user": _read_user,
    "assistant": _read_assistant,
    "results": lambda document: ResultsMessage(tuple(map(_read_result, document["results"]))),
}
