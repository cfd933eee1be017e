"""Provider protocol: requests, answers, errors, and the wire format of HTTP providers.

Provider   whoever answers a `Request`: `RemoteProvider` over a wire, `Scripted`, a local model
Wire       one format of requests and answers (pure: bytes out, events in, no I/O); one file each
Reader     reads the answer to one request, event by event
"""

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from oneclaw.core.answer import AnswerEvent, AnswerProgress
from oneclaw.core.errors import OneClawError
from oneclaw.core.fast_init import fast_init
from oneclaw.core.message import AssistantMessage, Message
from oneclaw.core.tool import ToolDefinition

Trouble = Literal[
    "key", "request", "window", "quota", "limit", "overload", "server", "network", "timeout", "stream"
]
"""Kinds of failure:

    key       no key, or one that is refused (401, 403)
    request   the provider does not take the request (400, 404, 413, 422)
    window    the conversation is longer than the model reads
    quota     nothing left to spend; waiting does not help
    limit     too many requests for now (429)
    overload  the provider is overloaded (503, 529)
    server    the provider failed (other 5xx, an error inside a stream)
    network   it could not be reached, or the connection was reset
    timeout   it was silent for too long, or took too long in all
    stream    the answer was not what the wire format says: HTML, broken JSON, an early end
"""
RETRIED: frozenset[Trouble] = frozenset({"limit", "overload", "server", "network", "timeout", "stream"})


class ProviderError(OneClawError):
    """A request to a model that failed; the text is one sentence with the next step, and holds no key."""

    def __init__(
        self, message: str, trouble: Trouble, *, status: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.trouble: Trouble = trouble
        self.status = status
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True, eq=False)
class OutputSchema:
    """The schema that the final answer has to fit: an object, with a name of letters, digits, _ and -.

    `is_native` says whether the provider's own field for it may be used; if not, it is told in words.
    """

    name: str
    schema: Mapping[str, Any]
    is_native: bool = True


@fast_init
@dataclass(frozen=True, slots=True)
class Request:
    """One request to a model.

    model        the name the provider knows it by, without the provider: `claude-sonnet-4-6`
    messages     a valid conversation (see core/message); it is not changed while the answer is read
    tools        definitions; the same tuple object as in the last request means the same tools
    can_call     whether the model may call the tools; if not, they are left out, or forbidden where the
                 format wants to know the tools of past calls
    most_tokens  the longest answer; None leaves it to the wire (Anthropic must name one)
    options      extra fields of the request body, as the owner wrote them (`temperature`, `reasoning`)
    output       the schema of the final answer; None where it is free text
    """

    model: str
    messages: Sequence[Message]
    instructions: str = ""
    tools: tuple[ToolDefinition, ...] = ()
    can_call: bool = True
    most_tokens: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    output: OutputSchema | None = None


class Provider(Protocol):
    """Answers requests. One that fails raises `ProviderError`; closing the generator stops the request."""

    def answer(self, request: Request) -> AsyncGenerator[AnswerEvent]: ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event of a stream: its name (often empty) and its data."""

    name: str
    data: str


class AnswerReader(Protocol):
    """Reads one answer. The same calls whether it comes as a stream or whole."""

    @property
    def is_complete(self) -> bool:
        """Whether the provider's own end of the answer was seen."""
        ...

    def feed(self, event: ServerEvent) -> Iterable[AnswerProgress]:
        """Take in one event of a stream; raises `ProviderError` for an error inside it."""
        ...

    def take(self, body: Mapping[str, Any]) -> Iterable[AnswerProgress]:
        """Take in a whole, non-streamed body: a stream of one."""
        ...

    def message(self) -> AssistantMessage:
        """The message so far; `finish` is `cut` while the answer is not complete.

        Calls have unique ids, tools their own names (`Definitions.read_call`), and a `fault` where the
        arguments were cut. May be called more than once.
        """
        ...


class Wire(Protocol):
    """One wire format. Pure: it makes bytes and reads events."""

    @property
    def name(self) -> str: ...

    def path(self, request: Request) -> str:
        """The end of the address, after the base URL, query included: `/v1/messages`."""
        ...

    def headers(self, key: str | None) -> dict[str, str]:
        """The headers this format needs, with the key where it wants it; not Content-Type."""
        ...

    def write(self, request: Request) -> bytes:
        """The body of the request, asking for a stream."""
        ...

    def reader(self, request: Request) -> AnswerReader: ...

    def explain(self, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        """Extracts the text of an error body: the provider's JSON, or a proxy's HTML."""
        ...
