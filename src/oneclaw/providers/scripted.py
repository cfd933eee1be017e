"""Scripted model: plays written replies and faults, for tests and trials.

    model = Scripted([
        Call("read_file", path="notes.txt"),
        [Say("Two calls at once."), Call("get_current_time"), Call("read_file", '{"path": ')],
        Fail("limit", seconds=0.1),
        "Done.",
    ])

Each reply answers one request. It is a text, one step, a list of steps, or a function that is given the
request and returns one of these. A `Fail` that a real provider would be asked again after is followed by the
next reply at once, as the next attempt.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import count
from pathlib import Path
from typing import Any, cast, get_args

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
from oneclaw.core.errors import InvalidConfig
from oneclaw.core.message import (
    AssistantMessage,
    CallPart,
    Finish,
    Part,
    TextPart,
    ThoughtPart,
    Usage,
)
from oneclaw.core.subschema import is_object
from oneclaw.providers.base import RETRIED, ProviderError, Request, Trouble
from oneclaw.providers.written import faulted

ATTEMPTS = 4


@dataclass(frozen=True, slots=True)
class Say:
    """Text for the user."""

    text: str


@dataclass(frozen=True, slots=True)
class Think:
    """A thought."""

    text: str


class Call:
    """A call: `Call("read_file", path="a.txt")`, or with raw text: `Call("read_file", '{"path": ')`.

    `id` is what the provider would name it by; without one it gets one.
    """

    __slots__ = ("arguments", "id", "name")

    def __init__(
        self, name: str, raw: Mapping[str, Any] | str | None = None, /, *, id: str = "", **arguments: Any
    ) -> None:
        self.name = name
        self.arguments: str = raw if isinstance(raw, str) else json.dumps({**(raw or {}), **arguments})
        self.id = id


@dataclass(frozen=True, slots=True)
class Wait:
    """The model takes its time."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Fail:
    """The request fails here; `seconds` is what Retry-After says."""

    trouble: Trouble
    message: str = "The scripted provider failed."
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Cut:
    """The stream breaks off here, for good: calls before it must not run."""


@dataclass(frozen=True, slots=True)
class End:
    """Ends the answer with a reason, as `End("length")`, and with token usage."""

    finish: Finish | None = None
    usage: Usage | None = None


Step = Say | Think | Call | Wait | Fail | Cut | End
Steps = str | Step | Sequence[str | Step]
ScriptedReply = Steps | Callable[[Request], Steps]


class Scripted:
    """A `Provider` that plays `replies`, in order; `requests` holds what it was asked.

    keep       whether requests are kept, each with a copy of its messages
    chunk      the number of characters of one piece of text; None gives each text whole
    repeats    whether it begins anew after the last reply
    """

    name = "scripted"

    def __init__(
        self,
        replies: Iterable[ScriptedReply],
        *,
        keep: bool = True,
        chunk: int | None = None,
        repeats: bool = False,
    ) -> None:
        self.replies = list(replies)
        self.requests: list[Request] = []
        self.asked = 0
        self._keep = keep
        self._chunk = chunk
        self._repeats = repeats
        self._numbers = count(1)

    async def answer(self, request: Request) -> AsyncGenerator[AnswerEvent]:
        if self._keep:
            self.requests.append(replace(request, messages=tuple(request.messages)))
        attempt = 1
        while True:
            try:
                for answer in self._play(self._next(request), request):
                    if isinstance(answer, Wait):
                        await asyncio.sleep(answer.seconds)
                    else:
                        yield answer
                return
            except ProviderError as error:
                attempt += 1
                if error.trouble not in RETRIED or attempt > ATTEMPTS:
                    raise
                seconds = error.retry_after or 0.0
                yield AnswerRestarted(str(error), seconds, attempt)
                await asyncio.sleep(seconds)

    async def close(self) -> None:
        """There is nothing to close."""

    def _next(self, request: Request) -> list[Step]:
        number = self.asked
        self.asked += 1
        if self._repeats and self.replies:
            number %= len(self.replies)
        if number >= len(self.replies):
            raise ProviderError(
                f"The script has {len(self.replies)} replies and was asked for one more; write another one.",
                "request",
            )
        reply = self.replies[number]
        return steps_of(reply(request) if callable(reply) else reply)

    def _play(self, steps: list[Step], request: Request) -> Iterator[AnswerEvent | Wait]:
        parts: list[Part] = []
        finish: Finish | None = None
        usage, calls = Usage(), 0
        for step in steps:
            match step:
                case Say():
                    parts.append(TextPart(step.text))
                    for piece in self._pieces(step.text):
                        yield TextAdded(piece)
                case Call():
                    index, calls = calls, calls + 1
                    call_id = step.id or f"scripted_{next(self._numbers)}"
                    parts.append(CallPart(ToolCall(step.name, step.arguments, call_id)))
                    yield CallBegun(index, step.name)
                    for piece in self._pieces(step.arguments):
                        yield ArgumentsAdded(index, piece)
                case Think():
                    parts.append(ThoughtPart(step.text))
                    yield ThoughtAdded(step.text)
                case Wait():
                    yield step
                case Fail():
                    raise ProviderError(step.message, step.trouble, retry_after=step.seconds)
                case Cut():
                    finish = "cut"
                    break
                case End():
                    finish, usage = step.finish, step.usage or usage
        yield Answered(_message(parts, finish, usage, request))

    def _pieces(self, text: str) -> Iterable[str]:
        if self._chunk is None:
            return (text,)
        return (text[start : start + self._chunk] for start in range(0, len(text), self._chunk))


