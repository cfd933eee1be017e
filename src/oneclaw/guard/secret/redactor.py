"""Known secrets taken out of text and values: as they are, and in the spellings that programs give them.

Whoever learns a secret tells the redactor its name and value; from then on every text that passes through
comes out with `[redacted:NAME]` in its place. Text without secrets costs one search per spelling and is
returned as it is; a pattern is only made of the spellings that were found, the longest first.
"""

import base64
import html
import json
import re
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import quote, quote_plus

LEAST_CHARS = 4
"""A shorter value is never taken out: it would tear holes into every text."""

_WHOLE_WORD_CHARS = 8  # a shorter value is taken out only where it stands alone, and only as it is
_LINE_CHARS = 20
_BASE64 = "[A-Za-z0-9+/_-]"


class Redactor:
    """The secrets known so far. Safe to use from several threads."""

    def __init__(self, secrets: Mapping[str, str] | None = None) -> None:
        self._known: dict[str, tuple[str, str]] = {}  # spelling → name and look
        self._needles: tuple[str, ...] = ()
        for name, value in (secrets or {}).items():
            self.learn(name, value)

    def learn(self, name: str, value: str) -> None:
        """Take `value` out of everything from now on; a value known under two names keeps its first."""
        known = {spelling: (name, look) for spelling, look in spellings(value).items()} | self._known
        if len(known) != len(self._known):
            # Both replaced, not changed: another thread may be reading. A needle is always known.
            self._known = known
            self._needles = tuple(sorted(known, key=len, reverse=True))

    def redact(self, text: str) -> str:
        """`text` without the secrets known so far."""
        found = [needle for needle in self._needles if needle in text]
        if not found:
            return text
        names, looks = zip(*(self._known[needle] for needle in found), strict=True)
        pattern = "|".join(f"({look})" for look in looks)
        return re.sub(pattern, lambda match: f"[redacted:{names[(match.lastindex or 1) - 1]}]", text)

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
        return self._redact_other(value)

    def _redact_other(self, value: Any) -> Any:
        """A number or an object: its text, where that holds a secret, else itself."""
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
    exact = {value} | _lines(value) | _escaped(value) | _percent_encoded(value) | _hex(value)
    # The letters at both ends of base64 hold some bits of the secret too.
    encoded = {part: f"{_BASE64}{{0,2}}{re.escape(part)}{_BASE64}{{0,2}}={{0,2}}" for part in _base64(value)}
    return encoded | {text: re.escape(text) for text in exact}


def _lines(value: str) -> set[str]:
    """The long lines of a key in several lines, which tools may show one by one."""
    lines = {line.strip() for line in value.splitlines()}
    return {line for line in lines if len(line) >= _LINE_CHARS and not line.startswith("-----")}


def _escaped(value: str) -> set[str]:
    in_json = json.dumps(value)[1:-1]
    return {
        in_json,
        json.dumps(value, ensure_ascii=False)[1:-1],
        in_json.replace("/", "\\/"),
        json.dumps(in_json)[1:-1],  # JSON text inside a JSON string
        repr(value)[1:-1],
        html.escape(value),
        html.escape(value, quote=False),
        value.replace("'", "'\\''"),  # in a shell's single quotes
        value.replace("'", "'\"'\"'"),
    }


def _percent_encoded(value: str) -> set[str]:
    data = value.encode("utf-8", "surrogatepass")
    upper = {
        quote(data, safe=""),
        quote(data),
        quote(data, safe="!'()*~"),  # encodeURIComponent
        quote(data, safe=";,/?:@&=+$!'()*#~"),  # encodeURI
        quote_plus(data),
    }
    return upper | {re.sub("%[0-9A-F]{2}", lambda match: match[0].lower(), text) for text in upper}


def _base64(value: str) -> set[str]:
    """The part that a secret gives to base64 wherever it stands in the encoded bytes, as in `user:secret`."""
    data = value.encode("utf-8", "surrogatepass")
    parts = set[str]()
    for shift, first in ((0, 0), (1, 2), (2, 3)):
        last = (shift + len(data)) * 8 // 6
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            parts.add(encode(b"\0" * shift + data)[first:last].decode("ascii"))
    return parts


def _hex(value: str) -> set[str]:
    text = value.encode("utf-8", "surrogatepass").hex()
    return {text, text.upper()}
