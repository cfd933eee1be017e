"""Writes messages as Anthropic content blocks."""

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from oneclaw.core.call import Image, ToolResult
from oneclaw.core.image import media_type
from oneclaw.core.message import (
    AssistantMessage,
    CallPart,
    ForeignPart,
    Message,
    Part,
    ResultsMessage,
    TextPart,
    ThoughtPart,
    UserMessage,
)
from oneclaw.core.subschema import is_object
from oneclaw.providers.definitions import Definitions
from oneclaw.providers.written import as_object, wire_id

NAME = "anthropic"
MessageBlock = dict[str, Any]
_IMAGES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
_EMPTY = "(an empty message)"


def _say(text: str) -> MessageBlock:
    return {"type": "text", "text": text}


EARLIER: MessageBlock = {"role": "user", "content": [_say("(Earlier messages are left out.)")]}
GO_ON: MessageBlock = {"role": "user", "content": [_say("Go on.")]}


def write_message(message: Message, definitions: Definitions) -> Iterable[MessageBlock]:
    """The one item a message becomes, or none when nothing of it can be sent."""
    if isinstance(message, UserMessage):
        blocks = [_image(image) for image in message.images]
        blocks += [_say(message.text)] if message.text.strip() else []
        return [{"role": "user", "content": blocks or [_say(_EMPTY)]}]
    if isinstance(message, ResultsMessage):
        blocks = [_result(result) for result in message.results]
        return [{"role": "user", "content": blocks}] if blocks else []
    return write_answer(message, definitions, has_thoughts=True)


def after_of(message: AssistantMessage) -> str | None:
    """The fingerprint of what the thoughts of an answer came after; None when it has none to send."""
    if message.wire != NAME:
        return None
    thoughts = (part.echo for part in message.parts if isinstance(part, ThoughtPart) and part.echo)
    echo = next(thoughts, None)
    return None if echo is None else str(echo.get("after"))


def is_paused(message: Message | None) -> bool:
    """Whether the provider paused in the middle of a long turn, and goes on when it is sent back."""
    return (
        isinstance(message, AssistantMessage)
        and message.wire == NAME
        and message.finish == "calls"
        and not message.calls
    )


def past_tools(messages: Sequence[Message], definitions: Definitions) -> list[MessageBlock]:
    """Stand-ins for the tools of past calls, by name."""
    calls = (call for each in messages if isinstance(each, AssistantMessage) for call in each.calls)
    names = sorted({definitions.sent_name(call.name) for call in calls})
    gone = "Not available any more."
    return [{"name": name, "description": gone, "input_schema": {"type": "object"}} for name in names]


def _result(result: ToolResult) -> MessageBlock:
    content = [_say(result.to_json()), *(_image(image) for image in result.images)]
    block = {"type": "tool_result", "tool_use_id": wire_id(result.call_id), "content": content}
    return block if result.ok else {**block, "is_error": True}


def _image(image: Image) -> MessageBlock:
    # A picture that is not what it is said to be has the request refused.
    name = media_type(image.data) or image.media_type
    if name not in _IMAGES:
        return _say(f"(A picture of {len(image.data):,} bytes, {name[:60]}, that cannot be shown here.)")
    source = {"type": "base64", "media_type": name, "data": b64encode(image.data).decode()}
    return {"type": "image", "source": source}


def write_answer(
    message: AssistantMessage, definitions: Definitions, has_thoughts: bool
) -> Iterable[MessageBlock]:
    """The item of an answer; without its thoughts where they are not taken any more."""
    open_ids = _open_ids(message)
    blocks: list[MessageBlock] = []
    for part in message.parts:
        if isinstance(part, ThoughtPart) and not has_thoughts:
            continue
        block = _assistant_block(part, definitions, message.wire == NAME, open_ids)
        if block is not None:
            blocks.append(block)
        elif message.wire == NAME and not isinstance(part, ThoughtPart):
            has_thoughts = False  # a thought is signed for the blocks before it as well
    return [{"role": "assistant", "content": blocks}] if blocks else []


def _assistant_block(
    part: Part, definitions: Definitions, is_ours: bool, open_ids: frozenset[str]
) -> MessageBlock | None:
    """The block of a part; None for what cannot be sent (blank text, foreign parts, unsigned thoughts)."""
    echo: Mapping[str, Any] = part.echo or {} if is_ours else {}
    if isinstance(part, TextPart):
        return {**_say(part.text), **echo} if part.text.strip() else None
    if isinstance(part, CallPart):
        return _call(part, definitions, echo, open_ids)
    if isinstance(part, ForeignPart):
        return {**echo} if echo and str(echo.get("id")) not in open_ids else None
    if not echo:
        return None
    block = {name: value for name, value in echo.items() if name != "after"}
    return {**block, "thinking": part.text} if block.get("type") == "thinking" else block


def _call(
    part: CallPart, definitions: Definitions, echo: Mapping[str, Any], open_ids: frozenset[str]
) -> MessageBlock:
    call = part.call
    block = {"type": "tool_use", "id": wire_id(call.id), "name": definitions.sent_name(call.name)}
    block = {**block, "input": as_object(call.arguments), **echo}
    caller = block.get("caller")
    if is_object(caller) and str(caller.get("tool_id")) in open_ids:
        del block["caller"]  # the program that made the call is not sent
    return block


def _open_ids(message: AssistantMessage) -> frozenset[str]:
    """Ids of the provider's own calls that have no result, nor can get one: the answer was broken off."""
    if message.wire != NAME or message.finish == "calls":
        return frozenset()
    echoes = [part.echo for part in message.parts if isinstance(part, ForeignPart)]
    done = {echo["tool_use_id"] for echo in echoes if isinstance(echo.get("tool_use_id"), str)}
    begun = {echo["id"] for echo in echoes if "input" in echo and isinstance(echo.get("id"), str)}
    return frozenset(begun - done)
