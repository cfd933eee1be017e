"""The result of a call as MCP content: text, structured content, images, and a link to what was cut."""

import json
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from oneclaw.core.call import ToolResult
from oneclaw.core.tool import ToolDefinition

BLOCKS = "mcp_content"
"""The detail of a result that has blocks of MCP content: they are given on as they are, in place of text."""


def text_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def failed(message: str) -> dict[str, Any]:
    """The result of a call that could not be run."""
    return {"resultType": "complete", "content": [text_block(message)], "isError": True}


def to_mcp(
    result: ToolResult,
    definition: ToolDefinition | None,
    is_modern: bool,
    link: Mapping[str, Any] | None = None,
    whole: str | None = None,
) -> dict[str, Any]:
    """The MCP result of a call. An error is a result, too, and says so.

    `link` leads to the whole of a result that was cut; `whole` is that result as JSON text, where a schema
    promises all of it.
    """
    if result.kind is not None:
        return failed(_with_notes(result.message, result.repairs))
    value, details = result.value, result.details
    blocks = None if details is None else details.get(BLOCKS)
    content: list[Any] = list(blocks) if isinstance(blocks, list | tuple) else []  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if not content:
        text = result.text
        if text or not result.images:
            content.append(text_block(text))
    for image in result.images:
        data = b64encode(image.data).decode("ascii")
        content.append({"type": "image", "data": data, "mimeType": image.media_type})
    if result.repairs:
        content.append(text_block(_with_notes("", result.repairs)))
    if link is not None:
        content.append(dict(link))
    made: dict[str, Any] = {"resultType": "complete", "content": content}
    promised = definition is not None and definition.output is not None
    if promised and result.truncated_from is not None:
        if whole is None:
            return failed("The result is too long to be given whole, as its schema promises.")
        value = json.loads(whole)
    if isinstance(value, dict) or (is_modern and (promised or not isinstance(value, str))):
        made["structuredContent"] = value
    return made


def _with_notes(text: str, notes: tuple[str, ...]) -> str:
    note = f"(Note: {'; '.join(notes)}.)" if notes else ""
    return "\n\n".join(part for part in (text, note) if part)
