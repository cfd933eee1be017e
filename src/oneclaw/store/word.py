"""Words as the store's index knows them: text made searchable, and a query that no text can break."""

import re
import unicodedata

_QUERY_CHARS = 1_000
_MOST_WORDS = 32
# Scripts written without blanks between words: each letter is a word, and a word a row of them.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff]"
)
_BETWEEN = re.compile(r"[\0\s!-/:-@\[-`{-~]+")


def searchable(text: str) -> str | None:
    """The text as it is to be indexed; None where that is the text itself."""
    spread = _spread(text)
    return None if spread == text else spread


def match_any(text: str, is_prefix: bool = False) -> str:
    """A full text query for any of the words of a text, whatever else stands in it; empty without words."""
    words = _BETWEEN.split(unicodedata.normalize("NFKC", text[:_QUERY_CHARS]))
    known = dict.fromkeys(word for word in words if any(char.isalnum() for char in word))
    # Between quotes nothing has a meaning of its own, and the quote itself is one of what parts words.
    end = '" *' if is_prefix else '"'
    return " OR ".join(f'"{_spread(word).strip()}{end}' for word in list(known)[:_MOST_WORDS])


def _spread(text: str) -> str:
    if text.isascii():
        return text
    return _UNSPACED.sub(r" \g<0> ", unicodedata.normalize("NFKC", text))
