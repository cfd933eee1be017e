"""Explains Gemini's errors and retry delays."""

import json
import re
from collections.abc import Mapping
from typing import Any

from oneclaw.core.subschema import list_of, object_of, objects_in, text_of
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
    if error.trouble not in ("limit", "quota"):
        return error
    first = list_of(document)[0] if list_of(document) else document
    details = objects_in(object_of(object_of(first).get("error")).get("details"))
    violations = [each for detail in details for each in objects_in(detail.get("violations"))]
    if any("perday" in str(each.get("quotaId")).lower() for each in violations):
        return _as(error, "quota")
    waits = [found for each in details if (found := _SECONDS.match(str(each.get("retryDelay", ""))))]
    if waits:
        error = _as(error, "limit")
        error.retry_after = float(waits[0][1])
    return error


def explain_error(error: Mapping[str, Any]) -> ProviderError:
    """An error told inside an answer, as the object in its field `error`."""
    code = error.get("code")
    if isinstance(code, int) and 400 <= code <= 599:
        return explain_answer(code, {}, json.dumps({"error": error}).encode())
    return explain_event(str(error.get("status") or code or ""), text_of(error.get("message")))


def _as(error: ProviderError, trouble: Any) -> ProviderError:
    """The same error as another trouble, with the next step that goes with it."""
    if error.trouble == trouble:
        return error
    said = str(error).rpartition(". ")[0]
    follow = "Try again later." if trouble == "limit" else "Add credit or choose another model."
    return ProviderError(f"{said}. {follow}", trouble, status=error.status)
