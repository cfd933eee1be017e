"""Whether a message is written in English, the one language the tiny model was trained on."""

import re
import tomllib
import unicodedata
from functools import cache
from importlib.resources import files

_HIDDEN = re.compile(r"\"[^\"]*\"|“[^”]*”|`[^`]*`|https?://\S+|\S+[./]\S+")
"""Quotations, addresses and paths: they may be in any language."""


def is_english(text: str) -> bool:
    """Whether a message may be English: few foreign letters, and no more foreign words than English ones."""
    said = _HIDDEN.sub(" ", text.lower().replace("’", "'"))
    letters = [char for char in said if char.isalpha()]
    strange = [char for char in letters if not unicodedata.name(char, "LATIN").startswith("LATIN")]
    if len(strange) > len(letters) / 3:
        return False
    words = re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", said)
    english, foreign = _words("english"), _words("foreign")
    known = [word for word in words if word in english]
    others = [word for word in words if word in foreign - english]
    is_marked = "¿" in said or "¡" in said
    return len(others) < (2 if known and not is_marked else 1) or len(known) >= len(others)


@cache
def _words(name: str) -> frozenset[str]:
    text = files("oneclaw_smollm2").joinpath("language.toml").read_text(encoding="utf-8")
    return frozenset(tomllib.loads(text)[name].split())
