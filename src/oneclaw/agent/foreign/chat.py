"""Reads messages of OpenAI's Chat Completions, including the old `function_call`."""

from collections.abc import Mapping
from typing import Any, cast

from oneclaw.agent.foreign import anthropic
from oneclaw.agent.foreign.block import ForeignBlock, as_text, blocks, is_block, result_of
from oneclaw.agent.foreign.draft import Draft


def read_assistant(item: ForeignBlock, draft: Draft) -> None:
    for field in ("reasoning_content", "reasoning", "thinking"):
        if isinstance(item.get(field), str):
            draft.thought(as_text(item[field]))
            break
    for block in blocks(item.get("content")):
        anthropic.read_answer_block(block, draft)
    if isinstance(item.get("refusal"), str) and item["refusal"]:
        draft.refused(as_text(item["refusal"]))
    for call in _calls(item):
        _read_call(call, draft)


def _calls(item: ForeignBlock) -> list[Any]:
    calls = item.get("tool_calls")
    if is_block(calls):
        calls = [calls]
    found = cast(list[Any], calls) if isinstance(calls, list) else []
    legacy = item.get("function_call")
    return [*found, {"function": legacy}] if is_block(legacy) else found


def _read_call(call: Any, draft: Draft) -> None:
    if not isinstance(call, Mapping):
        draft.text(as_text(call))
        return
    call = cast(ForeignBlock, call)
    held: Any = call.get("function") if is_block(call.get("function")) else call.get("custom")
    named: ForeignBlock = held if is_block(held) else call
    arguments = next((named[name] for name in ("arguments", "args", "input") if name in named), None)
    draft.call(named.get("name"), arguments, call.get("id"))


def read_tool(item: ForeignBlock, draft: Draft) -> None:
    """The result of a call; `tool_call_id` is missing in old ones (role `function`), which go by name."""
    content = item.get("content")
    results = [block for block in blocks(content) if anthropic.is_result(block)]
    if results:
        for block in results:
            anthropic.read_result(block, draft)
        return
    value, images = result_of(content)
    is_error = True in (item.get("is_error"), item.get("isError")) or item.get("status") == "error"
    call_id = item.get("tool_call_id") or item.get("tool_use_id") or item.get("toolCallId")
    tool = item.get("name") or item.get("toolName")
    draft.result(call_id, value, tool=tool, is_error=is_error, images=images)