def _message(parts: list[Part], finish: Finish | None, usage: Usage, request: Request) -> AssistantMessage:
    if finish is None:
        finish = "calls" if any(isinstance(part, CallPart) for part in parts) else "stop"
    if finish in ("cut", "length"):
        # As a provider's answer: the last thing of it may be half, and a cut one is not to be trusted at all.
        first = 0 if finish == "cut" else max(0, len(parts) - 1)
        parts = [*parts[:first], *map(faulted, parts[first:])]
    return AssistantMessage(tuple(parts), finish, "scripted", f"scripted/{request.model}", usage)


def steps_of(reply: Steps) -> list[Step]:
    """A reply as its steps."""
    if isinstance(reply, str):
        return [Say(reply)]
    if isinstance(reply, Step):
        return [reply]
    return [Say(step) if isinstance(step, str) else step for step in reply]


def read_script(file: Path) -> Scripted:
    """A script from a JSON file: a list of replies, each a text, an object, or a list of these.

    {"call": NAME, "arguments": {…} or text}, {"say": text}, {"think": text}, {"wait": seconds},
    {"fail": trouble, "message": text, "seconds": 1}, {"cut": true}, {"end": finish},
    {"usage": {"input": 100, "output": 20}}
    """
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidConfig(f"The script {file} cannot be read ({error}); write a JSON list.") from error
    if not isinstance(document, list):
        raise InvalidConfig(f"The script {file} is no list of replies; write a JSON list.")
    replies = cast("list[Any]", document)
    return Scripted([_read_reply(reply, f"{file}, reply {n}") for n, reply in enumerate(replies, 1)])


def _read_reply(reply: Any, where: str) -> list[str | Step]:
    steps = cast("list[Any]", reply) if isinstance(reply, list) else [reply]
    return [step if isinstance(step, str) else _read_step(step, where) for step in steps]


def _read_usage(usage: Any) -> Usage | None:
    names = [field.name for field in fields(Usage)]
    if not is_object(usage):
        return None
    return Usage(**{name: max(usage[name], 0) for name in names if isinstance(usage.get(name), int)})


def _read_step(step: Any, where: str) -> Step:
    match step:
        case {"call": str(name)}:
            arguments = step.get("arguments", {})
            if isinstance(arguments, str) or is_object(arguments):
                return Call(name, arguments, id=str(step.get("id", "")))
        case {"say": str(text)}:
            return Say(text)
        case {"think": str(text)}:
            return Think(text)
        case {"wait": int(seconds) | float(seconds)}:
            return Wait(seconds)
        case {"fail": str(trouble)} if trouble in get_args(Trouble):
            said = str(step.get("message", "The scripted provider failed."))
            seconds = step.get("seconds", 0)
            if isinstance(seconds, int | float):
                return Fail(cast(Trouble, trouble), said, max(float(seconds), 0.0))
        case {"cut": True}:
            return Cut()
        case {"end": str(finish)} if finish in get_args(Finish):
            return End(cast(Finish, finish), _read_usage(step.get("usage")))
        case {"usage": dict()}:
            return End(None, _read_usage(step["usage"]))
        case _:
            pass
    raise InvalidConfig(
        f"{where}: {json.dumps(step)[:200]} is no step;"
        " write a text or an object with call, say, think, wait, fail, cut, end or usage."
    )
