"""Explains a provider's error and the next step."""

import json
import re
from collections.abc import Mapping
from typing import Any, cast

from oneclaw.core.subschema import is_array, is_object, object_of, text_of
from oneclaw.providers.base import ProviderError, Trouble

_CHARS = 400
_BY_STATUS: dict[int, Trouble] = {
    401: "key",
    402: "quota",
    403: "key",
    408: "timeout",
    409: "server",
    425: "server",
    429: "limit",
    503: "overload",
    529: "overload",
}
_BY_CODE: dict[str, Trouble] = {
    "insufficient_quota": "quota",
    "billing": "quota",
    "context_length": "window",
    "authentication": "key",
    "permission": "key",
    "invalid_api_key": "key",
    "unauthenticated": "key",
    "rate_limit": "limit",
    "resource_exhausted": "limit",
    "too_many_requests": "limit",
    "overloaded": "overload",
    "unavailable": "overload",
    "timeout": "timeout",
    "deadline": "timeout",
    "invalid": "request",
    "not_found": "request",
    "failed_precondition": "request",
    "too_large": "request",
    "unsupported": "request",
    "policy": "request",
    "image": "request",
}
_WINDOW = re.compile(
    r"context.?(?:length|window)|prompt is too long|maximum (?:context|number of tokens)"
    r"|too many (?:input )?tokens|input token count|exceeds? the (?:model'?s )?(?:limit|maximum)[^.]*tokens"
    r"|reduce the length",
    re.IGNORECASE,
)
_QUOTA = re.compile(
    r"credit balance|insufficient (?:quota|credit|balance)|exceeded your current quota", re.IGNORECASE
)
_UNREADY = frozenset(
    {"accepted", "created", "in_progress", "pending", "processing", "queued", "running", "submitted"}
)
_NEXT: dict[Trouble, str] = {
    "key": "Check the key and what it may do.",
    "request": "Change the request or choose another model.",
    "window": "Use a model with a larger window or start a new session.",
    "quota": "Add credit or choose another model.",
    "limit": "Try again later.",
    "overload": "Try again later or choose another model.",
    "server": "Try again later or choose another model.",
    "network": "Check the connection.",
    "timeout": "Try again, or raise the time limit of the provider.",
    "stream": "Try again, and check the base URL of the provider.",
}


def explain(status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
    """An answer that is no success, whichever provider or proxy gave it."""
    said, code = _read(body)
    other: Trouble = "server" if status >= 500 else "request"
    trouble = _BY_STATUS.get(status, other)
    if status in (400, 413, 422, 429):
        # Several providers say all their refusals with one status.
        trouble = _sharpen(trouble, code, said)
    return _error(f"answered {status}", said, trouble, status)


def explain_event(code: str, said: str) -> ProviderError:
    """An error told inside a stream, by its code and its text."""
    fitting: list[Trouble] = [trouble for part, trouble in _BY_CODE.items() if part in code.lower()]
    trouble = _sharpen(fitting[0] if fitting else "server", code, said)
    return _error("broke off its answer", said or code, trouble, None)


def check_ready(body: Mapping[str, Any]) -> None:
    """Raise `ProviderError` for a body that says that its answer is still to come."""
    status = body.get("status")
    if isinstance(status, str) and status.lower() in _UNREADY:
        said = f"The provider says that its answer is {status.lower()}, so there is none yet."
        raise ProviderError(f"{said} Try again, and ask it for no answers in the background.", "stream")


def has_typed(items: object) -> bool:
    """Whether a list holds a part of an answer: an object that names its type."""
    return is_array(items) and any(is_object(item) and isinstance(item.get("type"), str) for item in items)


def _sharpen(trouble: Trouble, code: str, said: str) -> Trouble:
    if "tool_use_failed" in code:
        return "server"  # Groq: the model wrote a call that is none; asked again it mostly does not
    if "context_length" in code or _WINDOW.search(said):
        return "window"
    if "insufficient_quota" in code or _QUOTA.search(said):
        return "quota"
    if trouble == "request" and "api key" in said.lower():
        return "key"  # Gemini says so with 400
    return trouble


def _error(what: str, said: str, trouble: Trouble, status: int | None) -> ProviderError:
    told = f": {said.rstrip('.')}" if said else ""
    return ProviderError(f"The provider {what}{told}. {_NEXT[trouble]}", trouble, status=status)


def _read(body: bytes) -> tuple[str, str]:
    """Extracts message and code from an error body: any usual JSON shape, or a page's text."""
    try:
        document: Any = json.loads(body)
    except (ValueError, RecursionError):
        return _words(body), ""
    if isinstance(document, list) and document:  # Gemini streams a list, even of one error
        document = cast("list[Any]", document)[0]
    document = cast(Any, document)
    error: Any = document.get("error", document) if is_object(document) else document
    if not is_object(error):
        return str(error)[:_CHARS], ""
    said = _said(error)
    code = error.get("code") if isinstance(error.get("code"), str) else None
    # `type` names the kind with OpenAI and Anthropic, `status` with Gemini.
    codes = (code, error.get("type"), error.get("status"))
    return one_line(said), " ".join(str(each) for each in codes if each).lower()


def _said(error: Mapping[str, Any]) -> str:
    """The words of an error: its message, the fields a server does not take, or what a server behind said."""
    said: Any = error.get("message") or error.get("detail") or error.get("error_description") or ""
    if is_object(said):  # Mistral wraps what it does not take once more
        said = said.get("detail") or said
    if is_array(said):
        said = "; ".join(_field_said(each) for each in said)
    raw = text_of(object_of(error.get("metadata")).get("raw"))  # of the server behind OpenRouter
    text = said if isinstance(said, str) else json.dumps(said)
    return f"{text}: {raw}" if raw else text


def _field_said(each: Any) -> str:
    if not is_object(each) or not isinstance(each.get("msg"), str):
        return each if isinstance(each, str) else json.dumps(each)
    place = each.get("loc")
    path = ".".join(str(part) for part in place) if is_array(place) else ""
    return f"{path}: {each['msg']}" if path else each["msg"]


def _words(body: bytes) -> str:
    text = body[:20_000].decode("utf-8", "replace")
    if "<" in text:
        title = re.search(r"<title[^>]*>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
        plain = title.group(1) if title else re.sub(r"<[^>]*>", " ", text)
        return f"a web page that says {one_line(plain)[:100]!r}"
    return one_line(text)


def one_line(text: str) -> str:
    """Foreign text as one short line."""
    return " ".join(text.split())[:_CHARS]
