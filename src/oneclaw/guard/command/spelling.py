"""A second, stricter parse of a command line, and characters a person cannot read.

The grammar that `syntax` uses is a good likeness of bash, not bash itself: where the two part, a command
could be read one way and run another. What a rule is to allow is therefore read once more by this plain
scanner, which knows so little that there is nothing to misread; only where both find the same words does a
rule count.
"""

import re
import unicodedata

from oneclaw.core.text.display import visible

MOST_BLANKS = 40
"""More blanks in a row push what follows out of sight; a tab counts as eight."""
_TAB = 8

REFERENCE = re.compile(
    r"(?<=[A-Za-z0-9_^])~|(?<=[@^])\{[A-Za-z0-9/_\-]*(?:\.[A-Za-z0-9/_\-]+)*\}|\{\}|(?<=[A-Za-z0-9_./:=@%+,\-])#"
)
"""Signs that mean more elsewhere, and here nothing, as in `HEAD~1`, `@{u}`, `{}` and `page.html#top`."""
LONE_DOLLAR = re.compile(r"\$(?=\||\Z)")
"""In double quotes, where no name can follow: it stands for itself, as in `grep "x$"`."""
_JOINT = re.compile(r"[ \t]*(?:&&|\|\||[;|])(?![;&|])[ \t]*")
_REDIRECT = re.compile(
    r"(?:[012]?>>?[ \t]*/dev/null|&>>?[ \t]*/dev/null|[012]?<[ \t]*/dev/null|[12]?>&[12])(?![^\s;|&])"
)
_BARE = re.compile(r"[A-Za-z0-9_\-./:,@%+=^]+")
_BARE_IN_RULE = re.compile(r"[A-Za-z0-9_\-./:,@%+=^*]+")
_SWALLOWED = re.compile(r"[^\x00-\x7f][\\`|]")
"""In some character sets (GBK, Big5, Shift JIS) the sign would be the second byte of the letter before it."""
_SINGLE = re.compile(r"'[^']*'")
_DOUBLE = re.compile(r'"(?:[^"\\$`]|\\.|\$(?=["|]))*"', re.DOTALL)
_ESCAPED = re.compile(r"\\[^\nA-Za-z0-9]")
_IN_DOUBLE = re.compile(r'\\([$`"\\])')
_RESERVED = frozenset(
    ("if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do", "done",
     "in", "function", "time", "coproc", "[[", "]]", "{", "}", "!")
)  # fmt: skip


def read_twice(text: str, *, is_rule: bool = False) -> tuple[tuple[str, ...], ...] | None:
    """The words of each command, or None where this scanner does not know its way, as in a second line.

    In a rule a star is a sign like any other: no shell reads it.
    """
    commands: list[tuple[str, ...]] = []
    words: list[str] = []
    at, text = 0, text.strip(" \t\n")
    if _SWALLOWED.search(text):
        return None
    while at < len(text):
        if joint := _JOINT.match(text, at):
            if not words:
                return None
            commands.append(tuple(words))
            words, at = [], joint.end()
        elif text[at] in " \t":
            at += 1
        elif redirect := _REDIRECT.match(text, at):
            at = redirect.end()
        else:
            word, end = _read_word(text, at, _BARE_IN_RULE if is_rule else _BARE)
            if word is None or (not words and (text[at:end] in _RESERVED or "=" in text[at:end])):
                return None
            words.append(word)
            at = end
    if words:
        commands.append(tuple(words))
    return tuple(commands)


def _read_word(text: str, at: int, bare: re.Pattern[str]) -> tuple[str | None, int]:
    said: list[str] = []
    if text[at] == "=":  # another shell fills in the path of a program
        return None, at
    while at < len(text) and text[at] not in " \t\n;|&<>":
        if found := REFERENCE.match(text, at) or bare.match(text, at):
            said.append(found[0])
        elif _is_letter(text[at]):
            said.append(text[at])
            at += 1
            continue
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


def _is_letter(char: str) -> bool:
    """Whether it may stand outside of quotes: beyond ASCII, and no sign that looks like one of the shell."""
    return not char.isascii() and (
        unicodedata.category(char)[0] in "LMN" or unicodedata.category(char) == "So"
    )


def deceit(text: str) -> str:
    """Why a person could not read the text for what it is, in a sentence; empty when they can."""
    if " " * (MOST_BLANKS + 1) in text.expandtabs(_TAB):
        return f"It has more than {MOST_BLANKS} blanks in a row."
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return ""
    for char in text:
        if char not in "\n\t\\" and visible(char) != char and not unicodedata.combining(char):
            return f"It has a character that is not seen or moves others (U+{ord(char):04X})."
        if not char.isascii() and any(each.isascii() for each in unicodedata.normalize("NFKC", char)):
            return f"It has a character that looks like another ({char}, U+{ord(char):04X})."
    return "It has characters that are not seen." if "\\u" in visible(text.replace("\\", "/")) else ""
