"""Masks known secrets in text and values, in every common encoding.

Whoever learns a secret tells the redactor its name and value; from then on every text that passes through
comes out with `[redacted:NAME]` in its place. Text without secrets costs one search per spelling and is
returned as it is; a pattern is only made of the spellings that were found, the longest first. Where a text
has escapes (`%2f`, `&#47;`, `\\u002F`), the text that they stand for is searched, too.
"""

import base64
import json
import re
from collections.abc import Mapping
from typing import Any, cast

from oneclaw.guard.secret.escapes import origins, undo

LEAST_CHARS = 4
"""A shorter value is never taken out: it would tear holes into every text."""

SECRET_CHARS = 8 * 1024
"""The longest secret, in whatever spelling, that is still found where two pieces of a text meet."""

_WHOLE_WORD_CHARS = 8  # a shorter value is taken out only where it stands alone, and only as it is
_LINE_CHARS = 20
_BASE64 = "[A-Za-z0-9+/_-]"
_MOST_PASSES = 8
"""How often a text is searched again after an escaped secret was removed."""

_Span = tuple[int, int, str]


class SecretRedactor:
    """The secrets known so far. Safe to use from several threads."""

    def __init__(self, secrets: Mapping[str, str] | None = None) -> None:
        self._known: dict[str, tuple[str, str]] = {}  # spelling → name and look
        self._needles: tuple[str, ...] = ()
        self._hex: tuple[str, ...] = ()
        self._letters: frozenset[str] = frozenset()
        for name, value in (secrets or {}).items():
            self.learn(name, value)

    def learn(self, name: str, value: str) -> None:
        """Take `value` out of everything from now on; a value known under two names keeps its first."""
        in_hex = _hex(value)
        known = {spelling: (name, look) for spelling, look in (spellings(value) | in_hex).items()}
        known |= self._known
        if len(known) != len(self._known):
            # All replaced, not changed: another thread may be reading. A needle is always known.
            self._known = known
            self._hex = tuple(sorted({*self._hex, *in_hex}, key=len, reverse=True))
            self._needles = tuple(sorted(known.keys() - set(self._hex), key=len, reverse=True))
            self._letters = frozenset("".join(known))

    def redact(self, text: str) -> str:
        """`text` without the secrets known so far."""
        if not self._needles:
            return text
        text = _replace(text, self._find(text))
        for _ in range(_MOST_PASSES):
            spans = self._find_escaped(text)
            if not spans:
                return text
            text = _replace(text, spans)
        return "(a text with too many escapes to be searched for secrets)"

    def _find(self, text: str) -> list[_Span]:
        """Where the secrets stand in the text, as it is."""
        found = [needle for needle in self._needles if needle in text]
        if self._hex:
            small = _small_hex(text)
            found += [needle for needle in self._hex if needle in small]
        if not found:
            return []
        names, looks = zip(*(self._known[needle] for needle in found), strict=True)
        matches = re.finditer("|".join(f"({look})" for look in looks), text)
        return [(*match.span(), names[(match.lastindex or 1) - 1]) for match in matches]

    def _find_escaped(self, text: str) -> list[_Span]:
        """Where the secrets stand in what the escapes of the text say."""
        for undone in undo(text, self._letters):
            if spans := self._find(undone.text):
                places = origins(undone)
                return [(places[begin], places[end], name) for begin, end, name in spans]
        return []

    def redact_value(self, value: Any) -> Any:
        """`value`, which is as JSON has it, without the secrets known so far, in keys and in members."""
        if not self._needles:
            return value
        try:
            return self._redact_any(value)
        except RecursionError:
            return "(a value nested too deeply to be searched for secrets)"

    def _redact_any(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.redact(value)
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, dict | Mapping):  # dict first: to ask for the other takes longer
            members = cast(Mapping[Any, Any], value)
            return {self._redact_any(key): self._redact_any(member) for key, member in members.items()}
        if isinstance(value, list | tuple):
            return [self._redact_any(member) for member in cast(list[Any], value)]
        # A number or an object: its text, where that holds a secret, else itself.
        try:
            text = str(value)
        except Exception:  # a number of 5,000 digits, an object whose text raises
            return value
        redacted = self.redact(text)
        return value if redacted == text else redacted


def spellings(value: str) -> dict[str, str]:
    """The ways in which a secret shows up in text, each with the pattern of what to take out."""
    value = value.strip()
    if len(value) < LEAST_CHARS:
        return {}
    if len(value) < _WHOLE_WORD_CHARS:
        return {value: rf"(?<![A-Za-z0-9]){re.escape(value)}(?![A-Za-z0-9])"}
    lines = {line.strip() for line in value.splitlines()}  # which tools may show one by one
    long = {line for line in lines if len(line) >= _LINE_CHARS and not line.startswith("-----")}
    exact = {value, value.replace(" ", "+")} | long | _escaped(value)
    # The letters at both ends of base64 hold some bits of the secret too.
    encoded = {part: f"{_BASE64}{{0,2}}{re.escape(part)}{_BASE64}{{0,2}}={{0,2}}" for part in _base64(value)}
    return encoded | {text: re.escape(text) for text in exact}


def _escaped(value: str) -> set[str]:
    in_json = json.dumps(value, ensure_ascii=False)[1:-1]
    return {
        in_json,
        in_json.replace("/", "\\/"),
        json.dumps(in_json, ensure_ascii=False)[1:-1],  # JSON text inside a JSON string
        repr(value)[1:-1],
        value.replace("'", "'\\''"),  # in a shell's single quotes
        value.replace("'", "'\"'\"'"),
    }


def _base64(value: str) -> set[str]:
    """The part that a secret gives to base64 wherever it stands in the encoded bytes, as in `user:secret`."""
    data = value.encode("utf-8", "surrogatepass")
    parts = set[str]()
    for shift, first in ((0, 0), (1, 2), (2, 3)):
        last = (shift + len(data)) * 8 // 6
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            parts.add(encode(b"\0" * shift + data)[first:last].decode("ascii"))
    return parts


def _hex(value: str) -> dict[str, str]:
    """The secret in hex, in small letters, with the pattern of what to take out."""
    value = value.strip()
    if len(value) < _WHOLE_WORD_CHARS:
        return {}
    text = value.encode("utf-8", "surrogatepass").hex()
    return {text: f"(?i:{text})"}


def _small_hex(text: str) -> str:
    """The text with its digits of hex in small letters; nothing else moves."""
    if text.isascii():
        return text.lower()
    for letter in "ABCDEF":
        text = text.replace(letter, letter.lower())
    return text


def _replace(text: str, spans: list[_Span]) -> str:
    pieces, at = list[str](), 0
    for begin, end, name in spans:
        pieces += text[at:begin], f"[redacted:{name}]"
        at = end
    return "".join((*pieces, text[at:])) if spans else text
