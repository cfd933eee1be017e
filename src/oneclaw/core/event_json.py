"""Registry of event types and their JSON codec.

An envelope is one flat object: `event` names the type, as `tool_finished`; `number`, `time`, `run`,
`session`, `parent_run` and `first` are those of the envelope; the rest are the fields of the event. An event
of a type that only a newer version knows is passed on as it came, as an `UnknownEvent`.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, cast, get_args

from oneclaw.core.answer import AnswerProgress, AnswerRestarted
from oneclaw.core.call import EFFECTS, Image, ToolResult
from oneclaw.core.define.default import to_json as value_to_json
from oneclaw.core.envelope import Envelope
from oneclaw.core.event import Event
from oneclaw.core.message import AssistantMessage, Usage
from oneclaw.core.message_json import Json, from_json, read_kind, to_json
from oneclaw.core.oddity import mark
from oneclaw.core.run_event import RunEvent, RunFinished
from oneclaw.core.value import plain


@dataclass(frozen=True, slots=True)
class UnknownEvent:
    """An event of a type this version does not know; it is passed on as it came."""

    name: str
    fields: Mapping[str, Any]


def name_of(event: Any) -> str:
    """The name of an event's type, as `tool_finished`."""
    return event.name if isinstance(event, UnknownEvent) else _NAMES[type(event)]


def fields_of(event: Any) -> Json:
    """The fields of an event as plain data."""
    if isinstance(event, UnknownEvent):
        return dict(event.fields)
    document = {name: _plain(getattr(event, name)) for name in _FIELDS[type(event)]}
    if type(event) is RunFinished:
        document["value"] = answer_json(event.value)
    return document


def answer_json(value: Any) -> Any:
    """A structured answer in its JSON form."""
    if hasattr(value, "model_dump"):  # pydantic: as the schema names the fields, without its defaults
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    try:
        return value_to_json(value)
    except TypeError:
        return plain(value)


def read_event(name: str, given: Mapping[str, Any]) -> Any:
    """The event of this name and these fields; raises `ValueError` where they are not those of one."""
    kind = TYPES.get(name)
    if kind is None:
        return UnknownEvent(name, dict(given))
    try:
        return kind(
            **{
                field: _READERS[field](given[field]) if field in _READERS else given[field]
                for field in _FIELDS[kind]
                if field in given
            }
        )
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise ValueError(f"This is no event {name}: {error}") from error


def envelope_json(envelope: Envelope) -> Json:
    """An envelope and its event as one flat object."""
    head = {
        "event": name_of(envelope.event),
        "number": envelope.number,
        "time": envelope.time,
        "run": envelope.run,
        "session": envelope.session,
    }
    if envelope.parent:
        head["parent_run"] = envelope.parent
    if envelope.first != envelope.number:
        head["first"] = envelope.first
    return head | fields_of(envelope.event)


def read_envelope(document: Mapping[str, Any]) -> Envelope:
    """The envelope that `envelope_json` wrote; raises `ValueError` for anything else."""
    rest = dict(document)
    try:
        name, number, time = str(rest.pop("event")), int(rest.pop("number")), float(rest.pop("time"))
        run, session = str(rest.pop("run")), str(rest["session"])
        parent, first = str(rest.pop("parent_run", "")), int(rest.pop("first", number))
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"This is no event in its envelope: {error!r}") from error
    return Envelope(number, time, run, session, parent, read_event(name, rest), first)


def result_json(result: ToolResult) -> Json:
    """A result as the model reads it, with what people and programs are told besides."""
    return {
        **result.for_model(),
        "call_id": result.call_id,
        "tool": result.tool,
        "seconds": round(result.seconds, 6),
        "effects": result.effects,
        "repairs": list(result.repairs),
        "truncated_from": result.truncated_from,
        "images": [{"media_type": image.media_type, "bytes": image.size_bytes} for image in result.images],
        "details": result.details,
    }


def read_result(document: Json) -> ToolResult:
    """The result of `result_json`; of its images only type and size are left."""
    effects, failed = document.get("effects", "none"), "error_type" in document
    return ToolResult(
        document["call_id"],
        document["tool"],
        None if failed else document.get("result", ""),
        read_kind(document["error_type"]) if failed else None,
        document.get("message", ""),
        document.get("seconds", 0.0),
        effects if effects in EFFECTS else "unknown",
        tuple(document.get("repairs", ())),
        document.get("truncated_from"),
        tuple(Image(b"", str(one["media_type"]), int(one["bytes"])) for one in document.get("images", ())),
        document.get("details"),
    )


def _plain(value: Any) -> Any:
    if isinstance(value, ToolResult):
        return mark(result_json(value))
    if isinstance(value, AssistantMessage):
        return json.loads(to_json(value))
    if isinstance(value, Usage):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return value if value is None or isinstance(value, str | int | float) else mark(value)


def _read_message(document: Any) -> AssistantMessage:
    message = from_json(json.dumps(document))
    if not isinstance(message, AssistantMessage):
        raise TypeError("it is not an answer")
    return message


_READERS: dict[str, Callable[[Any], Any]] = {
    "result": read_result,
    "message": _read_message,
    "usage": lambda document: Usage(**document),
    "total": lambda document: Usage(**document),
}


def _types(union: Any) -> list[type[Any]]:
    return [each for part in get_args(union) for each in (get_args(part) or (part,))]


TYPES: dict[str, type[Any]] = {
    "".join(f"_{char.lower()}" if char.isupper() else char for char in kind.__name__)[1:]: kind
    for kind in cast(
        list[type[Any]], [*_types(RunEvent), *_types(Event), *_types(AnswerProgress), AnswerRestarted]
    )
}
"""Every type of event by its name."""
_NAMES = {kind: name for name, kind in TYPES.items()}
_FIELDS = {kind: tuple(field.name for field in fields(kind)) for kind in TYPES.values()}
