"""Splits regular expressions with leading lookaheads into patterns that RE2 can match.

`^(?!.*\\.\\.)[a-z/.]+$` says two things of one text: it does not match `^(?:.*\\.\\.)`, and it matches
`^[a-z/.]+$`. Most look-ahead in schemas is of this kind, and taken apart it costs no going back.
"""

import re
from typing import NamedTuple

_TOKEN = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|[()|]", re.DOTALL)


class PatternPart(NamedTuple):
    """A pattern, and whether the text is to match it or not to."""

    pattern: str
    is_wanted: bool


def take_apart(pattern: str) -> list[PatternPart]:
    """The pieces of a pattern that starts with `^` and look-ahead; empty where it is of another kind."""
    if not pattern.startswith("^"):
        return []
    pieces: list[PatternPart] = []
    at = 1
    while pattern.startswith(("(?=", "(?!"), at):
        end = _find_outside_brackets(")", pattern, at)
        if end is None:
            return []
        pieces.append(PatternPart(f"^(?:{pattern[at + 3 : end]})", pattern[at + 2] == "="))
        at = end + 1
    rest = pattern[at:]
    if not pieces or rest.startswith(("*", "+", "?", "{")) or _find_outside_brackets("|", rest) is not None:
        return []
    return [*pieces, PatternPart(f"^{rest}", True)]


def _find_outside_brackets(mark: str, pattern: str, at: int = 0) -> int | None:
    """The first place of a mark with as many brackets closed as opened."""
    depth = 0
    for token in _TOKEN.finditer(pattern, at):
        depth += {"(": 1, ")": -1}.get(token.group(), 0)
        if depth == 0 and token.group() == mark:
            return token.start()
    return None
