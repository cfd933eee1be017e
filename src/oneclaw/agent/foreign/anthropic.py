"""Reads messages of Anthropic's Messages API and of Bedrock's Converse."""

from typing import Any

from oneclaw.agent.foreign.block import ForeignBlock, as_text, blocks, is_block, read_block, result_of
from oneclaw.agent.foreign.draft import Draft
from oneclaw.core.call import Image

_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use", "tool-call", "toolCall")
_THOUGHTS = ("thinking", "reasoning")
_HIDDEN = ("redacted_thinking", "redacted-reasoning")


def is_call(block: ForeignBlock) -> bool:
    return block.get("type") in _CALLS or is_block(block.get("toolUse"))


def is_result(block: ForeignBlock) -> bool:
    kind = block.get("type")
    named = isinstance(kind, str) and (kind in ("tool-result", "toolResult") or kind.endswith("tool_result"))
    return named or is_block(block.get("toolResult"))


def read_assistant(content: Any, draft: Draft) -> None:
    """The blocks of an answer; a result that the provider made itself stands among them."""
    for block in blocks(content):
        read_answer_block(block, draft)


def read_answer_block(block: ForeignBlock, draft: Draft) -> None:
    kind = block.get("type")
    if is_call(block):
        call: ForeignBlock = block["toolUse"] if is_block(block.get("toolUse")) else block
        draft.call(
            _first(call, "name", "toolName"),
            _first(call, "input", "args", "arguments"),
            _first(call, "id", "toolUseId", "toolCallId"),
        )
    elif is_result(block):
        read_result(block, draft)
    elif kind in _THOUGHTS:
        draft.thought(as_text(_first(block, "thinking", "text", "reasoning")))
    elif kind not in _HIDDEN:
        image, text = read_block(block)
        draft.text(text if image is None else "(A picture stood here.)")


def read_user(content: Any, draft: Draft) -> None:
    """Results first, for they belong to the answer before; then what the user says."""
    said: list[str] = []
    images: list[Image] = []
    for block in blocks(content):
        if is_result(block):
            read_result(block, draft)
        elif is_call(block):  # a call that somebody filed under the wrong role
            read_answer_block(block, draft)
        else:
            image, text = read_block(block)
            images.extend(() if image is None else (image,))
            said.extend((text,) if text.strip() else ())
    draft.user("\n".join(said), images)


def read_result(block: ForeignBlock, draft: Draft) -> None:
    held: ForeignBlock = block["toolResult"] if is_block(block.get("toolResult")) else block
    content = _first(held, "content", "output", "result")
    failed = held.get("is_error") is True or held.get("isError") is True or held.get("status") == "error"
    value, images = result_of(content)
    draft.result(
        _first(held, "tool_use_id", "toolUseId", "toolCallId", "tool_call_id", "id"),
        value,
        tool=_first(held, "toolName", "tool_name", "name"),
        is_error=failed,
        images=images,
    )


def _first(block: ForeignBlock, *names: str) -> Any:
    """The first of some fields that is there."""
    return next((block[name] for name in names if block.get(name) is not None), None)
