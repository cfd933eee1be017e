"""Parses a command line as bash and reports everything that is not plain.

Theory of operation. The grammar of bash gives a tree. It is walked from the top, and only what is listed here
is understood: simple commands of plain words, joined by `&&`, `||`, `;` and `|`. Everything else
leaves a sentence in `unclear` (what will run cannot be told from the text) or in `effects` (it can be told,
and it does more than run programs: writes a file, goes on in the background). The commands inside are noted
all the same, so that a person is shown every program that stands there.

Only this file and `word` know the grammar.
"""

import re
from dataclasses import dataclass, replace
from functools import cache

import tree_sitter
import tree_sitter_bash

from oneclaw.guard.command.lines import FILLED_IN, STAND_IN, take_out
from oneclaw.guard.command.word import SPOKEN, Word, read_word, source_of

MOST_CHARS = 10_000
"""Longer command lines are not read: a person could not be shown them whole either."""
MOST_COMMANDS = 50
MOST_SIGNS = 1000
"""The time to read a text grows with the square of its signs: with more of them it is not read."""


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """One simple command: the program and its arguments, and the variables set for it alone."""

    words: tuple[Word, ...]
    variables: tuple[str, ...] = ()
    is_fed: bool = False  # its input comes from a pipe or from the text

    @property
    def argv(self) -> tuple[str, ...]:
        return tuple(word.text for word in self.words)

    @property
    def is_plain(self) -> bool:
        return all(word.is_plain for word in self.words)


@dataclass(frozen=True, slots=True)
class ParsedScript:
    """A parsed command line."""

    commands: tuple[SimpleCommand, ...] = ()
    unclear: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()


def parse(text: str) -> ParsedScript:
    """Read a command line. Never raises; what cannot be read is `unclear`."""
    if refused := too_long(text):
        return refused
    text, doubts = take_out(text)
    if _NO_TEXT.search(text):
        return ParsedScript(unclear=("It has characters that are no text.",))
    if len(_SIGN.findall(text)) > MOST_SIGNS:
        return ParsedScript(unclear=("It has too many signs of the shell to be read.",))
    reader = _TreeReader(text)
    reader.unclear += doubts
    reader.read(_parser().parse(_FOREIGN.sub("z", text).encode()).root_node)
    return ParsedScript(
        tuple(reader.commands), tuple(dict.fromkeys(reader.unclear)), tuple(dict.fromkeys(reader.effects))
    )


def too_long(text: str) -> ParsedScript | None:
    """The reason for refusing a text over the length limit."""
    if len(text) <= MOST_CHARS:
        return None
    return ParsedScript(unclear=(f"It has {len(text):,} characters; at most {MOST_CHARS:,} are read.",))


@cache
def _parser() -> tree_sitter.Parser:
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


_NO_TEXT = re.compile("[\ud800-\udfff]")
_FOREIGN = re.compile(r"[^\x00-\x7f]")
"""Letters like any other to bash. The grammar looks them up in a table of 256, which can end the program."""
_SIGN = re.compile(r"[^\w .,:/@%+\-]")
_JOINTS = frozenset(("program", "list", "pipeline", "redirected_statement", "&&", "||", ";", "|", "\n"))
_BUILT_IN = ("declaration_command", "unset_command")
_EFFECTS = ("&", "|&", "heredoc_redirect", "herestring_redirect")
_FED = ("heredoc_redirect", "herestring_redirect")
_HARMLESS_TARGETS = {
    ">": ("/dev/null",),
    ">>": ("/dev/null",),
    "<": ("/dev/null",),
    "&>": ("/dev/null",),
    "&>>": ("/dev/null",),
    ">&": ("1", "2"),
}


