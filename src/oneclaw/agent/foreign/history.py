"""Converts another agent's saved conversation to valid OneClaw messages.

Every item is read by its own shape, so that a history which mixes formats (they exist) is read too; the
format that was named, or that most items look like, decides where a shape fits several.
"""

import logging
from collections.abc import Mapping
from typing import Any, cast

from oneclaw.agent.foreign import anthropic, chat, gemini, responses
from oneclaw.agent.foreign.block import ForeignBlock, as_text, is_block, texts_and_images
from oneclaw.agent.foreign.draft import Draft
from oneclaw.agent.repair import repair_conversation
from oneclaw.core.errors import InvalidConfig, describe
from oneclaw.core.message import Message

FORMATS = ("anthropic", "openai_chat", "openai_responses", "gemini")
_HINTS = (
    ("response", "openai_responses"),
    ("gemini", "gemini"),
    ("google", "gemini"),
    ("vertex", "gemini"),
    ("anthropic", "anthropic"),
    ("claude", "anthropic"),
    ("bedrock", "anthropic"),
    ("chat", "openai_chat"),
    ("openai", "openai_chat"),
)
_INSTRUCTIONS = ("system", "developer")
_ANSWERS = ("assistant", "model", "ai", "bot")
_RESULTS = ("tool", "function", "tool_result", "toolResult")

log = logging.getLogger("oneclaw")


def read_history(document: Any, format: str | None = None) -> list[Message]:
    """The messages of a saved conversation, one of `FORMATS`, guessed where it is not given.

    Content never raises: what cannot be read becomes text that shows it. Calls are never run from here; one
    without a result gets an error that says so. Raises `InvalidConfig` for a document that is no list.
    """
    if not isinstance(document, list | tuple):
        raise InvalidConfig(
            f"A history is a list of messages, and this is a {type(document).__name__}{_remedy(document)}."
        )
    items = cast(list[Any], document)
    known = name_format(format) or guess_format(items)
    draft = Draft()
    for item in items:
        _read_safely(item, known, draft)
    mended = repair_conversation(draft.messages())
    for note in mended.notes:
        log.info("A history was mended: %s", note)
    return mended.messages


def name_format(format: str | None) -> str | None:
    """The format that a name means, as `anthropic-messages`; None where it means none that is known."""
    asked = (format or "").lower()
    return next((name for hint, name in _HINTS if hint in asked), None)


def guess_format(items: list[Any]) -> str:
    """The format that the items look like; what fits several is read the same by all of them."""
    for item in items:
        if not isinstance(item, Mapping):
            continue
        shown = _unwrapped(cast(ForeignBlock, item))
        if gemini.is_content(shown):
            return "gemini"
        if responses.is_item(shown):
            return "openai_responses"
        if "tool_calls" in shown or "function_call" in shown or shown.get("role") in _RESULTS:
            return "openai_chat"
        if isinstance(shown.get("content"), list):
            held = cast(list[Any], shown["content"])
            if any(is_block(block) and str(block.get("type")).startswith("tool_") for block in held):
                return "anthropic"
    return "openai_chat"


def _remedy(document: Any) -> str:
    if is_block(document):
        for name in ("messages", "contents", "input", "items", "history"):
            if isinstance(document.get(name), list):
                return f"; give its member {name!r}"
    return "; give the list itself"


def _read_safely(item: Any, format: str, draft: Draft) -> None:
    try:
        _read(item, format, draft)
    except Exception as error:  # a shape nobody thought of must not cost the rest of the conversation
        log.warning("An item of a history could not be read: %s", describe(error))
        draft.user(f"(An item that cannot be read stood here: {as_text(item)[:2000]})")


def _read(item: Any, format: str, draft: Draft) -> None:
    if not isinstance(item, Mapping):
        draft.user(as_text(item))
        return
    shown = _unwrapped(cast(ForeignBlock, item))
    if gemini.is_content(shown):
        gemini.read_content(shown, draft)
    elif responses.is_item(shown):
        responses.read_item(shown, draft)
    elif anthropic.is_call(shown):  # a block that stands where a message should
        anthropic.read_answer_block(shown, draft)
    elif anthropic.is_result(shown):
        anthropic.read_result(shown, draft)
    else:
        _read_message(shown, format, draft)


def _unwrapped(item: ForeignBlock) -> ForeignBlock:
    """The message of a line of a log, which has it inside."""
    for name in ("message", "payload"):
        inside = item.get(name)
        if is_block(inside) and "role" not in item and "content" not in item:
            return inside
    return item


def _read_message(item: ForeignBlock, format: str, draft: Draft) -> None:
    role = item.get("role")
    if role in _INSTRUCTIONS:
        draft.system(texts_and_images(item.get("content"))[0])
    elif role in _ANSWERS or (role not in ("user", *_RESULTS) and _has_calls(item)):
        if format != "openai_responses":
            draft.end()  # there, what one answer says comes as several items
        chat.read_assistant(item, draft)
    elif role in _RESULTS:
        chat.read_tool(item, draft)
    elif "content" in item or role == "user":
        anthropic.read_user(item.get("content"), draft)
    else:
        draft.user(as_text(item)[:2000])


def _has_calls(item: ForeignBlock) -> bool:
    return bool(item.get("tool_calls")) or is_block(item.get("function_call"))
