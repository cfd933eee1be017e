"""Tests a model with six real requests: stream, call, parallel calls, image, structured answer, error."""

import json
import struct
import zlib
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

from oneclaw.core.answer import Answered, TextAdded
from oneclaw.core.call import Image
from oneclaw.core.check.schema import CompiledSchema
from oneclaw.core.errors import InvalidConfig
from oneclaw.core.message import AssistantMessage, UserMessage
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.base import OutputSchema, Provider, ProviderError, Request

if TYPE_CHECKING:
    from oneclaw.app import App

MOST_TOKENS = 2_000
NO_MODEL = "no-such-model-of-oneclaw"
ADD = ToolDefinition(
    name="add",
    description="Add two whole numbers.",
    parameters={
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
        "additionalProperties": False,
    },
)
TOWN: dict[str, Any] = {
    "type": "object",
    "properties": {"town": {"type": "string"}, "country": {"type": "string"}},
    "required": ["town", "country"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class RequestCheck:
    """One of the six requests: `is_good` is None where it was not made; `said` is one short sentence."""

    name: str
    is_good: bool | None
    seconds: float
    said: str


@dataclass(frozen=True, slots=True)
class _Trial:
    """A request, and what its answer must be: gives what is good, or raises ValueError with what is not."""

    name: str
    request: Request
    judge: Callable[[AssistantMessage, int], str]


async def choose_model(app: "App", provider: str) -> str:
    """The model to test a provider with: the default, else the cheapest known, else the first it lists."""
    catalog = app.catalog
    catalog.provider(provider)
    if catalog.default and catalog.default.startswith(f"{provider}/"):
        return catalog.default
    known = [catalog.model(name) for name in catalog.known_models() if name.startswith(f"{provider}/")]
    if known:
        return min(known, key=lambda model: model.price.output if model.price else float("inf")).name
    names = await app.runs.providers.list_models(provider)
    if not names:
        raise InvalidConfig(f"{provider} lists no model; name one: oneclaw keys test {provider} --model NAME")
    return f"{provider}/{names[0]}"


async def try_model(app: "App", model: str) -> AsyncGenerator[RequestCheck]:
    """Make the six requests, one after the other. After a key that is refused no other is made."""
    provider, name = app.runs.providers.get(model)
    stop = ""
    for trial in _trials(name):
        if stop:
            yield RequestCheck(trial.name, None, 0.0, stop)
            continue
        begun = monotonic()
        is_good, said, trouble = await _try(provider, trial)
        yield RequestCheck(trial.name, is_good, monotonic() - begun, said)
        if trouble in ("key", "quota") or (trouble in ("network", "timeout") and trial.name == "stream"):
            stop = "not tried"
    begun = monotonic()
    if stop:
        yield RequestCheck("error", None, 0.0, stop)
        return
    is_good, said = await _provoke(provider)
    yield RequestCheck("error", is_good, monotonic() - begun, said)


async def _try(provider: Provider, trial: _Trial) -> tuple[bool, str, str]:
    try:
        message, pieces = await _ask(provider, trial.request)
        return True, trial.judge(message, pieces), ""
    except ProviderError as error:
        return False, str(error), error.trouble
    except ValueError as error:
        return False, str(error), ""


async def _provoke(provider: Provider) -> tuple[bool, str]:
    """Ask for a model that does not exist: the provider must refuse it in words that can be told."""
    try:
        await _ask(provider, Request(NO_MODEL, (UserMessage("Hello."),), most_tokens=16))
    except ProviderError as error:
        is_right = error.trouble == "request"
        return is_right, "a wrong model is refused" if is_right else f"{error.trouble}: {error}"
    return False, "a model that does not exist answered"


async def _ask(provider: Provider, request: Request) -> tuple[AssistantMessage, int]:
    """The answer, and in how many pieces its text came."""
    pieces, message = 0, AssistantMessage()
    async with aclosing(provider.answer(request)) as events:
        async for event in events:
            if isinstance(event, TextAdded):
                pieces += 1
            elif isinstance(event, Answered):
                message = event.message
    return message, pieces


def _trials(model: str) -> tuple[_Trial, ...]:
    def ask(text: str, **more: Any) -> Request:
        images = more.pop("images", ())
        return Request(model, (UserMessage(text, images),), most_tokens=MOST_TOKENS, **more)

    red = (Image(_red_square(), "image/png"),)
    output = OutputSchema("place", TOWN)
    return (
        _Trial("stream", ask("Count from one to twenty in words."), _judge_stream),
        _Trial("call", ask("Add 2 and 3 with the tool.", tools=(ADD,)), _judge_call),
        _Trial(
            "parallel calls",
            ask("Add 2 and 3, and add 4 and 5. Call the tool twice in one answer.", tools=(ADD,)),
            _judge_calls,
        ),
        _Trial("image", ask("Which colour is this square? Answer in one word.", images=red), _judge_image),
        _Trial("structured answer", ask("Where is the Eiffel Tower?", output=output), _judge_output),
    )


def _judge_stream(message: AssistantMessage, pieces: int) -> str:
    if not message.text.strip():
        raise ValueError("the answer has no text")
    return f"{len(message.text)} characters in {pieces} {'piece' if pieces == 1 else 'pieces'}"


def _judge_call(message: AssistantMessage, pieces: int) -> str:
    found = _sums(message)
    if not found:
        raise ValueError("the model did not call the tool")
    if found[0] != {"a": 2, "b": 3}:
        raise ValueError(f"the arguments are {json.dumps(found[0])[:80]}")
    return "add(a=2, b=3)"


def _judge_calls(message: AssistantMessage, pieces: int) -> str:
    found = _sums(message)
    if len(found) < 2:
        raise ValueError(
            f"{len(found)} call{'' if len(found) == 1 else 's'} in one answer; two were asked for"
        )
    return f"{len(found)} calls in one answer"


def _judge_image(message: AssistantMessage, pieces: int) -> str:
    if "red" not in message.text.lower():
        raise ValueError("the model did not see that the picture is red")
    return "the colour was seen"


def _judge_output(message: AssistantMessage, pieces: int) -> str:
    try:
        value = json.loads(message.text)
    except ValueError:
        raise ValueError("the answer is not JSON") from None
    if not CompiledSchema(TOWN).is_valid(value):
        raise ValueError("the answer does not fit the schema")
    return "the answer fits the schema"


def _sums(message: AssistantMessage) -> list[dict[str, Any]]:
    """The arguments of each call of the tool."""
    found: list[dict[str, Any]] = []
    for call in message.calls:
        given: Any = call.arguments
        try:
            given = json.loads(given) if isinstance(given, str) else given
        except ValueError:
            given = None
        if call.name == ADD.name and isinstance(given, Mapping):
            found.append(dict(cast("Mapping[str, Any]", given)))
    return found


def _red_square(side: int = 64) -> bytes:
    """A PNG, all red."""
    rows = (b"\0" + b"\xff\0\0" * side) * side

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )
