"""Full-text words and safe queries.

Scripts that part words by blanks are indexed by words, and once more by their parts of three letters. Those
that do not are indexed letter by letter; a row of letters in a query is taken apart into short pieces that
overlap, so that a question finds an answer which has only some of its words.
"""

import re
import unicodedata
from collections.abc import Iterable

_QUERY_CHARS = 1_000
_MOST_WORDS = 32
_MOST_SIGNS = 8
_LEAST_PART = 3
# Chinese, Japanese and Korean, where two letters are most often a word. Korean has blanks, but compounds too.
_SYLLABLES = (
    "\u3005-\u3007\u3040-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
# Thai, Lao, Burmese and Khmer, where words are longer.
_LETTERS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_PIECE_CHARS = {True: 2, False: 3}
# Compiled by `re` when somebody searches: it takes milliseconds, which every start would pay.
_SYLLABLE = f"[{_SYLLABLES}]"
_UNSPACED = f"[{_SYLLABLES}{_LETTERS}]"
_RUNS = rf"[{_SYLLABLES}]+|[{_LETTERS}]+|[^\s{_SYLLABLES}{_LETTERS}]+"
# Accents of Latin, Greek and Cyrillic letters, vowel signs of Hebrew and Arabic, and its long stroke.
_MARKS = "[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u065f\u0670]+"


def searchable(text: str) -> str | None:
    """The text as it is to be indexed; None where that is the text itself."""
    return None if text.isascii() else re.sub(_UNSPACED, r" \g<0> ", _fold(text))


def words_of(query: str) -> list[str]:
    """The words of a query, whatever else stands in it, and the pieces of what is written without blanks."""
    plain = "".join(char if _is_letter(char) else " " for char in _fold(query[:_QUERY_CHARS]))
    pieces = (piece for run in re.findall(_RUNS, plain) for piece in _pieces(run))
    return list(dict.fromkeys(pieces))[:_MOST_WORDS]


def signs_of(query: str) -> str:
    """The signs of a query that stand for something by themselves, as pictures and arrows do; each once."""
    signs = (char for char in query[:_QUERY_CHARS] if not char.isascii() and _is_sign(char))
    return "".join(dict.fromkeys(signs))[:_MOST_SIGNS]


def match_any(words: Iterable[str]) -> str:
    """A full text query for any of the words, each as it is: between quotes nothing has a meaning."""
    return " OR ".join(f'"{" ".join(word) if re.match(_UNSPACED, word) else word}"' for word in words)


def match_within(words: Iterable[str]) -> str:
    """A query of the parts of words: for those that stand inside others, or end in another way there."""
    parts = (
        word if len(word) < 5 else word[: -(len(word) // 4)]
        for word in words
        if len(word) >= _LEAST_PART and not re.match(_UNSPACED, word)
    )
    return match_any(dict.fromkeys(parts))


def _fold(text: str) -> str:
    """The text whatever its case, its accents and the width of its letters."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFC", re.sub(_MARKS, "", unicodedata.normalize("NFD", plain)))


def _is_sign(char: str) -> bool:
    return unicodedata.category(char) in ("So", "Sm", "Sc")


def _is_letter(char: str) -> bool:
    return unicodedata.category(char)[0] in "LNM"


def _pieces(run: str) -> list[str]:
    if not re.match(_UNSPACED, run):
        return [run] if any(char.isalnum() for char in run) else []
    letters = "".join(filter(str.isalnum, run))
    length = _PIECE_CHARS[bool(re.match(_SYLLABLE, run))]
    return [letters[at : at + length] for at in range(max(1, len(letters) - length + 1))] if letters else []