class _TreeReader:
    """The commands and the doubts, gathered on a walk of the tree. No recursion: a tree may be deep."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.commands: list[SimpleCommand] = []
        self.unclear: list[str] = []
        self.effects: list[str] = []

    def read(self, root: tree_sitter.Node) -> None:
        waiting = [_Place(root, "", False)]
        while waiting:
            place = waiting.pop()
            waiting.extend(reversed(self._look(place)))
            if len(self.commands) > MOST_COMMANDS:
                self.unclear.append(f"It has more than {MOST_COMMANDS} commands.")
                return

    def _look(self, place: "_Place") -> "list[_Place]":
        """Take one node in; returns those to look at next."""
        node, kind = place.node, place.node.type
        if node.is_missing:
            self.unclear.append(SPOKEN["ERROR"])
        elif kind == "command":
            return self._take_command(place)
        elif kind in _BUILT_IN:
            self.unclear.append(SPOKEN[kind])
            words = [read_word(child, self._text)[0] for child in node.children]
            self.commands.append(SimpleCommand(tuple(words)))
        elif kind == "file_redirect":
            return self._take_redirect(node)
        elif kind in _EFFECTS:
            self.effects.append(SPOKEN[kind])
            if kind == "heredoc_redirect":  # those that are plain were taken out before
                self.unclear.append(FILLED_IN)
            if kind == "herestring_redirect":
                self.unclear.extend(
                    doubt for child in node.named_children for doubt in read_word(child, self._text)[1]
                )
        elif kind in ("heredoc_start", "heredoc_end"):
            return []
        elif kind not in _JOINTS and (node.is_named or place.parent in _JOINTS):
            said = SPOKEN.get(kind)
            if said is not None or place.parent in _JOINTS:
                self.unclear.append(said or f"It has something that is not understood here ({kind}).")
        return _below(place)

    def _take_command(self, place: "_Place") -> "list[_Place]":
        words: list[Word] = []
        variables: list[str] = []
        deeper: list[_Place] = []
        is_fed = place.is_fed
        for child in place.node.children:
            if child.type == "variable_assignment":
                variables.append(source_of(child.child_by_field_name("name") or child, self._text))
                self.unclear.append(f"It sets the variable {variables[-1][:80]} for a command.")
                deeper.append(_Place(child, "command", False))
            elif child.type in ("file_redirect", *_EFFECTS):
                is_fed = is_fed or _feeds(child)
                deeper.append(_Place(child, "command", False))
            else:
                inner = child.children[0] if child.type == "command_name" and child.children else child
                word, doubts = read_word(inner, self._text)
                words.append(word)
                self.unclear.extend(doubts)
                if not word.is_plain:
                    deeper.append(_Place(inner, "command", False))
        if words:
            self.commands.append(SimpleCommand(tuple(words), tuple(variables), is_fed))
        return deeper

    def _take_redirect(self, node: tree_sitter.Node) -> "list[_Place]":
        operator = next((child.type for child in node.children if not child.is_named), "")
        targets = node.children_by_field_name("destination")
        word = read_word(targets[0], self._text)[0] if targets else Word("", False)
        if word.text == STAND_IN:
            self.effects.append(SPOKEN["heredoc_redirect"])
        elif not word.is_plain or word.text not in _HARMLESS_TARGETS.get(operator, ()):
            verb = "reads from" if operator == "<" else "writes to"
            self.effects.append(f"It {verb} {word.text[:200] or 'another place'} ({operator}).")
        self._lengthen(targets[1:])
        unclear = [target for target in targets if not read_word(target, self._text)[0].is_plain]
        return [_Place(target, "command", False) for target in unclear]

    def _lengthen(self, nodes: list[tree_sitter.Node]) -> None:
        """Words after a redirection are the command's own: `rm >log -rf x`."""
        if not nodes:
            return
        read = [read_word(node, self._text) for node in nodes]
        self.unclear.extend(doubt for _, doubts in read for doubt in doubts)
        if self.commands:
            last = self.commands.pop()
            self.commands.append(replace(last, words=(*last.words, *(word for word, _ in read))))


@dataclass(frozen=True, slots=True)
class _Place:
    """A node, the kind of node it stands in, and whether its input comes from a pipe or a text.

    (Asking a node for its parent would walk down from the top each time.)
    """

    node: tree_sitter.Node
    parent: str
    is_fed: bool


def _below(place: _Place) -> list[_Place]:
    kind, children = place.node.type, place.node.children
    is_fed = place.is_fed or kind == "heredoc_redirect"
    if kind == "redirected_statement":
        is_fed = is_fed or any(_feeds(child) for child in children)
    return [
        _Place(child, kind, is_fed or (kind == "pipeline" and at > 0)) for at, child in enumerate(children)
    ]


def _feeds(node: tree_sitter.Node) -> bool:
    return node.type in _FED or (node.type == "file_redirect" and b"<" in (node.text or b""))
