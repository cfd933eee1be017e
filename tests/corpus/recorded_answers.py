"""Recorded answers of providers, told apart by their form, and what they say by a reading of our own."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Any, cast

from tests.corpus.conftest import read_rows

from oneclaw.core.subschema import is_array, is_object
from oneclaw.providers.http.sse import ServerEvents

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Recorded:
    """One answer: the documents of its stream, or the one document it is."""

    name: str
    documents: list[Json]
    is_stream: bool


@dataclass(frozen=True, slots=True)
class Content:
    """What an answer says; `items` is the list it is made of, as it has to go back."""

    text: str
    calls: list[tuple[str, Any]]
    finish: str
    items: list[Json]
    tokens: int = 0


def documents_of(body: Any) -> list[Any]:
    """The documents of a recorded body: a list of them, the text of a stream, or one."""
    if isinstance(body, str):
        parser = ServerEvents()
        body = [event.data for event in (*parser.feed(body.encode()), *parser.finish())]
    found: Sequence[Any] = body if is_array(body) else [body]
    return [json.loads(each) if isinstance(each, str) else each for each in found if each != "[DONE]"]


@cache
def bodies() -> list[tuple[str, Any, int]]:
    """The name, the body and the status of everything that was recorded."""
    found = [(row["id"], row["body"], 200) for row in read_rows("provider_streams")]
    return found + [(row["id"], row["response"], row["status"]) for row in read_rows("provider_wire")]


@cache
def answers(wire: str) -> list[Recorded]:
    """The answers of a wire format that end well; where a recording holds several, each on its own."""
    found: list[Recorded] = []
    for name, body, status in bodies():
        if status == 200 and (isinstance(body, str) or is_array(body) or is_object(body)):
            for number, documents in enumerate(_parted(documents_of(body))):
                if all(map(is_object, documents)) and ENDS[wire](documents):
                    found.append(Recorded(f"{name} {number}", documents, not is_object(body)))
    return found


def _parted(documents: list[Any]) -> Iterator[list[Any]]:
    kinds = [each.get("type") if is_object(each) else None for each in documents]
    starts = [at for at, kind in enumerate(kinds) if kind == "message_start"] or [0]
    for start, end in zip(starts, [*starts[1:], len(documents)], strict=True):
        yield documents[start:end]


def has_error(documents: list[Any]) -> bool:
    """Whether a stream tells an error."""
    kinds = ("error", "response.failed")
    return any(is_object(each) and (each.get("type") in kinds or each.get("error")) for each in documents)


# Anthropic, read by the official client.

_REASONS = {
    **dict.fromkeys(("end_turn", "stop_sequence"), "stop"),
    **dict.fromkeys(("tool_use", "pause_turn", "compaction"), "calls"),
    **dict.fromkeys(("max_tokens", "model_context_window_exceeded"), "length"),
    "refusal": "refusal",
}


def _anthropic_ends(documents: list[Json]) -> bool:
    kinds = [each.get("type") for each in documents]
    return kinds == ["message"] or ("error" not in kinds and kinds[-1:] == ["message_stop"])


def _anthropic(documents: list[Json]) -> Content:
    from anthropic.lib.streaming._beta_messages import accumulate_event

    whole = documents[0]
    if whole["type"] != "message":
        snapshot: Any = None
        buffers: dict[int, bytes] = {}
        for each in documents:
            if each["type"] != "ping":
                snapshot = cast(Any, accumulate_event)(
                    event=each, current_snapshot=snapshot, json_bufs=buffers, request_headers={}
                )
        whole = snapshot.to_dict()
    blocks = [without_nulls(block) for block in whole["content"]]
    calls = [(block["name"], block["input"]) for block in blocks if block["type"] == "tool_use"]
    text = "".join(block["text"] for block in blocks if block["type"] == "text")
    items = [block for block in blocks if block["type"] != "text" or block["text"].strip()]
    counted = [count for name, count in whole["usage"].items() if name.endswith("put_tokens") and count]
    return Content(text, calls, "calls" if calls else _REASONS[whole["stop_reason"]], items, sum(counted))


def without_nulls(value: Any) -> Any:
    """Without what is null, which says nothing."""
    if isinstance(value, dict):
        fields = cast(Json, value).items()
        return {
            name: without_nulls(inner) for name, inner in fields if inner is not None and name != "__json_buf"
        }
    return [without_nulls(inner) for inner in cast("list[Any]", value)] if isinstance(value, list) else value


# Gemini.


def _candidates(documents: list[Json]) -> list[Json]:
    return [each for document in documents for each in document.get("candidates") or ()]


def _gemini_ends(documents: list[Json]) -> bool:
    return any(each.get("finishReason") in ("STOP", "MAX_TOKENS") for each in _candidates(documents))


def parts_of(documents: list[Json]) -> list[Json]:
    return [part for each in _candidates(documents) for part in each.get("content", {}).get("parts", [])]


def _gemini(documents: list[Json]) -> Content:
    parts = parts_of(documents)
    text = "".join(part["text"] for part in parts if "text" in part and not part.get("thought"))
    called = [part["functionCall"] for part in parts if part.get("functionCall", {}).get("name")]
    is_long = "MAX_TOKENS" in [each.get("finishReason") for each in _candidates(documents)]
    finish = "length" if is_long else "calls" if called else "stop"
    counts = [each["usageMetadata"] for each in documents if "usageMetadata" in each]
    calls: list[tuple[str, Any]] = [
        (each["name"], None if "willContinue" in each else each.get("args") or {}) for each in called
    ]
    return Content(text, calls, finish, list(gemini_items(parts)), _gemini_tokens(counts))


def gemini_items(parts: list[Json]) -> Iterator[Json]:
    """What has to go back: runs of plain text joined, unsigned thoughts and empty texts left out."""
    kept = [part for part in parts if "thoughtSignature" in part or not part.get("thought")]
    for is_plain, group in groupby(kept, lambda part: part.keys() == {"text"}):
        if is_plain and (text := "".join(part["text"] for part in group)):
            yield {"text": text}
        for part in () if is_plain else group:
            is_call = "functionCall" in part
            yield {**part, "functionCall": {"args": {}, **part["functionCall"]}} if is_call else part


def _gemini_tokens(counts: list[Json]) -> int:
    """The last whole count; some models leave their thoughts out of the total they tell."""
    names = ("promptTokenCount", "candidatesTokenCount")
    whole = [each for each in counts if each.keys() >= {"totalTokenCount", *names}][-1:]
    summed = [
        sum(each.get(name, 0) for name in (*names, "thoughtsTokenCount", "toolUsePromptTokenCount"))
        for each in whole
    ]
    return next((each["totalTokenCount"] for each in whole if each["totalTokenCount"] >= summed[0]), 0)


# Chat servers.


def _choices(documents: list[Json]) -> list[Json]:
    return [each["choices"][0] for each in documents if each.get("choices") and is_object(each["choices"][0])]


def _chat_ends(documents: list[Json]) -> bool:
    ended = any(each.get("finish_reason") in ("stop", "tool_calls", "length") for each in _choices(documents))
    return ended and not any(each.get("error") for each in documents)


def _chat(documents: list[Json]) -> Content:
    said: list[Json] = [each.get("delta") or each.get("message") or {} for each in _choices(documents)]
    texts: list[str] = []
    calls: list[tuple[Any, str, list[str]]] = []
    for each in said:
        content = each.get("content") or ""
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        texts += [part["text"] for part in parts if part["type"] == "text"]
        for call in each.get("tool_calls") or ():
            if call["function"].get("name"):
                calls.append((call.get("index"), call["function"]["name"], []))
            [*_, mine] = [known for known in calls if known[0] == call.get("index")]
            mine[2].append(call["function"].get("arguments") or "")
    read = [(name, json.loads("".join(pieces) or "{}")) for _, name, pieces in calls]
    is_long = any(each.get("finish_reason") == "length" for each in _choices(documents))
    finish = "length" if is_long else "calls" if calls else "stop"
    counted = [each.get("usage") or each.get("x_groq", {}).get("usage") for each in documents]
    tokens = [each["total_tokens"] for each in counted if each][-1:]
    return Content("".join(texts), read, finish, said, sum(tokens))


# The Responses API.


def _responses_ends(documents: list[Json]) -> bool:
    last = documents[-1] if documents else {}
    is_over = last.get("status", "completed") in ("completed", "incomplete")
    has_output = bool(last.get("output")) and is_over
    return last.get("type") == "response.completed" or (has_output and not last.get("error"))


def _responses(documents: list[Json]) -> Content:
    response = documents[-1].get("response") or documents[-1]
    items = response["output"]
    texts = [
        part.get("text", part.get("refusal", ""))
        for item in items
        if item["type"] == "message"
        for part in item["content"]
    ]
    called = [item for item in items if item["type"] == "function_call"]
    calls = [(item["name"], json.loads(item["arguments"] or "{}")) for item in called]
    counted = response["usage"]
    tokens = counted["input_tokens"] + counted["output_tokens"]
    why: Json = response.get("incomplete_details") or {}
    finish = {"max_output_tokens": "length", "content_filter": "refusal"}.get(str(why.get("reason")), "")
    return Content("".join(texts), calls, finish or ("calls" if calls else "stop"), items, tokens)


ENDS: dict[str, Callable[[list[Json]], bool]] = {
    "anthropic": _anthropic_ends,
    "gemini": _gemini_ends,
    "openai_chat": _chat_ends,
    "openai_responses": _responses_ends,
}
CONTENTS: dict[str, Callable[[list[Json]], Content]] = {
    "anthropic": _anthropic,
    "gemini": _gemini,
    "openai_chat": _chat,
    "openai_responses": _responses,
}
