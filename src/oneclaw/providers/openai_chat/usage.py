"""Normalises token usage of chat servers."""

from collections.abc import Mapping
from typing import Any

from oneclaw.core.message import Usage
from oneclaw.core.subschema import is_object, object_of


def read_usage(chunk: Mapping[str, Any]) -> Usage | None:
    """The usage in a chunk or a body; None where it says nothing of it."""
    usage: Any = chunk.get("usage")
    if not is_object(usage):
        usage = object_of(chunk.get("x_groq")).get("usage")
    if not is_object(usage):
        return None
    read = object_of(usage.get("prompt_tokens_details"))
    wrote = object_of(usage.get("completion_tokens_details"))
    tokens_in, tokens_out = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    # DeepSeek and Moonshot have names of their own for what came from the cache.
    named = (read, "cached_tokens"), (usage, "prompt_cache_hit_tokens"), (usage, "cached_tokens")
    cached = next((count for part, name in named if (count := _count(part, name))), 0)
    reasoning = _count(wrote, "reasoning_tokens")
    if reasoning and _count(usage, "total_tokens") == tokens_in + tokens_out + reasoning:
        tokens_out += reasoning  # xAI counts thoughts apart
    written = _count(read, "cache_write_tokens")
    return Usage(tokens_in, tokens_out, min(cached, tokens_in), min(written, tokens_in), reasoning)


def _count(usage: Mapping[str, Any], name: str) -> int:
    value = usage.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**53:
        return 0
    return int(value)
