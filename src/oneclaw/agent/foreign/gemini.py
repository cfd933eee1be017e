"""Reads contents of Gemini's generateContent; matches calls and results by name where ids are missing."""

from typing import Any

from oneclaw.agent.foreign.block import (
    ForeignBlock,
    as_text,
    blocks,
    is_block,
    read_block,
    result_of,
    texts_and_images,
)
from oneclaw.agent.foreign.draft import Draft
from oneclaw.core.call import Image

_USERS = ("user", "function", "tool", "system")


def is_content(item: ForeignBlock) -> bool:
    return "parts" in item and "content" not in item


def read_content(item: ForeignBlock, draft: Draft) -> None:
    draft.end()
    is_model = item.get("role") not in _USERS and _sounds_like_model(item)
    if item.get("role") == "system":
        draft.system(texts_and_images(item.get("parts"))[0])
        return
    said: list[str] = []
    images: list[Image] = []
    for part in blocks(item.get("parts")):
        call, response = _either(part, "functionCall"), _either(part, "functionResponse")
        if is_block(call):
            draft.call(call.get("name"), call.get("args"), call.get("id"))
        elif is_block(response):
            _read_response(response, draft)
        elif is_model:
            _read_answer_part(part, draft)
        else:
            image, text = _read_part(part)
            images.extend(() if image is None else (image,))
            said.extend((text,) if text.strip() else ())
    draft.user("\n".join(said), images)


def _sounds_like_model(item: ForeignBlock) -> bool:
    """A content without a role is the user's, unless it asks for a call."""
    if item.get("role") is not None:
        return True
    return any(is_block(_either(part, "functionCall")) for part in blocks(item.get("parts")))


def _read_answer_part(part: ForeignBlock, draft: Draft) -> None:
    image, text = _read_part(part)
    if part.get("thought") is True:
        draft.thought(text)
    else:
        draft.text(text if image is None else "(A picture stood here.)")


def _read_part(part: ForeignBlock) -> tuple[Image | None, str]:
    for name, field in (("executableCode", "code"), ("codeExecutionResult", "output")):
        held = _either(part, name)
        if is_block(held):
            return None, as_text(held.get(field))
    if not set(part) - {"thought", "thoughtSignature", "thought_signature"}:
        return None, ""  # a signature alone
    return read_block(part)


def _read_response(response: ForeignBlock, draft: Draft) -> None:
    held: Any = response.get("response")
    is_error = is_block(held) and held.get("error") is not None
    value: Any = held
    if is_block(held) and len(held) == 1:
        value = next((held[name] for name in ("error", "output", "result", "content") if name in held), held)
    elif is_error:
        value = held["error"]
    images = texts_and_images(response.get("parts"))[1]
    draft.result(
        response.get("id"),
        result_of(value)[0],
        tool=response.get("name"),
        is_error=is_error,
        images=images,
    )


def _either(part: ForeignBlock, name: str) -> Any:
    """A field as the wire spells it, or as Python does: functionCall, function_call."""
    found = part.get(name)
    if found is None:
        found = part.get("".join(f"_{each.lower()}" if each.isupper() else each for each in name))
    return found
