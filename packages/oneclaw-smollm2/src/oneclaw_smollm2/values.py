"""What each parameter of a tool may be given, out of one message."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from oneclaw import OneClawError
from oneclaw.core.check.schema import CompiledSchema
from oneclaw.core.subschema import is_array, is_object
from oneclaw_smollm2.globs import read_globs
from oneclaw_smollm2.message import Message, is_address, spans
from oneclaw_smollm2.parameters import Kind, Parameter, choices_of

MOST_ITEMS = 8

_PLAIN = {"type", "title", "description", "default", "examples", "enum", "const", "items", "deprecated"}


@dataclass(frozen=True, slots=True)
class Values:
    """What may stand for one parameter.

    literals  JSON texts to choose from; None for any run of the message's pieces
    is_list   whether it is a list of such values
    is_said   whether the message names the value, so that an optional parameter is given too
    is_guess  whether it is a required choice that the message does not name
    without   the one file or address that another parameter takes: a text does not run over it
    """

    literals: tuple[str, ...] | None
    is_list: bool = False
    is_said: bool = False
    is_guess: bool = False
    without: str = ""

    def accept(self, value: Any, message: Message) -> bool:
        """Whether `value` can be written."""
        if self.is_list:
            return is_array(value) and all(Values(self.literals).accept(each, message) for each in value)
        if self.literals is None:
            return isinstance(value, str) and value in spans(message, self.without)
        return write_json(value) in self.literals


def write_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def read_values(
    parameter: Parameter, message: Message, root: Mapping[str, Any], beside: Sequence[Parameter]
) -> Values | None:
    """What `message` offers to `parameter`, `beside` the other ones of its tool; None if nothing."""
    if parameter.kind == "list":
        return _list_values(parameter, message, root)
    if parameter.kind == "choice":
        return _choices(parameter, message, root)
    if parameter.kind == "switch":
        return _switch(parameter, message)
    offered = _offered(parameter, message, beside)
    if not _is_plain(parameter.given):
        return _literals(_fitting(spans(message) if offered is None else offered, parameter.given, root))
    if offered is None:
        return Values(None, without=_taken(message, beside))
    is_place = parameter.kind in ("path", "folder") and not parameter.is_required
    written = {each.text for each in message.pieces if not each.is_quoted} & set(message.paths)
    return _literals(offered, is_said=is_place and len(written) == 1 and written == set(offered))


def _taken(message: Message, beside: Sequence[Parameter]) -> str:
    """The only file or address of the message, if a parameter beside takes such a thing; not if quoted."""
    kinds = {each.kind for each in beside}
    words = [each.text for each in message.pieces if not each.is_quoted]
    named: list[str] = []
    if kinds & {"path", "folder"}:
        named += message.paths
    if "mail" in kinds:
        named += message.mails
    if "url" in kinds:
        named += [word for word in words if is_address(word)]
    return named[0] if len(named) == 1 and words.count(named[0]) == 1 else ""


def _literals(values: Iterable[Any], is_said: bool = False) -> Values | None:
    texts = tuple(dict.fromkeys(write_json(each) for each in values))
    return Values(texts, is_said=is_said) if texts else None


def _is_plain(given: Any) -> bool:
    return is_object(given) and set(given) <= _PLAIN


def _fitting(values: Iterable[Any], given: Any, root: Mapping[str, Any]) -> list[Any]:
    try:
        schema = CompiledSchema(
            {**{k: root[k] for k in ("$defs", "definitions") if k in root}, "allOf": [given]}
        )
    except OneClawError:
        return []
    return [each for each in values if schema.is_valid(each)]


def _offered(parameter: Parameter, message: Message, beside: Sequence[Parameter]) -> Sequence[Any] | None:
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
            return read_globs(message)
        case "folder":
            return _folders(parameter, message, beside)
        case "path":
            return _paths(message, is_lone=not any(each.is_required for each in beside))
        case _:
            return None


def _paths(message: Message, is_lone: bool) -> Sequence[str]:
    """A bare word is a path only for a tool that needs nothing else: `save my email as x` names no file."""
    if message.paths or message.urls or not is_lone:
        return [each for each in message.paths if not each.endswith("/")]
    return message.files


def _folders(parameter: Parameter, message: Message, beside: Sequence[Parameter]) -> Sequence[str]:
    patterns = read_globs(message) if any(each.kind == "glob" for each in beside) else []
    paths = [each for each in message.paths if each not in patterns and f"*{each}" not in patterns]
    found = paths or message.folders
    if found or not parameter.is_required:
        return found
    return [each.text for each in message.pieces if each.can_start and each.can_end][1:]


def _list_values(parameter: Parameter, message: Message, root: Mapping[str, Any]) -> Values | None:
    if not _is_plain(parameter.given):
        return None  # a bound on the number of items is not for a grammar of copies
    items: Any = parameter.schema.get("items", {"type": "string"})
    if not is_object(items):
        return None
    kinds: dict[str, Kind] = {"integer": "integer", "number": "number"}
    kind = "choice" if "enum" in items else kinds.get(str(items.get("type")), "text")
    one = Parameter(parameter.name, kind, items, items, is_required=True)
    values = read_values(one, message, root, beside=())
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
    if not parameter.is_required or not choices:
        return None
    return Values(tuple(map(write_json, choices)), is_guess=len(choices) > 1)


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
