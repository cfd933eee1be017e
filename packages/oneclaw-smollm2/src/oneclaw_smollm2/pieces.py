"""The pieces of a message that are copied as a whole: words, quotations, dates, names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, zip_longest

MOST_PIECES = 300
"""Pieces of one message that can be copied; what comes after is read by the model and not copied."""

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_WHOLE = re.compile(  # a date or an hour is copied whole or not at all
    rf"{_MONTH}\.?\s{_DAY}(?:,?\s\d{{4}})?\b|{_DAY}\s(?:of\s)?{_MONTH}(?:,?\s\d{{4}})?\b"
    r"|\d{1,2}(?::\d\d)?\s(?:am|pm|a\.m|p\.m)\b",
    re.IGNORECASE,
)
_MATES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»"}
_CLOSERS = {")": "(", "]": "[", "}": "{", ">": "<"}
_ENDS = ".,;:!?…"
LITTLE = {
    *(
        "the",
        "a",
        "an",
        "of",
        "to",
        "into",
        "from",
        "with",
        "and",
        "or",
        "my",
        "our",
        "your",
        "in",
        "as",
        "that",
    ),
    *("is", "are", "for", "at", "called", "named"),
}
"""Words that no value ends in, unless the message does."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a message that is copied as a whole; `gap` is the white space before it."""

    gap: str
    text: str
    can_start: bool
    can_end: bool
    is_quoted: bool = False


def read_pieces(text: str) -> tuple[Piece, ...]:
    return tuple(_without_little_ends(list(_pieces(text))))


def _pieces(text: str) -> Iterator[Piece]:
    at = count = 0
    while count < MOST_PIECES and (here := re.compile(r"(\s*)(?=\S)").match(text, at)):
        gap, at = here[1], here.end()
        made, at = _next_pieces(text, at)
        for piece in made:
            yield Piece(gap, piece.text, piece.can_start, piece.can_end, piece.is_quoted)
            gap, count = "", count + 1


def _without_little_ends(pieces: list[Piece]) -> Iterator[Piece]:
    for piece, after in zip_longest(pieces, pieces[1:]):
        is_little = piece.text.lower() in LITTLE and not piece.is_quoted
        if is_little and after is not None and (after.can_end or after.can_start):
            yield Piece(piece.gap, piece.text, piece.can_start, False)
        else:
            yield piece


def _next_pieces(text: str, at: int) -> tuple[list[Piece], int]:
    closing = _closing_quote(text, at)
    if closing:
        inner = Piece("", text[at + 1 : closing], True, True, is_quoted=True)
        return [_mark(text[at]), inner, _mark(text[closing])], closing + 1
    whole = _WHOLE.match(text, at)
    end = whole.end() if whole else _name_end(text, at)
    if end:
        return [Piece("", text[at:end], True, True)], end
    word = re.compile(r"\S+").match(text, at)
    assert word is not None  # the caller stands before something that is not white space
    return list(_split_word(word[0])), word.end()


def _name_end(text: str, at: int) -> int | None:
    """Where a name of several words ends, as `New York` or `Hill Road 3`; it is copied whole too.

    The first word of a sentence may be large without being part of a name.
    """
    before = text[:at].rstrip()
    if not before or before[-1] in ".!?:;":
        return None
    words = list(islice(re.compile(r"\S+").finditer(text, at), 6))
    size = 0
    while size < len(words) and _is_name(words[size][0]) and (not size or _is_next(words, size)):
        size += 1
        if words[size - 1][0][-1] in _ENDS:
            break
    if size < 2:
        return None
    last = words[size - 1]
    has_number = size < len(words) and re.fullmatch(r"\d{1,4}[.,;:!?]?", words[size][0])
    if has_number and last[0][-1] not in _ENDS and _is_next(words, size):
        last = words[size]
    return last.end() - (len(last[0]) - len(last[0].rstrip(_ENDS)))


def _is_name(word: str) -> bool:
    core = word.rstrip(_ENDS)
    return len(core) > 1 and core[0].isupper() and core[1].islower() and core.replace("-", "").isalpha()


def _is_next(words: list[re.Match[str]], at: int) -> bool:
    return words[at].start() == words[at - 1].end() + 1


def _closing_quote(text: str, at: int) -> int | None:
    """Where the quotation that starts at `at` ends: an apostrophe inside a word is no quotation mark."""
    mate = _MATES.get(text[at])
    if mate is None or text[at + 1 : at + 2].isspace():
        return None
    closing = text.find(mate, at + 2)
    while closing > 0:
        after = text[closing + 1 : closing + 2]
        if not text[closing - 1].isspace() and (not after or after.isspace() or after in _ENDS + ")"):
            return closing
        closing = text.find(mate, closing + 1)
    return None


def _split_word(word: str) -> Iterator[Piece]:
    """Opening marks, the word, closing marks: `(notes.txt),` → `(`, `notes.txt`, `)`, `,`."""
    head = len(word) - len(word.lstrip("\"'`([{<"))
    lead, core = word[:head], word[head:]
    size = len(core)
    while size and _is_loose(core[:size]):
        size -= 1
    for char in lead:
        yield Piece("", char, char in "{[(", False)
    if core[:size]:
        yield Piece("", core[:size], True, True)
    for char in core[size:]:
        yield _mark(char)


def _is_loose(core: str) -> bool:
    """Whether the last sign is none of the word: it ends a sentence, or closes what the word did not open."""
    last = core[-1]
    if last in _CLOSERS:
        return core.count(_CLOSERS[last]) < core.count(last)
    return last in _ENDS or (last in "\"'`" and core.count(last) % 2 == 1)


def _mark(char: str) -> Piece:
    return Piece("", char, False, char in _CLOSERS)
