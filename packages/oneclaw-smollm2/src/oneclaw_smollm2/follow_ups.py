"""Follow-ups: what `it`, `the first one`, `undo that` and `and in Paris?` mean after a call."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from oneclaw import ToolCall, ToolResult
from oneclaw_smollm2.steps import find_path
from oneclaw_smollm2.sums import follow_sum

_IT = re.compile(
    r"(?P<before>\b(?:append|bring|change|delete|discard|display|edit|erase|open|print|read|recover|remove|restore"
    r"|see|show|show me|throw|trash|undelete|view|in|into|of|from|to)\s+)(?:it|that|this)\b"
    r"|\b(?:that|this|the)(?:\s+same)?\s+(?:file|note)\b",
    re.IGNORECASE,
)
_FILE_IT = re.compile(
    r"(?P<before>\b(?:renam(?:e|ing)|mov(?:e|ing)|copy(?:ing)?|duplicate|back ?up|a copy of)\s+)"
    r"(?:it|(?:that|this|the)\s+file|that|this)\b",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    r"(?:(?:and(?: what about| how about)?|what about|how about|now)\s+(?P<in>(?:in|for"
    r"|at)\s+)?(?P<thing>.{2,40}?)[?.!]*"
    r"|(?:in\s+)?(?P<bare>[A-Z]?[\w-]+(?:\s[\w-]+)?)\?)",
    re.IGNORECASE,
)
_SAVE_IT = re.compile(
    r"(?:please\s+)?(?P<verb>append|add|copy|put|save|store|write)\s+(?P<it>it|that|this|them"
    r"|(?:the|its)\s+(?:answer|contents?|list|output|results?|text|time))\s+(?:also\s+)?"
    r"(?:as|in|into|to|under)\s+(?:(?:a|the)\s+)?(?:new\s+)?(?:file\s+)?(?:called\s+|named\s+)?(?P<path>\S+?)[.!]?",
    re.IGNORECASE,
)
_MEANT = re.compile(
    r"(?:it|that|this|them|those|(?:the|its|their) (?:\w+ )?"
    r"(?:answer|contents?|copy|file|lines?|list|output|result|results|text|time))",
    re.IGNORECASE,
)
_UNDO = re.compile(
    r"(?:undo|revert|reverse|take back)(?:\s+(?:it|that|this|(?:the|my) (?:last|latest) (?:change|step"
    r"|one|thing|call)))?"
    r"|(?:bring|get|put|move|give)(?:\s+me)?\s+(?:it|that|that one)\s+back(?:\s+where it was)?"
    r"|(?:restore|recover|undelete)(?:\s+(?:it|that|that file|the file))?|i want (?:it|that) back|back",
    re.IGNORECASE,
)
_ORDINALS = {
    **{
        word: at
        for at, word in enumerate(("first", "second", "third", "fourth", "fifth", "sixth", "seventh"))
    },
    **{word: at for at, word in enumerate(("1st", "2nd", "3rd", "4th", "5th", "6th", "7th"))},
    "last": -1,
}
_ORDINAL = re.compile(
    rf"\b(?:the )?(?P<number>{'|'.join(_ORDINALS)}) (?:one|file|result|entry|item|of (?:them|these|those))\b",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"how many(?: files| of them| results)?(?: are (?:there|they|these)| is that| did you find"
    r"| were there| in total)*"
)
_INTO_IT = re.compile(
    r"\b(?:(?:in|into|to|inside) (?:it|there|that (?:folder|directory)|this folder"
    r"|the (?:new )?folder)|there)\s*\Z",
    re.IGNORECASE,
)
_SHOW_IT = re.compile(
    r"(?:show|see|read|open|display|print)(?:\s+(?:me|it|me it|that|the file))?", re.IGNORECASE
)
_COPY_IT = re.compile(
    r"make (?:a|another) (?:copy|backup|duplicate)(?: of (?:it|that))?(?: (?:called|named|as|to"
    r"|in))? (?P<path>\S+)",
    re.IGNORECASE,
)
_SIZE = re.compile(r"\s+\([^()]*\)\Z")


@dataclass(frozen=True, slots=True)
class Before:
    """The last call that went well before a message.

    path        the file or folder it was about, where it is now
    source      where that file was before it was moved
    expression  the sum that was calculated
    items       the files that were listed or found
    """

    tool: str = ""
    path: str = ""
    source: str = ""
    expression: str = ""
    items: tuple[str, ...] = ()


def read_before(call: ToolCall, result: ToolResult | None = None) -> Before:
    """What a call leaves to speak of; without a result, the call is one that is still to be made."""
    given: Mapping[str, Any] = call.arguments if isinstance(call.arguments, Mapping) else {}
    text = "" if result is None else result.text
    items = _items(call.name, str(given.get("path") or "."), text)
    path = given.get("destination") or given.get("path")
    if call.name in ("find_files", "search_text", "list_files") and len(items) == 1:
        path = items[0]
    moved = re.match(r"(?:Moved|Copied) \S+ to (\S+)", text)
    if moved and call.name in ("move_file", "copy_file"):
        path = moved[1].rstrip(".")  # a file moved into a folder lies in that folder
    is_path = isinstance(path, str) and path not in ("", ".")
    source = str(given.get("source", "")) if call.name == "move_file" else ""
    return Before(call.name, str(path) if is_path else "", source, str(given.get("expression", "")), items)


def _items(tool: str, folder: str, text: str) -> tuple[str, ...]:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("(")]
    if tool == "list_files":
        names = [_SIZE.sub("", line) for line in lines]
        return tuple(names if folder == "." else (f"{folder.rstrip('/')}/{name}" for name in names))
    if tool == "search_text":
        return tuple(dict.fromkeys(line.partition(":")[0] for line in lines))
    return tuple(lines) if tool == "find_files" else ()


def resolve(step: str, before: Before) -> str:
    """A later request with what it means in place of the words that point back."""
    said = step.strip().rstrip(".!?")
    if _UNDO.fullmatch(said):
        return _undone(step, before)
    if before.path and _SHOW_IT.fullmatch(said):
        return f"read {before.path}"
    copied = _COPY_IT.fullmatch(said)
    if before.path and copied is not None and copied["path"] != "of":
        return f"copy {before.path} to {copied['path']}"
    if before.expression:
        return follow_sum(step, before.expression) or step
    step = _ORDINAL.sub(lambda found: _item(before, found), step)
    if re.fullmatch(r"(?:read|open|show|show me|list) \S+/", step.strip().rstrip(".!?")):
        return f"list the files in {step.split()[-1]}"
    if before.tool == "make_folder":
        return _INTO_IT.sub(f"into the {before.path} folder", said)
    return same_again(step, before.tool)


def counts(step: str, before: Before) -> int | None:
    """How many files were found, if that is asked."""
    is_asked = _COUNT.fullmatch(step.strip().lower().rstrip(".!? "))
    return len(before.items) if is_asked and before.items else None


def _undone(step: str, before: Before) -> str:
    if before.tool == "delete_file":
        return f"restore {before.path}"
    if before.tool == "move_file":
        return f"move {before.path} to {before.source}"
    return step


def _item(before: Before, found: re.Match[str]) -> str:
    at = _ORDINALS[found["number"].lower()]
    return before.items[at] if -len(before.items) <= at < len(before.items) else found[0]


def save_it(step: str) -> str | None:
    """A step that puts what came before into a file, in the plainest words; None for any other."""
    saved = _SAVE_IT.fullmatch(step.strip())
    if saved is None:
        return None
    verb = "Append" if saved["verb"].lower() in ("append", "add") else "Save"
    return f'{verb} "it" to {saved["path"]}'  # in quotes, so that the word itself is what is copied


def name_it(step: str, path: str) -> str:
    """A later step with the file in place of `it`: `read it back` after a.txt is `read a.txt back`.

    One that names a file of its own is left, unless it moves or copies a file: there `it` is what is to go
    into that file.
    """
    if not path:
        return step
    step = _FILE_IT.sub(lambda found: found["before"] + path, step, count=1)
    if find_path(step):
        return step
    return _IT.sub(lambda found: (found["before"] or "") + path, step, count=1)


def same_again(step: str, tool: str) -> str:
    """`And in Paris?` after the time somewhere is `What time is it in Paris?`; any other step as it is."""
    found = _AGAIN.fullmatch(step.strip())
    if found is None:
        return step
    thing = found["thing"] or found["bare"]
    if (
        tool == "get_current_time"
        and not find_path(thing)
        and not (found["bare"] and thing.lower() in _ASKED)
    ):
        return f"What time is it in {thing}?"
    is_path = find_path(thing) == thing
    return f"Read {thing}" if tool == "read_file" and is_path and not found["in"] else step


_ASKED = {
    "why",
    "what",
    "how",
    "who",
    "when",
    "where",
    "really",
    "huh",
    "sure",
    "ok",
    "files",
    "time",
    "date",
    "help",
    "so what",
}


def means_before(value: object) -> bool:
    """Whether a value of a call is only a word for what the step before gave: `it`, `the result`."""
    return isinstance(value, str) and _MEANT.fullmatch(value.strip()) is not None
