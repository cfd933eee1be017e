"""The request in a message: without polite words in front, and with typing mistakes in its verb mended."""

import re

_POLITE = (
    *(
        "oh no",
        "oh",
        "hey",
        "hi",
        "hello",
        "ok",
        "okay",
        "so",
        "now",
        "then",
        "also",
        "and",
        "just",
        "please",
    ),
    *("kindly", "quickly", "maybe", "perhaps", "first", "next", "finally", "afterwards", "oneclaw", "try to"),
    *("go ahead(?: and)?", "feel free to", "let's", "lets", "let us", "help me(?: to)?", "are you able to"),
    *("(?:would|do) you mind", "(?:can|could|would|will) (?:you|u)", "is there (?:a|any) way to", "pls"),
    *("(?:is|would) it (?:be )?possible(?: for you)? to", "(?:can|could|may) i (?:ask|get) you to"),
    *("(?:i|we) (?:want|need|wish|have|ought)(?: you)? to", "(?:i'd|i would|we'd) (?:like|love)(?: you)? to"),
    *("(?:i|we|you) (?:should|must|can|may)", "make sure (?:to|you)", "be so (?:kind|good)(?: as)? to"),
    *("i'd be glad if you", "it would be (?:nice|great|good) to"),
)
LEAD = re.compile(rf'(?:(?:@|""|{"|".join(_POLITE)}) )+')
"""Polite words in front of a request that is read with signs for paths and quotations."""
_LEAD = re.compile(rf"(?:(?:{'|'.join(_POLITE)})\b[,.!:]*\s+)+", re.IGNORECASE)
_HOW = re.compile(
    r"(?:how (?:do|can|would|could|should|to)(?: (?:i|we|you|one))?|what is the way to) (?!you\b)",
    re.IGNORECASE,
)
_GERUNDS = {
    f"{verb.removesuffix('e')}ing": verb
    for verb in (
        *("rename", "move", "copy", "delete", "remove", "replace", "change", "make", "create", "restore"),
        "duplicate",
    )
}


def bare_request(text: str) -> str:
    """A request without polite words in front; a verb such as `renaming` is given as `rename`."""
    lead = _LEAD.match(text.strip())
    rest = text.strip()[lead.end() if lead else 0 :]
    first, space, more = rest.partition(" ")
    return f"{_GERUNDS.get(first.lower(), first)}{space}{more}"


def asked_how(text: str) -> str:
    """The request that a question asks the way of: `How do I rename a.txt?` is about `rename a.txt`."""
    found = _HOW.match(text.strip())
    return text.strip()[found.end() :].rstrip("?.! ") if found else ""


def fix_typos(text: str, known: frozenset[str]) -> str:
    """The text with its first three words mended: two letters swapped, one missing, or one doubled."""
    words = text.split(" ")
    for at, word in enumerate(words[:3]):
        if len(word) > 3 and word.isalpha() and word.lower() not in known:
            near = [key for key in known if _is_typo(word.lower(), key)]
            words[at] = near[0] if len(near) == 1 else word
    return " ".join(words)


def _is_typo(word: str, key: str) -> bool:
    if len(word) == len(key):
        return word in {key[:at] + key[at + 1] + key[at] + key[at + 2 :] for at in range(len(key) - 1)}
    if len(word) + 1 == len(key):
        return word in {key[:at] + key[at + 1 :] for at in range(1, len(key) - 1)}
    return key in {word[:at] + word[at + 1 :] for at in range(1, len(word)) if word[at] == word[at - 1]}
