"""Messages of a conversation: user messages, model answers and call results.

A conversation is a list of messages, the same for every provider. It is valid when every `AssistantMessage`
with calls is followed at once by one `ResultsMessage` that has one result for each of them, in their order,
and no other message holds results. The instructions of the agent are no message: they go with each request.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from oneclaw.core.call import Image, ToolCall, ToolResult
from oneclaw.core.fast_init import fast_init

Echo = Mapping[str, Any]
"""Provider data that must be sent back unchanged (a signature, a reasoning item, an id).

It is plain JSON, and is sent only to the wire format that made it (`AssistantMessage.wire`); any other leaves
it out.
"""


@fast_init
@dataclass(frozen=True, slots=True)
class TextPart:
    """Text for the user. A refusal is text too; `AssistantMessage.finish` says that it is one."""

    text: str
    echo: Echo | None = None


@dataclass(frozen=True, slots=True)
class ThoughtPart:
    """A thought: visible text (may be empty) and data to send back."""

    text: str = ""
    echo: Echo | None = None


@fast_init
@dataclass(frozen=True, slots=True)
class CallPart:
    """A call the model asks for. `call.fault` is set when its arguments were cut: then it must not run."""

    call: ToolCall
    echo: Echo | None = None


@dataclass(frozen=True, slots=True)
class ForeignPart:
    """A part we do not look into, as a search the provider ran: shown as `text`, sent back as it came."""

    echo: Echo
    text: str = ""


Part = TextPart | ThoughtPart | CallPart | ForeignPart

Finish = Literal["stop", "calls", "length", "refusal", "cut", "stopped"]
"""Why an answer ended: the model was done; it wants calls; it ran into its length limit; it (or a filter)
refused; the stream broke off and could not be had again; the user stopped it."""


@fast_init
@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request or of several.

    input   all that was read, `cached` of them from a cache, `cache_written` of them into one
    output  all that was written, `reasoning` of them thoughts
    """

    input: int = 0
    output: int = 0
    cached: int = 0
    cache_written: int = 0
    reasoning: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cached + other.cached,
            self.cache_written + other.cache_written,
            self.reasoning + other.reasoning,
        )

    @property
    def total(self) -> int:
        return self.input + self.output


MessageOrigin = Literal["user", "summary", "guard", "skills"]
"""The origin of a user message: a person or another agent, a summary, a guard, or skills
that were loaded in what was left out."""


@dataclass(frozen=True, slots=True)
class UserMessage:
    """A user message, with images."""

    text: str
    images: tuple[Image, ...] = ()
    origin: MessageOrigin = "user"


@dataclass(frozen=True)
class AssistantMessage:
    """One answer of a model, its parts in the order they came.

    wire   the wire format that made it, as `anthropic`; only it is sent the echoes of the parts
    model  the full name of the model, as `anthropic/claude-sonnet-4-6`
    """

    parts: tuple[Part, ...] = ()
    finish: Finish = "stop"
    wire: str = ""
    model: str = ""
    usage: Usage = field(default_factory=Usage)

    @cached_property
    def calls(self) -> tuple[ToolCall, ...]:
        return tuple([part.call for part in self.parts if isinstance(part, CallPart)])

    @cached_property
    def text(self) -> str:
        """All the text for the user, run together."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))


@fast_init
@dataclass(frozen=True, slots=True)
class ResultsMessage:
    """The results of all calls of the answer before it, in their order; `call_id` says which is whose."""

    results: tuple[ToolResult, ...]


Message = UserMessage | AssistantMessage | ResultsMessage
