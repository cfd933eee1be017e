"""Estimates the tokens of a message from its characters, slightly too high.

What a request really took is known after it (`Usage`); this is for what has not been sent yet. The figures
were set by recorded requests and answers of several providers: see docs/decisions/0021.
"""

from collections.abc import Iterable

from oneclaw.agent.excerpt import arguments_text
from oneclaw.core.call import ToolResult
from oneclaw.core.message import (
    AssistantMessage,
    CallPart,
    ForeignPart,
    Message,
    Part,
    ThoughtPart,
    UserMessage,
)
from oneclaw.core.tool import ToolDefinition
from oneclaw.core.value import compact

IMAGE_TOKENS = 1_600
"""A picture of the largest size providers read; smaller ones take less."""
MESSAGE_TOKENS = 6
CALL_TOKENS = 42
RESULT_TOKENS = 20
TOOL_TOKENS = 12
TOOLS_TOKENS = 400
"""Tokens that some providers add as soon as there is one tool."""

DENSE_CHARS = 2.0
"""Characters of a token where there are no words."""

_CHARS = 3.3
_SPACES = 1 / 24
_EXTRA_BYTES = 0.45
_SEALED_CHARS = 8


def estimate(message: Message) -> int:
    """The tokens of one message as it is sent. Looks at all of it: ask once per message."""
    if isinstance(message, UserMessage):
        return MESSAGE_TOKENS + estimate_text(message.text) + IMAGE_TOKENS * len(message.images)
    if isinstance(message, AssistantMessage):
        return MESSAGE_TOKENS + sum(_estimate_part(part) for part in message.parts)
    return MESSAGE_TOKENS + sum(estimate_result(result) for result in message.results)


def estimate_text(text: str) -> int:
    """The tokens of a text.

    Words take few tokens, what has no spaces (base64, numbers, dense JSON) more; beyond ASCII a character
    takes more tokens the more bytes it has.
    """
    chars = len(text)
    dense = chars > 24 and text.count(" ") < chars * _SPACES
    extra_bytes = 0 if text.isascii() else len(text.encode("utf-8", "surrogatepass")) - chars
    if dense and extra_bytes > chars // 2:
        dense = False  # Chinese and its like are written without spaces
    return int(chars / (DENSE_CHARS if dense else _CHARS) + extra_bytes * _EXTRA_BYTES) + 1


def estimate_result(result: ToolResult) -> int:
    """The tokens of one result."""
    notes = sum(len(note) for note in result.repairs)
    return (
        RESULT_TOKENS + estimate_text(result.text) + int(notes / _CHARS) + IMAGE_TOKENS * len(result.images)
    )


def estimate_tools(definitions: Iterable[ToolDefinition]) -> int:
    """The tokens of the definitions that go with a request."""
    each = [
        TOOL_TOKENS
        + estimate_text(definition.name)
        + estimate_text(definition.description)
        + int(len(compact(definition.parameters)) / _CHARS)
        for definition in definitions
    ]
    return TOOLS_TOKENS + sum(each) if each else 0


def _estimate_part(part: Part) -> int:
    if isinstance(part, CallPart):
        return CALL_TOKENS + estimate_text(part.call.name) + estimate_text(arguments_text(part.call))
    if isinstance(part, ForeignPart):
        return estimate_text(compact(part.echo))
    if isinstance(part, ThoughtPart):
        # Not sent without its echo; sealed thoughts and signatures are counted far below their characters.
        if part.echo is None:
            return 0
        return estimate_text(part.text) + len(compact(part.echo)) // _SEALED_CHARS
    return estimate_text(part.text)
