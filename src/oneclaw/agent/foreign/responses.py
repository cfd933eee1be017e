"""Reads items of OpenAI's Responses API: messages, thoughts, calls and outputs."""

from typing import Any

from oneclaw.agent.foreign.block import ForeignBlock, as_text, blocks, result_of, texts_and_images
from oneclaw.agent.foreign.draft import Draft

_OUTPUTS = ("_call_output", "_call_response", "tool_result")
_HIDDEN = ("item_reference", "compaction", "mcp_list_tools")


def is_item(item: ForeignBlock) -> bool:
    """Whether it is an item that only this format has."""
    kind = item.get("type")
    return (
        isinstance(kind, str)
        and "role" not in item
        and (
            kind in ("message", "reasoning", "function_call", "mcp_approval_request", "mcp_approval_response")
            or kind in _HIDDEN
            or kind.endswith(("_call", *_OUTPUTS))
        )
    )


def read_item(item: ForeignBlock, draft: Draft) -> None:
    kind = as_text(item.get("type"))
    if kind == "reasoning":
        texts = [texts_and_images(item.get(field))[0] for field in ("summary", "content")]
        draft.thought("\n".join(text for text in texts if text))
    elif kind.endswith(_OUTPUTS):
        _read_output(item, draft)
    elif kind.endswith("_call"):
        _read_call(item, kind, draft)
    elif kind == "message":  # without a role
        for block in blocks(item.get("content")):
            draft.text(texts_and_images([block])[0])
    elif kind not in _HIDDEN:
        draft.text(f"({kind}: {as_text(item)[:500]})")


def _read_call(item: ForeignBlock, kind: str, draft: Draft) -> None:
    call_id = item.get("call_id")
    if call_id is None and kind not in ("function_call", "custom_tool_call"):
        # The provider ran it itself, as a search: there is no result to wait for.
        draft.text(f"({kind}: {as_text(item.get('action') or item.get('name') or item.get('status'))[:500]})")
        return
    arguments: Any = item.get("arguments")
    if arguments is None:
        arguments = item.get("action")
    if arguments is None and item.get("input") is not None:
        arguments = {"input": item["input"]}
    draft.call(item.get("name") or kind.removesuffix("_call"), arguments, call_id or item.get("id"))


def _read_output(item: ForeignBlock, draft: Draft) -> None:
    output = item.get("output")
    if output is None:
        output = item.get("content")
    value, images = result_of(output)
    draft.result(
        item.get("call_id") or item.get("tool_call_id") or item.get("id"),
        value,
        tool=item.get("name"),
        is_error=item.get("is_error") is True or item.get("status") == "failed",
        images=images,
    )
