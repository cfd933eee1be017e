"""Compares two texts word by word."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from oneclaw.core.text.display import visible

WordChange = Literal["same", "removed", "added"]

_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_MOST_WORDS = 20_000


@dataclass(frozen=True, slots=True)
class WordRun:
    """Words in a row that are in both texts, only in the old one, or only in the new one."""

    change: WordChange
    text: str


def compare_words(old: str, new: str) -> list[WordRun]:
    """The runs that make up both texts, in order; characters that nobody sees are written as escapes."""
    before, after = _WORD.findall(old), _WORD.findall(new)
    if len(before) + len(after) > _MOST_WORDS:
        return [WordRun("removed", _shown(old)), WordRun("added", _shown(new))]
    return list(_runs(before, after))


def _runs(before: list[str], after: list[str]) -> Iterator[WordRun]:
    for tag, start, end, new_start, new_end in SequenceMatcher(None, before, after, False).get_opcodes():
        if tag == "equal":
            yield WordRun("same", _shown("".join(before[start:end])))
            continue
        if end > start:
            yield WordRun("removed", _shown("".join(before[start:end])))
        if new_end > new_start:
            yield WordRun("added", _shown("".join(after[new_start:new_end])))


def _shown(text: str) -> str:
    return "\n".join(visible(line) for line in text.split("\n"))
