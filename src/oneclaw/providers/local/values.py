"""What each parameter of a tool may be given, out of one message."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from oneclaw.core.check.schema import Schema
from oneclaw.core.errors import InvalidSchema
from oneclaw.core.subschema import is_array, is_object
from oneclaw.providers.local.parameters import Kind, Parameter, choices_of
from oneclaw.providers.local.pieces import Message, spans

MOST_ITEMS = 8

_PLAIN = {"type", "title", "description", "default", "examples", "enum", "const", "items", "deprecated"}
_TYPES = {
    "python": "py",
    "markdown": "md",
    "text": "txt",
    "javascript": "js",
    "typescript": "ts",
    "yaml": "yaml",
    "excel": "xlsx",
    "word": "docx",
    "shell": "sh",
    "rust": "rs",
    "image": "{png,jpg,jpeg,gif}",
}
_NO_NAMES = {
    *("find", "all", "any", "every", "file", "files", "folder", "the", "list", "search", "show", "named"),
    *("called", "with", "name", "where", "which"),
}
_EXTENSIONS = {
    *("py", "md", "txt", "js", "ts", "json", "csv", "yaml", "yml", "toml", "xml", "html", "css", "sql", "sh"),
    *("log", "pdf", "png", "jpg", "gif", "svg", "ini", "cfg", "rs", "go", "c", "h", "java"),
}


@dataclass(frozen=True, slots=True)
class Values:
    """What may stand for one parameter.

    literals  JSON texts to choose from; None for any run of the message's pieces
    is_list   whether it is a list of such values
    is_said   whether the message names the value, so that an optional parameter is given too
    """

    literals: tuple[str, ...] | None
    is_list: bool = False
    is_said: bool = False

    def accept(self, value: Any, message: Message) -> bool:
        """Whether `value` can be written."""
        if self.is_list:
            return is_array(value) and all(Values(self.literals).accept(each, message) for each in value)
        if self.literals is None:
            return isinstance(value, str) and value in spans(message)
        return write_json(value) in self.literals


def write_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def read_values(
    parameter: Parameter, message: Message, root: Mapping[str, Any], is_lone: bool
) -> Values | None:
    """What `message` offers to `parameter`; None if nothing. `is_lone`: the tool needs nothing else."""
    if parameter.kind == "list":
        return _list_values(parameter, message, root)
    if parameter.kind == "choice":
        return _choices(parameter, message, root)
    if parameter.kind == "switch":
        return _switch(parameter, message)
    offered = _offered(parameter, message, is_lone)
    if _is_plain(parameter.given):
        return Values(None) if offered is None else _literals(offered)
    return _literals(_fitting(spans(message) if offered is None else offered, parameter.given, root))


def _literals(values: Iterable[Any], is_said: bool = False) -> Values | None:
    texts = tuple(dict.fromkeys(write_json(each) for each in values))
    return Values(texts, is_said=is_said) if texts else None


def _is_plain(given: Any) -> bool:
    return is_object(given) and set(given) <= _PLAIN


def _fitting(values: Iterable[Any], given: Any, root: Mapping[str, Any]) -> list[Any]:
    try:
        schema = Schema({**{k: root[k] for k in ("$defs", "definitions") if k in root}, "allOf": [given]})
    except InvalidSchema:
        return []
    return [each for each in values if schema.is_valid(each)]


def _offered(parameter: Parameter, message: Message, is_lone: bool) -> Iterable[Any] | None:
    """Values to choose from; None for any run of pieces."""
    match parameter.kind:
        case "integer":
            return [int(each) for each in message.numbers if each == int(each)]
        case "number":
            return message.numbers
        case "url":
            return message.urls
        case "mail":
            return message.mails or ([] if "format" in parameter.schema else None)
        case "glob":
            return list(_globs(message))
        case "folder":
            return _folders(message, parameter.is_required)
        case "path":
            return _paths(message, is_lone or not parameter.is_required)
        case _:
            return None


def _paths(message: Message, is_lone: bool) -> Iterable[str]:
    """A bare word is a path only for a tool that needs nothing else: `save my email as x` names no file."""
    if message.paths or message.urls or not is_lone:
        return message.paths
    return message.nearby or [each.text for each in message.pieces if each.can_start and each.can_end][1:]


def _folders(message: Message, is_required: bool) -> Iterable[str]:
    found = (*message.paths, *message.nearby)
    if found or not is_required:
        return found
    return [each.text for each in message.pieces if each.can_start and each.can_end][1:]


def _globs(message: Message) -> Iterable[str]:
    """`*.md files`, `.md`, `markdown` → `*.md`; a name → the name; another word → anything with it inside."""
    for piece in message.pieces:
        word = piece.text
        if not piece.can_start or " " in word or "//" in word or not re.search(r"[\w*]", word):
            continue
        low = word.lower().removesuffix("s") if word.lower() not in _EXTENSIONS else word.lower()
        if re.search(r"[*?]", word) or word in message.paths:
            if re.fullmatch(r"\.[a-z]\w*", word):
                yield f"*{word}"
            yield word
        elif low in _TYPES or low in _EXTENSIONS:
            yield f"*.{_TYPES.get(low, low)}"
        if re.fullmatch(r"[\w-]+", word) and len(word) > 2 and word.lower() not in _NO_NAMES:
            yield f"*{word}*"


def _list_values(parameter: Parameter, message: Message, root: Mapping[str, Any]) -> Values | None:
    if not _is_plain(parameter.given):
        return None  # a bound on the number of items is not for a grammar of copies
    items: Any = parameter.schema.get("items", {"type": "string"})
    if not is_object(items):
        return None
    kinds: dict[str, Kind] = {"integer": "integer", "number": "number"}
    kind = "choice" if "enum" in items else kinds.get(str(items.get("type")), "text")
    one = Parameter(parameter.name, kind, items, items, is_required=True)
    values = read_values(one, message, root, is_lone=False)
    return None if values is None else Values(values.literals, is_list=True)


def _choices(parameter: Parameter, message: Message, root: Mapping[str, Any]) -> Values | None:
    """Choices the message names. A required one that is not named is left to the model."""
    choices = choices_of(parameter.schema)
    if not _is_plain(parameter.given):
        choices = _fitting(choices, parameter.given, root)
    about = str(parameter.schema.get("description", ""))
    said = [each for each in choices if _is_said(each, about, message.bare)]
    if said:
        return _literals(said, is_said=len(said) == 1)
    return _literals(choices) if parameter.is_required else None


def _is_said(choice: Any, about: str, bare: str) -> bool:
    """`human_readable` is said by `human readable`, `append` by `appending` or by a word that explains it."""
    if isinstance(choice, bool) or not isinstance(choice, str):
        return re.search(rf"(?<![\w.]){re.escape(str(choice))}(?![\w.])", bare) is not None
    words = re.sub(r"[_\-\s]+", r"[_\-\\s]+", re.escape(choice).replace(r"\-", "-").replace(r"\ ", " "))
    words = re.sub(r"(?<=[a-z])(?=\d)", r"\\s?", words)
    ways = [rf"{words}(?:s|e?d|ing)?"]
    gloss = re.search(rf"['\"`]?\b{re.escape(choice)}\b['\"`]?\s*\(\s*([A-Za-z]+)", about)
    if gloss:
        ways.append(re.escape(gloss[1]))
    return re.search(rf"(?<!\w)(?:{'|'.join(ways)})(?!\w)", bare, re.IGNORECASE) is not None


def _switch(parameter: Parameter, message: Message) -> Values | None:
    if parameter.is_required:
        return Values(("true", "false"))
    stem = max(parameter.name.lower().split("_"), key=len)
    if len(stem) > 3 and re.search(rf"\b{re.escape(stem.removesuffix('e'))}", message.bare, re.IGNORECASE):
        return Values(("true",), is_said=True)
    return None
