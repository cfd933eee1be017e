"""A second, narrower reading of a command line, and characters that keep a person from reading it at all.

The grammar that `syntax` uses is a good likeness of bash, not bash itself: where the two part, a command
could be read one way and run another. What a rule is to allow is therefore read once more by this plain
scanner, which knows so little that there is nothing to misread; only where both find the same words does a
rule count.
"""

import re
import unicodedata

from oneclaw.core.text.display import visible

MOST_BLANKS = 40
"""More blanks in a row push what follows out of sight."""

_JOINT = re.compile(r"[ ]*(?:&&|\|\||[;|])(?![;&|])[ ]*")
_REDIRECT = re.compile(
    r"(?:[012]?>>?[ ]*/dev/null|&>>?[ ]*/dev/null|[012]?<[ ]*/dev/null|[12]?>&[12])(?![^\s;|&])"
)
_BARE = re.compile(r"[A-Za-z0-9_\-./:,@%+=^]+|[^\x00-\x7f]+")
_SINGLE = re.compile(r"'[^']*'")
_DOUBLE = re.compile(r'"(?:[^"\\$`]|\\.)*"', re.DOTALL)
_ESCAPED = re.compile(r"\\[^\nA-Za-z0-9]")
_IN_DOUBLE = re.compile(r'\\([$`"\\])')
_RESERVED = frozenset(
    (
        "if",
        "then",
        "else",
        "elif",
        "fi",
        "case",
        "esac",
        "for",
        "select",
        "while",
        "until",
        "do",
        "done",
        "in",
    )
) | frozenset(("function", "time", "coproc", "[[", "]]", "{", "}", "!"))


def read_twice(text: str) -> tuple[tuple[str, ...], ...] | None:
    """The words of each command, or None where this scanner does not know its way, as in a second line."""
    commands: list[tuple[str, ...]] = []
    words: list[str] = []
    at, text = 0, text.strip(" \n")
    while at < len(text):
        if joint := _JOINT.match(text, at):
            if not words:
                return None
            commands.append(tuple(words))
            words, at = [], joint.end()
        elif text[at] == " ":
            at += 1
        elif redirect := _REDIRECT.match(text, at):
            at = redirect.end()
        else:
            word, end = _read_word(text, at)
            if word is None or (not words and (text[at:end] in _RESERVED or "=" in text[at:end])):
                return None
            words.append(word)
            at = end
    if words:
        commands.append(tuple(words))
    return tuple(commands)


def _read_word(text: str, at: int) -> tuple[str | None, int]:
    said: list[str] = []
    if text[at] == "=":  # another shell fills in the path of a program
        return None, at
    while at < len(text) and text[at] not in " \n;|&<>":
        if found := _BARE.match(text, at):
            said.append(found[0])
        elif found := _SINGLE.match(text, at):
            said.append(found[0][1:-1])
        elif found := _DOUBLE.match(text, at):
            said.append(_IN_DOUBLE.sub(r"\1", found[0][1:-1].replace("\\\n", "")))
        elif found := _ESCAPED.match(text, at):
            said.append(found[0][1:])
        else:
            return None, at
        at = found.end()
    if not said or (at < len(text) and text[at] in "<>" and said[-1].isdigit()):
        return None, at
    return "".join(said), at


def deceit(text: str) -> str:
    """Why a person could not read the text for what it is, in a sentence; empty when they can."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return f"It has more than {MOST_BLANKS} blanks in a row." if " " * (MOST_BLANKS + 1) in text else ""
    for char in text:
        if char not in "\n\\" and visible(char) != char and not unicodedata.combining(char):
            return f"It has a character that is not seen or moves others ({visible(char)})."
        if not char.isascii() and any(each.isascii() for each in unicodedata.normalize("NFKC", char)):
            return f"It has a character that looks like another ({char}, U+{ord(char):04X})."
    if visible(text).count("\\u") or " " * (MOST_BLANKS + 1) in text:
        return "It has characters that are not seen."
    return ""
