"""A command line read as bash reads it: the commands in it, and all that keeps it from being plain.

Theory of operation. The grammar of bash gives a tree. It is walked from the top, and only what is listed here
is understood: simple commands of plain words, joined by `&&`, `||`, `;` and `|`. Everything else
leaves a sentence in `unclear` (what will run cannot be told from the text) or in `effects` (it can be told,
and it does more than run programs: writes a file, goes on in the background). The commands inside are noted
all the same, so that a person is shown every program that stands there.

This is the only file that knows the grammar.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import tree_sitter
import tree_sitter_bash

MOST_CHARS = 10_000
"""Longer command lines are not read: a person could not be shown them whole either."""
MOST_COMMANDS = 50
MOST_SIGNS = 1000
"""The time to read a text grows with the square of its signs: with more of them it is not read."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a command: what it says, or as it is written when that shows only while running."""

    text: str
    is_plain: bool = True


@dataclass(frozen=True, slots=True)
class Command:
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
class Script:
    """What a command line says."""

    commands: tuple[Command, ...] = ()
    unclear: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()


def parse(text: str) -> Script:
    """Read a command line. Never raises; what cannot be read is `unclear`."""
    if len(text) > MOST_CHARS:
        return Script(unclear=(f"It has {len(text):,} characters; at most {MOST_CHARS:,} are read.",))
    try:
        source = text.encode()
    except UnicodeEncodeError:
        return Script(unclear=("It has characters that are no text.",))
    if len(_SIGN.findall(text)) > MOST_SIGNS:
        return Script(unclear=("It has too many signs of the shell to be read.",))
    reader = _Reader()
    reader.read(_parser().parse(source).root_node)
    return Script(
        tuple(reader.commands), tuple(dict.fromkeys(reader.unclear)), tuple(dict.fromkeys(reader.effects))
    )


@cache
def _parser() -> tree_sitter.Parser:
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


_SIGN = re.compile(r"[^\w .,:/@%+\-]")
_JOINTS = frozenset(("program", "list", "pipeline", "redirected_statement", "&&", "||", ";", "|", "\n"))
_SPOKEN = {
    "ERROR": "It is not written as bash is.",
    "command_substitution": "It runs a command to fill in a word ($(…) or `…`).",
    "process_substitution": "It runs a command in place of a file (<(…) or >(…)).",
    "simple_expansion": "A variable is filled in while it runs.",
    "expansion": "A variable is filled in while it runs.",
    "arithmetic_expansion": "It fills in the result of a calculation.",
    "brace_expression": "Braces are filled in while it runs.",
    "ansi_c_string": "It has text in $'…', which does not say what it looks like.",
    "translated_string": 'It has text in $"…", which may say something else in another language.',
    "extglob_pattern": "A pattern is filled in with the names of files.",
    "regex": "It has a regular expression of the shell.",
    "comment": "It has a comment.",
    "function_definition": "It defines a function, which later commands may run by its name.",
    "declaration_command": "It sets variables of the shell.",
    "unset_command": "It takes away variables of the shell.",
    "variable_assignment": "It sets a variable.",
    "variable_assignments": "It sets variables.",
    "test_command": "It has a condition of the shell.",
    "negated_command": "It turns the outcome of a command round (!).",
    "subshell": "It runs commands in a shell of their own (…).",
    "compound_statement": "It groups commands with {…}.",
    "if_statement": "It runs commands on a condition.",
    "case_statement": "It runs commands on a condition.",
    "for_statement": "It runs commands in a loop.",
    "c_style_for_statement": "It runs commands in a loop.",
    "while_statement": "It runs commands in a loop.",
    "&": "It goes on in the background (&).",
    "|&": "It joins the error output to a pipe (|&).",
    "heredoc_redirect": "A text that stands in the command is its input (<<).",
    "herestring_redirect": "A text that stands in the command is its input (<<<).",
}
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
_FILLED_IN = frozenset("*?[]{}~")


