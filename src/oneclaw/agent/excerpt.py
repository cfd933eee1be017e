"""Short excerpts of arguments and results, for summaries and guards."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.fit import fit, with_note
from oneclaw.core.message import ResultsMessage
from oneclaw.core.trim import safe_cut
from oneclaw.core.value import compact

LARGE_CHARS = 2_000
"""Results up to this long are left as they are."""
EXCERPT_CHARS = 1_200
_HEAD = 0.6
_LOG = " The full result is in the session's log."


def arguments_text(call: ToolCall) -> str:
    """The arguments of a call as the model wrote them, or would have."""
    if isinstance(call.arguments, str):
        return call.arguments
    if isinstance(call.arguments, bytes):
        return call.arguments.decode("utf-8", "replace")
    try:
        return compact(call.arguments)
    except (RecursionError, ValueError):
        return "(arguments that cannot be shown)"


def cut_middle(text: str, chars: int, before: int = 0, where: str = "") -> str:
    """The head and tail of a text, at most so many characters; `before` is how long it was at first."""
    if len(text) <= chars:
        return text
    total = max(len(text), before)
    room = max(0, chars - len(_note(total, total, where)) - 4)
    head = safe_cut(text, int(room * _HEAD))
    tail = safe_cut(text, len(text) - (room - head))
    note = _note(total - head - (len(text) - tail), total, where)
    return f"{text[:head]}\n\n{note}\n\n{text[tail:]}"


def shorten(
    message: ResultsMessage,
    chars: int = EXCERPT_CHARS,
    large_chars: int = LARGE_CHARS,
    is_left: Callable[[ToolResult], bool] = lambda result: False,
) -> tuple[ResultsMessage, int]:
    """A copy with its large results cut and all pictures left out, and how many results that changed.

    Results for which `is_left` is true stay as they are.
    """
    results = tuple(
        result if is_left(result) else _shorten(result, chars, large_chars) for result in message.results
    )
    changed = sum(new is not old for new, old in zip(results, message.results, strict=True))
    return (ResultsMessage(results), changed) if changed else (message, 0)


def _shorten(result: ToolResult, chars: int, large_chars: int) -> ToolResult:
    text = result.text
    if len(text) <= large_chars and not result.images:
        return result
    before = max(len(text), result.truncated_from or 0)
    is_long, notes = len(text) > large_chars, _notes(result)
    whole: Any = result.value
    if result.kind is None and type(whole) in (dict, list):
        value = _shorten_value(whole, chars, before, is_long, notes)
        if value is not None:
            return replace(result, value=value, images=(), truncated_from=before)
    if is_long:
        text = cut_middle(text, chars, before, _LOG)
    text = "\n\n".join([text, *notes])
    if result.kind is not None:
        return replace(result, message=text, images=(), truncated_from=before)
    return replace(result, value=text, images=(), truncated_from=before)


def _shorten_value(
    value: dict[str, Any] | list[Any], chars: int, before: int, is_long: bool, notes: list[str]
) -> Any | None:
    """The excerpt of an object is an object; None where nothing of it fits."""
    if not is_long:
        return with_note(value, " ".join(notes))
    notes = [f"(Of {before:,} characters some were left out here to make room.{_LOG})", *notes]
    return fit(value, chars, "middle", " ".join(notes))


def _notes(result: ToolResult) -> list[str]:
    if not result.images:
        return []
    what = "1 image was" if len(result.images) == 1 else f"{len(result.images)} images were"
    return [f"({what} left out here to make room; the session's log has the full result.)"]


def _note(missing: int, total: int, where: str) -> str:
    return f"({missing:,} of {total:,} characters were left out here to make room.{where})"
