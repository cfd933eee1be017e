"""The answer made from the results of calls: every fact as the tool gave it, never reworded."""

import json
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, cast

from oneclaw import Kind, ToolCall, ToolResult

SHOWN_LINES = 40
SHOWN_CHARS = 4_000
SHORT_CHARS = 80
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_WHY: dict[Kind, str] = {
    Kind.PERMISSION_DENIED: "I was not allowed to do that",
    Kind.PATH_NOT_ALLOWED: "I may not go there",
    Kind.FILE_NOT_FOUND: "That file is not there",
    Kind.TIMEOUT: "That took too long",
    Kind.CANCELLED: "That was stopped",
    Kind.NETWORK_ERROR: "The network did not answer as it should",
    Kind.TOOL_NOT_AVAILABLE: "That tool is not available here",
}

Arguments = Mapping[str, Any]


def report(call: ToolCall, result: ToolResult) -> str:
    """What a call came to, for the user."""
    arguments: Arguments = call.arguments if isinstance(call.arguments, Mapping) else {}
    if not result.ok:
        why = _WHY.get(result.kind or Kind.EXECUTION_ERROR, "That did not work")
        return f"{why}: {result.message}"
    told = _TOLD.get(result.tool, _tell_any)
    return told(arguments, result)


def _tell_time(arguments: Arguments, result: ToolResult) -> str:
    place = arguments.get("timezone")
    where = f" in {place}" if place else ""
    try:
        moment = datetime.fromisoformat(result.text.split()[0])
    except (ValueError, IndexError):
        return f"The time{where}: {result.text}"
    day = f"{_DAYS[moment.weekday()]}, {moment.day} {_MONTHS[moment.month - 1]} {moment.year}"
    offset = moment.strftime("%z")
    zone = f" (UTC{offset[:3]}:{offset[3:5]})" if offset else ""
    return f"It is {moment:%H:%M}{where} on {day}{zone}."


def _tell_read(arguments: Arguments, result: ToolResult) -> str:
    path = arguments.get("path", "The file")
    if not result.text.strip():
        return f"{path} is empty."
    return f"{path} says:\n\n{quote(result.text)}"


def _tell_written(arguments: Arguments, result: ToolResult) -> str:
    path, content = arguments.get("path", "the file"), str(arguments.get("content", ""))
    what = (
        f"“{content}”"
        if len(content) <= SHORT_CHARS and "\n" not in content
        else f"{len(content):,} characters"
    )
    if not content:
        return f"There is a file {path} now."
    return f"Added {what} to {path}." if arguments.get("mode") == "append" else f"Saved {what} to {path}."


def _tell_list(arguments: Arguments, result: ToolResult) -> str:
    path = arguments.get("path")
    if result.text.startswith("("):
        return result.text.strip("()")
    where = f"In {path}" if path and path != "." else "In the workspace"
    return f"{where}:\n\n{_items(result.text)}"


def _tell_found(arguments: Arguments, result: ToolResult) -> str:
    if result.text.startswith("("):
        return re.sub(r" in \.\.\Z", " in the workspace.", result.text.strip("()"))
    return f"Found:\n\n{_items(result.text)}"


def _tell_matches(arguments: Arguments, result: ToolResult) -> str:
    return result.text.strip("()") if result.text.startswith("(") else f"Found:\n\n{quote(result.text)}"


def _tell_page(arguments: Arguments, result: ToolResult) -> str:
    head, _, body = result.text.partition("\n\n")
    status = head.splitlines()[0] if head else "no status"
    return f"{arguments.get('url', 'The server')} answered {status}:\n\n{quote(body)}"


def _tell_stored(arguments: Arguments, result: ToolResult) -> str:
    key, value = arguments.get("key"), arguments.get("value")
    if value and result.text.startswith("Remembered"):
        return f"I will remember: {key}: {value}." if key else f"I will remember: {value}."
    return _sentence(result.text)


def _tell_remembered(arguments: Arguments, result: ToolResult) -> str:
    value: Any = result.value
    if not isinstance(value, Mapping):
        return "I remember nothing about that. Say “Remember that …” and I will."
    rows = cast("list[Mapping[str, Any]]", cast(Arguments, value).get("memories", []))
    return "I remember:\n\n" + "\n".join(f"- {row.get('key')}: {row.get('value')}" for row in rows)


def _tell_history(arguments: Arguments, result: ToolResult) -> str:
    if "\n" not in result.text and result.text.startswith("Nothing"):
        return f"I found nothing about “{arguments.get('query', '')}” in earlier conversations."
    return f"Said earlier:\n\n{quote(result.text)}"


def _tell_any(arguments: Arguments, result: ToolResult) -> str:
    """A tool somebody added: its result, as it is."""
    value: Any = result.value
    if isinstance(value, str):
        short = value.strip()
        if not short:
            return f"Done ({result.tool})."
        is_short = len(short) <= SHORT_CHARS and "\n" not in short
        return f"{result.tool}: {short}" if is_short else f"{result.tool} says:\n\n{quote(value)}"
    if isinstance(value, Mapping | list):
        text = json.dumps(value, indent=2, ensure_ascii=False, default=str)
        return f"{result.tool} says:\n\n{quote(text)}"
    return f"{result.tool}: {result.text}"


def _tell_sum(arguments: Arguments, result: ToolResult) -> str:
    return f"{arguments.get('expression', '')} = {result.text}".replace("= ≈", "≈")


def _tell_deleted(arguments: Arguments, result: ToolResult) -> str:
    path = arguments.get("path", "it")
    return f"Deleted {path}. “Restore {path}” brings it back."


def _tell_first_line(arguments: Arguments, result: ToolResult) -> str:
    """What a tool says first; a list of what changed may follow it."""
    return _sentence(result.text.partition("\n")[0])


_TOLD: dict[str, Callable[[Arguments, ToolResult], str]] = {
    "get_current_time": _tell_time,
    "read_file": _tell_read,
    "write_file": _tell_written,
    "list_files": _tell_list,
    "find_files": _tell_found,
    "search_text": _tell_matches,
    "http_request": _tell_page,
    "memory_store": _tell_stored,
    "memory_search": _tell_remembered,
    "memory_forget": _tell_first_line,
    "search_history": _tell_history,
    "calculate": _tell_sum,
    "delete_file": _tell_deleted,
    "copy_file": _tell_first_line,
    "edit_file": _tell_first_line,
    "make_folder": _tell_first_line,
    "move_file": _tell_first_line,
    "restore_file": _tell_first_line,
}


def quote(text: str) -> str:
    """Foreign text, line by line behind a mark; the end of a long one is left out and said so."""
    shown = text.strip("\n")[:SHOWN_CHARS]
    lines = shown.splitlines()[:SHOWN_LINES]
    kept = "\n".join(f"> {line}".rstrip() for line in lines)
    rest = len(text.strip("\n")) - len("\n".join(lines))
    return f"{kept}\n\n(… {rest:,} more characters.)" if rest > 1 else kept


def _items(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    shown = [line if re.match(r"\(.*\)\Z", line) else f"- {line}" for line in lines[:SHOWN_LINES]]
    if len(lines) > SHOWN_LINES:
        shown.append(f"(… {len(lines) - SHOWN_LINES:,} more.)")
    return "\n".join(shown)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
