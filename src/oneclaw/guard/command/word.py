"""Parses one word of a command and says why it is not plain."""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import tree_sitter

from oneclaw.guard.command.spelling import LONE_DOLLAR, REFERENCE


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a command: what it says, or as it is written when that shows only while running."""

    text: str
    is_plain: bool = True


SPOKEN = {
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
    "heredoc_redirect": "Its input is a here-document or here-string (<< or <<<).",
    "herestring_redirect": "Its input is a here-document or here-string (<< or <<<).",
}
"""Reasons by node type why a command is not plain."""
_FILLED_IN = frozenset("*?[]{}~")
_ESCAPE = re.compile(
    r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|(['\"?nt\\]))"
)
_SIGNS = {"n": "\n", "t": "\t"}


def source_of(node: tree_sitter.Node, text: str) -> str:
    """The node's text; the parser was given one byte for each character."""
    return text[node.start_byte : node.end_byte]


def read_word(node: tree_sitter.Node, text: str) -> tuple[Word, list[str]]:
    """A word of the text, and why it is not plain."""
    doubts = list(_doubts(node, text))
    return Word("".join(_said(part, text) for part in _parts(node)), not doubts), doubts


def _parts(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    return list(node.children) if node.type == "concatenation" else [node]


def _doubts(node: tree_sitter.Node, text: str) -> Iterator[str]:
    parts = _parts(node)
    if sum(part.end_byte - part.start_byte for part in parts) != node.end_byte - node.start_byte:
        yield "A word is not understood."
    sources = [source_of(part, text) for part in parts]
    for part, source in zip(parts, _without_references(sources), strict=True):
        kind = part.type
        if kind == "raw_string":
            continue
        if kind == "string":
            yield from (SPOKEN[child.type] for child in part.children if child.type in SPOKEN)
            if _has_bare(LONE_DOLLAR.sub("_", source[1:-1]), "$`"):
                yield "A variable or a command is filled in while it runs."
        elif kind in ("word", "number") and not part.named_children:
            if _has_bare(source, "$`"):
                yield "A variable or a command is filled in while it runs."
            if _has_bare(source, _FILLED_IN):
                yield "A pattern, braces or ~ are filled in while it runs."
            if _has_bare(source, "\n\r;&|<>()!#'\"") or source.endswith("\\"):
                yield "A word is not understood."
        elif part.is_named or kind not in ("export", "declare", "local", "readonly", "typeset", "unset"):
            yield SPOKEN.get(kind, f"It has something that is not understood here ({kind}).")


def _without_references(sources: list[str]) -> Iterator[str]:
    """The parts of a word, with what only git gives a meaning, as in `HEAD~1` and `@{u}`, blotted out."""
    whole = REFERENCE.sub(lambda found: "_" * len(found[0]), "".join(sources))
    at = 0
    for source in sources:
        yield whole[at : at + len(source)]
        at += len(source)


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


def _unescape(found: re.Match[str]) -> str:
    """Decodes an escape of $'…' that is a printable character."""
    *hexadecimal, octal, sign = found.groups()
    if sign:
        return _SIGNS.get(sign, sign)
    code = int(octal, 8) & 0xFF if octal else int(next(filter(None, hexadecimal)), 16)
    return chr(code) if code <= sys.maxunicode and chr(code).isprintable() else found[0]


def _said(part: tree_sitter.Node, text: str) -> str:
    """The text of a word part, without quotes and backslashes."""
    source = source_of(part, text)
    if part.type == "raw_string":
        return source[1:-1]
    if part.type == "ansi_c_string":
        return _ESCAPE.sub(_unescape, source[2:-1])
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
