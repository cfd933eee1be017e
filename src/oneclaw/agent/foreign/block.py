"""Reads content blocks of foreign messages (text, pictures, arguments) without failing."""

import json
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard, cast

from oneclaw.core.call import Image
from oneclaw.core.errors import ToolError
from oneclaw.core.image import MAX_BYTES, media_type
from oneclaw.core.value import plain, readable

ForeignBlock = Mapping[str, Any]
_NOTE_CHARS = 2_000


def is_block(value: Any) -> TypeGuard[ForeignBlock]:
    return isinstance(value, Mapping)


def blocks(content: Any) -> Iterator[ForeignBlock]:
    """The content of a message as blocks, be it a text, one block, a list of both, or nothing."""
    if content is None:
        return
    for each in cast(list[Any], content) if isinstance(content, list | tuple) else [content]:
        if isinstance(each, Mapping):
            yield cast(ForeignBlock, each)
        elif isinstance(each, list):
            yield from blocks(each)
        elif each is not None:
            yield {"type": "text", "text": as_text(each)}


def texts_and_images(content: Any) -> tuple[str, list[Image]]:
    """The text of all blocks, one below the other, and the pictures that can be read."""
    texts: list[str] = []
    images: list[Image] = []
    for block in blocks(content):
        image, text = read_block(block)
        if image is not None:
            images.append(image)
        if text:
            texts.append(text)
    return "\n".join(texts), images


def result_of(content: Any) -> tuple[Any, list[Image]]:
    """Reads a tool result: text and images from blocks, else the plain value."""
    if is_block(content):
        is_made_of_blocks = "type" in content
    elif isinstance(content, list | tuple):
        is_made_of_blocks = all(_is_content(each) for each in cast(list[Any], content))
    else:
        is_made_of_blocks = content is None or isinstance(content, str)
    if is_made_of_blocks:
        return texts_and_images(content)
    return _plain(content), []


def _is_content(value: Any) -> bool:
    return isinstance(value, str) or (is_block(value) and bool({"type", "text", "image"} & set(value)))


def read_block(block: ForeignBlock) -> tuple[Image | None, str]:
    """A block of text or a picture; of anything else, and of a picture that is none, a note in words."""
    text: Any = block.get("text")
    kind = as_text(block.get("type", ""))
    if isinstance(text, str) and not _is_picture(block, kind):
        return None, readable(text)
    if is_block(text) and isinstance(text.get("value"), str):  # texts of OpenAI's assistants
        return None, readable(text["value"])
    if _is_picture(block, kind):
        return _picture(block)
    for field in ("refusal", "json", "content"):
        if field in block and len(block) <= 3:
            return None, as_text(block[field])
    return None, f"({kind or 'something'} that cannot be read here: {as_text(block)[:_NOTE_CHARS]})"


def _is_picture(block: ForeignBlock, kind: str) -> bool:
    names = ("inlineData", "inline_data", "fileData", "file_data", "image_url")
    return kind in ("image", "image_url", "input_image") or any(name in block for name in names)


def _picture(block: ForeignBlock) -> tuple[Image | None, str]:
    data, address = _source(block)
    if data is not None:
        try:
            held = b64decode("".join(as_text(data).split()), validate=False)
        except (Base64Error, ValueError):
            held = b""
        found = media_type(held)
        if found is not None and len(held) <= MAX_BYTES:
            return Image(held, found), ""
        return None, "(A picture stood here that cannot be read.)"
    return None, f"(A picture stood here: {address[:_NOTE_CHARS]})" if address else "(A picture stood here.)"


def _source(block: ForeignBlock) -> tuple[Any, str]:
    """The base64 of a picture, or its address."""
    for name in ("source", "inlineData", "inline_data", "image_url", "fileData", "file_data", "image"):
        held: Any = block.get(name)
        if isinstance(held, str):
            return _from_address(held)
        if is_block(held):
            if held.get("data") is not None:
                return held["data"], ""
            for field in ("url", "fileUri", "file_uri", "file_id"):
                if isinstance(held.get(field), str):
                    return _from_address(held[field])
    data: Any = block.get("data")
    return (data, "") if isinstance(data, str) else (None, as_text(block.get("file_id") or ""))


def _from_address(address: str) -> tuple[Any, str]:
    if address.startswith("data:"):
        return address.partition(",")[2], ""
    return None, address


def arguments_of(value: Any) -> dict[str, Any] | str:
    """The arguments of a call: an object where they are one, else the raw text, as the engine takes it."""
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return _plain(dict(cast(Mapping[str, Any], value)))
    if not isinstance(value, str):
        return as_text(value)
    read: Any = value
    for _ in range(2):  # JSON text that was written as JSON once more
        try:
            read = json.loads(read)
        except (ValueError, RecursionError, TypeError):
            break
        if isinstance(read, dict):
            return _plain(cast(dict[str, Any], read))
    return readable(value) if value.strip() else {}


def _plain(value: Any) -> Any:
    try:
        return plain(value)
    except ToolError:  # too deep, too much, or a circle
        return as_text(value)


def as_text(value: Any) -> str:
    """Any value as text: a text as it is, the rest as JSON."""
    if isinstance(value, str):
        return readable(value)
    if value is None:
        return ""
    try:
        return readable(json.dumps(value, ensure_ascii=False, default=str))
    except (ValueError, TypeError, RecursionError):
        return f"({type(value).__name__} that cannot be read)"
