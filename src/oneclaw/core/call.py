"""ToolCall, tool output and ToolResult."""

import json
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from json.encoder import encode_basestring
from typing import Any, Literal, get_args

from oneclaw.core.errors import Kind
from oneclaw.core.fast_init import fast_init

Effects = Literal["none", "done", "possible", "unknown"]
"""Effects of a call: none, as declared, possible, or unknown."""
EFFECTS: tuple[Effects, ...] = get_args(Effects)

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str).encode


@fast_init
@dataclass(frozen=True, slots=True)
class ToolCall:
    """One request to run a tool: arguments as a mapping, or as the raw text or bytes of a model.

    `fault` says why it must not run, as when the answer that asks for it was cut: it is refused with that.
    `parent` is the id of the call that made this one, as a script makes calls.
    """

    name: str
    arguments: Mapping[str, Any] | str | bytes = field(default_factory=dict[str, Any])
    id: str = ""
    fault: str = ""
    parent: str = ""


@dataclass(frozen=True, slots=True)
class Image:
    """A picture for the model: the bytes and their media type, as `image/png`.

    `kept_bytes` is the size of one whose bytes are not here, but in the stored conversation.
    """

    data: bytes
    media_type: str
    kept_bytes: int = 0

    @property
    def size_bytes(self) -> int:
        return self.kept_bytes or len(self.data)


@dataclass(frozen=True, slots=True)
class Output:
    """A tool's return value with additions.

    `value` goes to the model, `details` to people and programs only. `note` is a sentence that the model
    reads beside the value, as one on what was left out.
    """

    value: Any = ""
    images: tuple[Image, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])
    note: str = ""


@fast_init
@dataclass(frozen=True, slots=True)
class ToolResult:
    """The one result of a call. `value` is text or any JSON value; `kind` is set on errors only."""

    call_id: str
    tool: str
    value: Any = ""
    kind: Kind | None = None
    message: str = ""
    seconds: float = 0.0
    effects: Effects = "none"
    repairs: tuple[str, ...] = ()
    truncated_from: int | None = None
    images: tuple[Image, ...] = ()
    details: Mapping[str, Any] | None = None

    @property
    def ok(self) -> bool:
        return self.kind is None

    @property
    def status(self) -> Literal["success", "error"]:
        return "success" if self.kind is None else "error"

    @property
    def text(self) -> str:
        """The value as text, or the message of an error."""
        if self.kind is not None:
            return self.message
        value = self.value
        if type(value) is int:
            return str(value)  # without the price of an encoder
        return value if isinstance(value, str) else _encode(value)

    def for_model(self) -> dict[str, Any]:
        """The object a model reads; `note` is there where arguments were repaired or the tool adds one."""
        body: dict[str, Any]
        if self.kind is None:
            body = {"status": "success", "result": self.value}
        else:
            body = {"status": "error", "error_type": self.kind.value, "message": self.message}
        if self.repairs:
            body["note"] = "; ".join(self.repairs)
        return body

    def to_json(self) -> str:
        """`for_model` as JSON text."""
        if self.kind is None and not self.repairs:
            # The usual case, without the price of an encoder.
            value = self.value
            if type(value) is str:
                return f'{{"status":"success","result":{encode_basestring(value)}}}'
            if type(value) is int:
                return f'{{"status":"success","result":{value}}}'
        return _encode(self.for_model())


_run = os.urandom(4).hex()
_numbers = count(1)


def new_call_id() -> str:
    """An id for a call that came without one."""
    return f"call_{_run}_{next(_numbers)}"


def unique_ids(
    calls: Iterable[ToolCall], used: Collection[str] = (), redact: Callable[[str], str] | None = None
) -> list[ToolCall]:
    """The calls, each with an id that no other has and that is not among `used`; the first keeps its own.

    Names and ids are text, whatever a model put in their place. `redact` takes known secrets out of ids: a
    provider may put anything there, and they are kept and shown.
    """
    named: list[ToolCall] = []
    seen: set[str] = set()
    for call in calls:
        if type(call.name) is not str or type(call.id) is not str:
            call = replace(call, name=str(call.name), id="" if call.id is None else str(call.id))  # pyright: ignore[reportUnnecessaryComparison]
        if redact is not None and (clean := redact(call.id)) != call.id:
            call = replace(call, id=clean)
        named.append(call)
        seen.add(call.id)
    if len(seen) == len(named) and "" not in seen and seen.isdisjoint(used):
        return named
    taken, kept = {*seen, *used}, set(used)
    for place, call in enumerate(named):
        if not call.id or call.id in kept:
            name, number = call.id or new_call_id(), 1
            while name in taken:
                number += 1
                name = f"{call.id or 'call'}-{number}"
            named[place] = replace(call, id=name)
            taken.add(name)
        kept.add(named[place].id)
    return named


def cancelled(call: ToolCall) -> ToolResult:
    """The result of a call that was cancelled before it had one."""
    return ToolResult(call.id, call.name[:100], None, Kind.CANCELLED, "The call was cancelled.")
