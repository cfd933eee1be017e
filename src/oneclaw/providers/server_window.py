"""Asks a server of one's own how many tokens a model reads; each kind of server says it at another place.

Ollama      /api/ps, for a model that is loaded; else /api/show: `num_ctx`, or what the model could read
LM Studio   /api/v0/models: `loaded_context_length`, else `max_context_length`
llama.cpp   /props: `default_generation_settings.n_ctx`
vLLM        /v1/models: `max_model_len`, as several other servers do
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from oneclaw.core.subschema import is_array, is_object, object_of
from oneclaw.providers.base import ProviderError

Fetch = Callable[[str, Mapping[str, Any] | None], Awaitable[Any]]
"""Gets the JSON at a path of the server; with a body by POST. Raises `ProviderError`."""

MOST_GUESSED = 32_768
"""Of what a model could read, Ollama gives it less: it is not taken for more than this."""
LEAST = 512
MOST = 100_000_000


async def ask_window(fetch: Fetch, provider: str, model: str) -> int | None:
    """The window of a model in tokens; None where its server does not say.

    Raises `ProviderError` where the server cannot be reached.
    """
    ways = {"vllm": _of_list, "lmstudio": _of_lmstudio, "llamacpp": _of_llamacpp, "ollama": _of_ollama}
    for way in (ways[provider],) if provider in ways else ways.values():
        try:
            found = await way(fetch, model)
        except ProviderError as error:
            if error.trouble in ("network", "timeout", "key"):
                raise
            continue  # another kind of server
        if found is not None:
            return found
    return None


async def _of_list(fetch: Fetch, model: str) -> int | None:
    row = _row(await fetch("/models", None), "data", "id", model)
    return _tokens(row.get("max_model_len")) or _tokens(row.get("context_length"))


async def _of_lmstudio(fetch: Fetch, model: str) -> int | None:
    row = _row(await fetch("//api/v0/models", None), "data", "id", model)
    return _tokens(row.get("loaded_context_length")) or _tokens(row.get("max_context_length"))


async def _of_llamacpp(fetch: Fetch, model: str) -> int | None:
    document = object_of(await fetch("//props", None))
    return _tokens(object_of(document.get("default_generation_settings")).get("n_ctx"))


async def _of_ollama(fetch: Fetch, model: str) -> int | None:
    named = model if ":" in model else f"{model}:latest"
    loaded = _tokens(_row(await fetch("//api/ps", None), "models", "name", named).get("context_length"))
    if loaded is not None:
        return loaded
    document = object_of(await fetch("//api/show", {"model": model}))
    said = re.search(r"^num_ctx\s+(\d{1,9})\s*$", str(document.get("parameters") or ""), re.MULTILINE)
    if said is not None:
        return _tokens(int(said[1]))
    facts = object_of(document.get("model_info"))
    longest = next((_tokens(value) for key, value in facts.items() if key.endswith(".context_length")), None)
    return None if longest is None else min(longest, MOST_GUESSED)


def _row(document: object, field: str, key: str, name: str) -> Mapping[str, Any]:
    rows = object_of(document).get(field)
    for row in rows if is_array(rows) else ():
        if is_object(row) and row.get(key) == name:
            return row
    return {}


def _tokens(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if LEAST <= value <= MOST else None