class _Reader:
    """The commands and the doubts, gathered on a walk of the tree. No recursion: a tree may be deep."""

    def __init__(self) -> None:
        self.commands: list[Command] = []
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
            self.unclear.append(_SPOKEN["ERROR"])
        elif kind == "command":
            return self._take_command(place)
        elif kind in _BUILT_IN:
            self.unclear.append(_SPOKEN[kind])
            words = [_word(child)[0] for child in node.children]
            self.commands.append(Command(tuple(words)))
        elif kind == "file_redirect":
            self._take_redirect(node)
        elif kind in _EFFECTS:
            self.effects.append(_SPOKEN[kind])
            if kind == "heredoc_redirect" and not _is_plain_heredoc(node):
                self.unclear.append("The text that is its input is filled in while it runs (<<).")
            if kind == "herestring_redirect":
                self.unclear.extend(doubt for child in node.named_children for doubt in _word(child)[1])
        elif kind in ("heredoc_start", "heredoc_end"):
            return []
        elif kind not in _JOINTS and (node.is_named or place.parent in _JOINTS):
            said = _SPOKEN.get(kind)
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
                variables.append(_source(child.child_by_field_name("name") or child))
                self.unclear.append(f"It sets the variable {variables[-1][:80]} for a command.")
                deeper.append(_Place(child, "command", False))
            elif child.type in ("file_redirect", *_EFFECTS):
                is_fed = is_fed or child.type in _FED
                deeper.append(_Place(child, "command", False))
            else:
                inner = child.children[0] if child.type == "command_name" and child.children else child
                word, doubts = _word(inner)
                words.append(word)
                self.unclear.extend(doubts)
                if not word.is_plain:
                    deeper.append(_Place(inner, "command", False))
        if words:
            self.commands.append(Command(tuple(words), tuple(variables), is_fed))
        return deeper

    def _take_redirect(self, node: tree_sitter.Node) -> None:
        operator = next((child.type for child in node.children if not child.is_named), "")
        target = node.child_by_field_name("destination")
        word = Word("", False) if target is None else _word(target)[0]
        if not word.is_plain or word.text not in _HARMLESS_TARGETS.get(operator, ()):
            verb = "reads from" if operator == "<" else "writes to"
            self.effects.append(f"It {verb} {word.text[:200] or 'another place'} ({operator}).")


def _source(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _word(node: tree_sitter.Node) -> tuple[Word, list[str]]:
    """A word, and why it is not plain."""
    doubts = list(_doubts(node))
    return Word("".join(_said(part) for part in _parts(node)), not doubts), doubts


def _parts(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    return list(node.children) if node.type == "concatenation" else [node]


def _doubts(node: tree_sitter.Node) -> Iterator[str]:
    parts = _parts(node)
    if sum(part.end_byte - part.start_byte for part in parts) != node.end_byte - node.start_byte:
        yield "A word is not understood."
    for part in parts:
        kind, source = part.type, _source(part)
        if kind == "raw_string":
            continue
        if kind == "string":
            yield from (_SPOKEN[child.type] for child in part.children if child.type in _SPOKEN)
            if _has_bare(source[1:-1], "$`"):
                yield "A variable or a command is filled in while it runs."
        elif kind in ("word", "number") and not part.named_children:
            if _has_bare(source, "$`"):
                yield "A variable or a command is filled in while it runs."
            if _has_bare(source, _FILLED_IN):
                yield "A pattern, braces or ~ are filled in while it runs."
            if _has_bare(source, "\n\r;&|<>()!#'\"") or source.endswith("\\"):
                yield "A word is not understood."
        elif part.is_named or kind not in ("export", "declare", "local", "readonly", "typeset", "unset"):
            yield _SPOKEN.get(kind, f"It has something that is not understood here ({kind}).")


def _has_bare(source: str, letters: str | frozenset[str]) -> bool:
    """Whether one of the letters stands there without a backslash before it."""
    escaped = False
    for letter in source:
        if escaped:
            escaped = False
        elif letter == "\\":
            escaped = True
        elif letter in letters:
            return True
    return False


def _said(part: tree_sitter.Node) -> str:
    """What a part of a word says, quotes and backslashes taken out."""
    source = _source(part)
    if part.type == "raw_string":
        return source[1:-1]
    inside = part.type == "string"
    source = source[1:-1] if inside else source
    said: list[str] = []
    letters = iter(source)
    for letter in letters:
        if letter != "\\":
            said.append(letter)
            continue
        after = next(letters, "")
        if after == "\n":
            continue
        said.append(after if not inside or after in '$`"\\' else "\\" + after)
    return "".join(said)


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


def _is_plain_heredoc(node: tree_sitter.Node) -> bool:
    starts = [_source(child) for child in node.children if child.type == "heredoc_start"]
    bodies = [_source(child) for child in node.children if child.type == "heredoc_body"]
    is_quoted = all(start[:1] in ("'", '"', "\\") for start in starts)
    return is_quoted or not any(letter in body for body in bodies for letter in "$`\\")
