"""A wire format from the side of the server: how an answer is sent, and what a request says.

Written from what the providers document, without the code under test: `Heard` is what a server understands of
a request, and `complaints` is what it would refuse it for.
"""

import json
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from oneclaw.core.message import Usage

Json = dict[str, Any]
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")
_GEMINI_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}\Z")
FITTING = "the reason that fits"
"""The reason to end that an answer has when nothing went wrong."""


@dataclass(frozen=True, slots=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True)
class Thought:
    """A thought and its seal: the signature, or the encrypted content, that has to come back."""

    text: str
    seal: str


@dataclass(frozen=True, slots=True)
class Call:
    """A call; arguments that are a text are sent as they are."""

    name: str
    arguments: Mapping[str, Any] | str
    id: str = ""

    @property
    def written(self) -> str:
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


Part = Text | Thought | Call


@dataclass(frozen=True, slots=True)
class Said:
    """Text of the user or of the model in a request."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Called:
    id: str
    name: str
    arguments: Any


@dataclass(frozen=True, slots=True)
class Gave:
    """The result of a call."""

    id: str
    result: Json


@dataclass(frozen=True, slots=True)
class Heard:
    """What a server understands of a request."""

    path: str
    headers: Mapping[str, str]
    body: Json
    turns: tuple[Said | Called | Gave, ...]
    pictures: tuple[bytes, ...]
    tools: Mapping[str, Json] = field(default_factory=dict[str, Json])

    @property
    def users(self) -> list[str]:
        return [turn.text for turn in self.turns if isinstance(turn, Said) and turn.role == "user"]

    @property
    def answers(self) -> list[str]:
        return [turn.text for turn in self.turns if isinstance(turn, Said) and turn.role == "model"]

    @property
    def calls(self) -> list[tuple[str, Any]]:
        return [(turn.name, turn.arguments) for turn in self.turns if isinstance(turn, Called)]

    @property
    def results(self) -> list[Json]:
        return [turn.result for turn in self.turns if isinstance(turn, Gave)]

    @property
    def values(self) -> list[Any]:
        """What the results say: the value of a success, the kind of an error."""
        return [each["result"] if "result" in each else each["error_type"] for each in self.results]


def complaints(heard: Heard, wire: str) -> list[str]:
    """What a server refuses a request for: calls and results that do not belong together, names, ids."""
    allowed = _GEMINI_NAME if wire == "gemini" else _NAME
    found: list[str] = []
    calls: list[str] = []
    results: list[str] = []
    ids = [turn.id for turn in heard.turns if isinstance(turn, Called) and turn.id]
    found += [f"the id {each} comes twice" for each in set(ids) if ids.count(each) > 1]
    found += [f"the id {each!r} is not allowed" for each in ids if not _NAME.match(each)]
    for turn in (*heard.turns, Said("end", "")):
        if isinstance(turn, Gave):
            results.append(turn.id)
            continue
        if results:
            found += [] if results == calls else [f"calls {calls} have the results {results}"]
            calls, results = [], []
        if isinstance(turn, Called):
            calls.append(turn.id)
            found += [] if allowed.match(turn.name) else [f"the name {turn.name!r} is not allowed"]
        elif calls and turn.role != "model":  # it may speak after its calls
            found.append(f"calls {calls} have no results")
            calls = []
    found += [f"the tool {name!r} is not allowed" for name in heard.tools if not allowed.match(name)]
    return found


class Format(Protocol):
    """One format. `label` is the provider's name in the settings of a test, `model` its model there."""

    label: str
    model: str
    wire: str
    base: str
    is_local: bool

    def stream(
        self, parts: Sequence[Part], usage: Usage, reason: Any = FITTING
    ) -> tuple[list[bytes], list[bytes]]:
        """The events of an answer, and those that say that it is whole and why it ended."""
        ...

    def body(self, parts: Sequence[Part], usage: Usage) -> Json:
        """The same answer as one document."""
        ...

    def failure(self, text: str) -> bytes:
        """An error inside a stream."""
        ...

    def key(self, headers: Mapping[str, str]) -> str | None:
        """The key in the headers of a request."""
        ...

    def hear(self, path: str, headers: Mapping[str, str], body: Json) -> Heard: ...

    def echo(self, thought: Thought) -> Json:
        """Fields of an object that must stand in the next request, as they are."""
        ...


def event(data: Json | str, name: str = "") -> bytes:
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return ((f"event: {name}\n" if name else "") + f"data: {text}\n\n").encode()


def halves(text: str) -> tuple[str, str]:
    return text[: len(text) // 2], text[len(text) // 2 :]


def objects(value: Any) -> Iterator[Json]:
    """Every object in a JSON value."""
    if isinstance(value, dict):
        members: Json = value  # pyright: ignore[reportUnknownVariableType]
        yield members
        for member in members.values():
            yield from objects(member)
    elif isinstance(value, list):
        for member in value:  # pyright: ignore[reportUnknownVariableType]
            yield from objects(member)


def holds(body: Json, fields: Json) -> bool:
    """Whether an object with exactly these values of these fields stands in the body."""
    return any(
        all(each.get(name) == value for name, value in fields.items() if name in each)
        and fields.keys() <= each.keys()
        for each in objects(body)
    )


def says(value: Any, text: str) -> bool:
    """Whether the text stands in any string of a JSON value."""
    if isinstance(value, str):
        return text in value
    members: Any = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    return any(says(member, text) for member in members)


def bearer(headers: Mapping[str, str]) -> str | None:
    kind, _, key = headers.get("authorization", "").partition(" ")
    return key if kind == "Bearer" and key else None


def picture(url: str) -> bytes:
    return b64decode(url.partition(";base64,")[2])


def as_list(content: Any) -> list[Json]:
    return content if isinstance(content, list) else [{"type": "text", "text": content}]  # pyright: ignore[reportUnknownVariableType]
