"""Explains Gemini's errors and retry delays."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from oneclaw.core.subschema import is_array, is_object
from oneclaw.providers.base import ProviderError
from oneclaw.providers.explain import explain, explain_event

_SECONDS = re.compile(r"(\d{1,6}(?:\.\d+)?)s\Z")


def explain_answer(status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
    """An answer that is no success.

    Every limit is called a quota there. One that is full for a minute is told with a wait, and is worth it;
    one that is full for the day is not, whatever the wait.
    """
    error = explain(status, headers, body)
    try:
        document: Any = json.loads(body)
    except (ValueError, RecursionError):
        return error
    details = list(_details(document))
    if error.trouble not in ("limit", "quota"):
        return error
    if any("perday" in str(quota).lower() for quota in _quotas(details)):
        return _as(error, "quota")
    seconds = next((seconds for each in details if (seconds := _wait(each)) is not None), None)
    if seconds is None:
        return error
    error = _as(error, "limit")
    error.retry_after = seconds
    return error


def explain_error(error: Mapping[str, Any]) -> ProviderError:
    """An error told inside an answer, as the object in its field `error`."""
    code = error.get("code")
    if isinstance(code, int) and 400 <= code <= 599:
        return explain_answer(code, {}, json.dumps({"error": error}).encode())
    said = error.get("message")
    return explain_event(str(error.get("status") or code or ""), said if isinstance(said, str) else "")


def _as(error: ProviderError, trouble: Any) -> ProviderError:
    """The same error as another trouble, with the next step that goes with it."""
    if error.trouble == trouble:
        return error
    said = str(error).rpartition(". ")[0]
    follow = "Try again later." if trouble == "limit" else "Add credit or choose another model."
    return ProviderError(f"{said}. {follow}", trouble, status=error.status)


def _details(document: Any) -> Iterator[Mapping[str, Any]]:
    if is_array(document) and document:
        document = document[0]
    error = document.get("error") if is_object(document) else None
    details = error.get("details") if is_object(error) else None
    if is_array(details):
        yield from (each for each in details if is_object(each))


def _quotas(details: list[Mapping[str, Any]]) -> Iterator[Any]:
    for each in details:
        violations = each.get("violations")
        if is_array(violations):
            yield from (violation.get("quotaId") for violation in violations if is_object(violation))


def _wait(detail: Mapping[str, Any]) -> float | None:
    found = _SECONDS.match(str(detail.get("retryDelay", "")))
    return float(found[1]) if found else None
