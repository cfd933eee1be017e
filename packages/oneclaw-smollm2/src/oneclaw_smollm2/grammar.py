"""The grammar of one answer: a call whose every value is copied from the message and fits its schema.

The answer is `>name {json}`, or `>chat` unless the message names a file or an address that a tool needs.
Nothing is invented: a text is a run of the message's own pieces, an address is one that is written there,
a choice is one the schema names. A tool whose required parameter the message does not fill is offered as the
question `>name ?`.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from oneclaw import ToolDefinition
from oneclaw_smollm2.message import Message, read_message, speaks_of
from oneclaw_smollm2.parameters import Kind, first_sentence, read_parameters
from oneclaw_smollm2.values import MOST_ITEMS, Values, read_values, write_json

_STATEMENT = re.compile(r"\W*(?:i|we|you|he|she|they|it|my|our|the|this|that|thanks|thank)\b", re.IGNORECASE)
"""How a message begins that may name a file and want nothing."""
_NEGATED = re.compile(
    r"\b(?:don['’]?t|do not|never|must not|should not|shouldn['’]?t)\s(?:you\s|ever\s|let me\s)*([a-z]+)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Fillable:
    """A tool with what the message offers to its parameters; None where a required one gets nothing.

    needed    names of the parameters that are always given: the required ones and those the message names
    about     the first sentence of its description
    is_named  whether the message holds the very file or address that the tool requires
    """

    name: str
    values: dict[str, Values] | None
    needed: frozenset[str]
    about: str = ""
    is_named: bool = False

    def accept(self, arguments: dict[str, Any], message: Message) -> bool:
        """Whether the grammar can write these arguments."""
        known = self.values
        if known is None or not self.needed <= set(arguments):
            return False
        return all(name in known and known[name].accept(value, message) for name, value in arguments.items())


def call_grammar(definitions: Sequence[ToolDefinition], text: str) -> str:
    """GBNF for exactly one answer to `text`, with the tools that it may lead to."""
    message = read_message(text)
    spans = _Spans(message)
    rules: list[str] = []
    answers: list[str] = []
    is_request = False
    for number, tool in enumerate(fill_tools(definitions, message)):
        if _is_forbidden(tool, message):
            continue
        body = _body(tool, spans)
        is_request |= body is not None and tool.is_named
        if body is not None:
            rules.append(f't{number} ::= {json.dumps(tool.name + " {")} {body} "}}"')
            answers.append(f"t{number}")
        elif speaks_of(tool.name, tool.about, message):
            answers.append(json.dumps(f"{tool.name} ?"))
    if not is_request or _STATEMENT.match(text):
        answers.insert(0, '"chat"')
    rules += spans.rules()
    return "\n".join([f'root ::= ">" ( {" | ".join(answers)} )', *rules, ""])


def fill_tools(definitions: Sequence[ToolDefinition], message: Message) -> Iterator[Fillable]:
    for definition in definitions:
        parameters = read_parameters(definition)
        if parameters is None:
            continue
        needs = [each.name for each in parameters if each.is_required]
        found: dict[str, Values] = {}
        for each in parameters:
            beside = [other for other in parameters if other is not each]
            values = read_values(each, message, definition.parameters, beside)
            if values is not None:
                found[each.name] = values
        about = first_sentence(definition.description)
        is_filled = all(name in found for name in needs)
        if any(each.is_guess for each in found.values()) and not speaks_of(definition.name, about, message):
            is_filled = False  # nothing in the message leads to this tool, and it would take any message
        said = [name for name, values in found.items() if values.is_said]
        is_named = any(each.is_required and _names(each.kind, message) for each in parameters)
        yield Fillable(
            name=definition.name,
            values=found if is_filled else None,
            needed=frozenset([*needs, *said]),
            about=about,
            is_named=is_filled and is_named,
        )


def _is_forbidden(tool: Fillable, message: Message) -> bool:
    """`don't forget my birthday` is no call of a tool to forget, `do not delete it` none of one to delete."""
    verbs = {each.lower()[:5] for each in _NEGATED.findall(message.bare)}
    return bool(verbs & {word[:5] for word in tool.name.split("_")})


def _names(kind: Kind, message: Message) -> bool:
    named = {"url": message.urls, "mail": message.mails, "path": message.paths, "folder": message.paths}
    return bool(named.get(kind))


class _Spans:
    """The kinds of text that calls of this message use: one for each word that texts do not run over."""

    def __init__(self, message: Message) -> None:
        self._message = message
        self._names: dict[str, str] = {}

    def name(self, without: str) -> str | None:
        """The rule of such texts; None if the message has none."""
        if not _has_spans(self._message, without):
            return None
        return self._names.setdefault(without, f"span{'abcdefgh'[len(self._names)]}")

    def rules(self) -> Iterator[str]:
        for without, name in self._names.items():
            yield from _span_rules(self._message, name, without)


def _body(tool: Fillable, spans: _Spans) -> str | None:
    """The members of the object; None if the tool needs a text and the message has none."""
    if tool.values is None:
        return None
    written = {name: _value(values, spans) for name, values in tool.values.items()}
    members = [
        (f"{_literal(write_json(name) + ': ')} {value}", name in tool.needed)
        for name, value in written.items()
        if value is not None
    ]
    if any(written[name] is None for name in tool.needed):
        return None
    first = next((at for at, (_, is_needed) in enumerate(members) if is_needed), None)
    if first is not None:
        before = "".join(f'( {member} ", " )? ' for member, _ in members[:first])
        return before + members[first][0] + _follow(members[first + 1 :])
    runs = [member + _follow(members[at + 1 :]) for at, (member, _) in enumerate(members)]
    return f"( {' | '.join(runs)} )?" if runs else '""'


def _follow(members: list[tuple[str, bool]]) -> str:
    return "".join(
        f' ", " {member}' if is_needed else f' ( ", " {member} )?' for member, is_needed in members
    )


def _value(values: Values, spans: _Spans) -> str | None:
    if values.literals is None:
        one = spans.name(values.without)
    else:
        one = f"( {' | '.join(map(_literal, values.literals))} )"
    if one is None or not values.is_list:
        return one
    return f'"[" {one} ( ", " {one} ){{0,{MOST_ITEMS - 1}}} "]"'


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _inner(text: str) -> str:
    """A piece as it stands inside a JSON string, as a literal of the grammar."""
    return _literal(write_json(text)[1:-1])


def _span_rules(message: Message, name: str, without: str) -> Iterator[str]:
    """The rules of one kind of text: `name` is any run of pieces that does not run over `without`."""
    pieces = message.pieces
    open_ends = _open_ends(message, without)
    starts = [at for at, piece in enumerate(pieces) if piece.can_start and open_ends[at]]
    for at, piece in enumerate(pieces):
        if not open_ends[at]:
            continue
        rule = f"{name}{at} ::= {_inner(piece.text)}"
        if open_ends[at + 1]:
            gap = pieces[at + 1].gap
            follow = f"{_inner(gap)} {name}{at + 1}" if gap else f"{name}{at + 1}"
            rule += f" ( {follow} )?" if piece.can_end else f" {follow}"
        yield rule
    runs = [_inner(pieces[at].text) if pieces[at].is_quoted else f"{name}{at}" for at in starts]
    yield f'{name} ::= "\\"" ( {" | ".join(runs)} ) "\\""'


def _has_spans(message: Message, without: str) -> bool:
    open_ends = _open_ends(message, without)
    return any(piece.can_start and open_ends[at] for at, piece in enumerate(message.pieces))


def _open_ends(message: Message, without: str) -> list[bool]:
    """For each piece whether a run that has come so far can still end: no rule may lead nowhere."""
    found = [False] * (len(message.pieces) + 1)
    for at in range(len(message.pieces) - 1, -1, -1):
        piece = message.pieces[at]
        is_wall = bool(without) and piece.text == without and not piece.is_quoted
        found[at] = not is_wall and (piece.can_end or found[at + 1])
    return found
