"""Checks request headers, and drops secret ones on redirects to other hosts."""

import re
from collections.abc import Iterable
from urllib.parse import unquote

from oneclaw.core.errors import invalid

Headers = tuple[tuple[str, str], ...]

MAX_COUNT = 100
MAX_CHARS = 16_384
ROUNDS = 8
"""How often a header is decoded in the search for a line end; one that can still be decoded is refused."""

# The client writes these itself: another value would let one request pass for two, or for another host's.
RESERVED = frozenset(
    (
        *("connection", "content-length", "expect", "host", "keep-alive", "proxy-connection", "te"),
        *("trailer", "transfer-encoding", "upgrade"),
    )
)
# All that crosses to another origin. A list of what is harmless: nobody knows every name of a credential.
HARMLESS = frozenset(
    (
        *("accept", "accept-encoding", "accept-language", "cache-control", "content-language"),
        *("content-type", "if-modified-since", "if-none-match", "pragma", "range", "user-agent"),
    )
)

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")
_VALUE = re.compile(r"[\t\x20-\x7e]*\Z")
_WIDE = re.compile(r"%[uU]([0-9a-fA-F]{4})")
_OVERLONG = re.compile(r"%(?:c0|e0%80|f0%80%80|f8%80%80%80|fc%80%80%80%80)%8[ad]", re.IGNORECASE)
# Line ends and what careless programs turn into them: NEL, LS, PS, and two letters that lose their high byte.
_LINE_END = re.compile("[\x00\r\n\x0b\x0c\x85\u2028\u2029\u560a\u560d]")


def check(pairs: Iterable[tuple[str, str]]) -> Headers:
    """The headers as they will be sent; raises `ToolError` for the first that cannot be."""
    checked: list[tuple[str, str]] = []
    for name, value in pairs:
        if why := _problem(name, value):
            raise invalid(f"Header {name[:60]!a} cannot be sent: {why}.")
        checked.append((name, value.strip()))
    if len(checked) > MAX_COUNT:
        raise invalid(f"{len(checked)} headers are too many: send at most {MAX_COUNT}.")
    return tuple(checked)


def keep_harmless(headers: Headers) -> Headers:
    """Headers kept for another origin: no credentials, nothing unknown."""
    return tuple((name, value) for name, value in headers if name.lower() in HARMLESS)


def drop_content(headers: Headers) -> Headers:
    """The headers without those that describe a body."""
    return tuple((name, value) for name, value in headers if not name.lower().startswith("content-"))


def find(headers: Iterable[tuple[str, str]], name: str) -> str | None:
    """The first value of a header, whatever the case of its name."""
    return next((value for key, value in headers if key.lower() == name), None)


def _problem(name: str, value: str) -> str:
    if not _NAME.match(name):
        return "its name has characters that headers cannot have"
    if _hides_line_end(name):
        return "its name hides a line end behind per cent signs"
    if name.lower() in RESERVED:
        return "it is set by the client itself"
    if len(value) > MAX_CHARS:
        return f"its value is longer than {MAX_CHARS:,} characters"
    if not _VALUE.match(value):
        return "its value has line ends, control characters or letters outside ASCII"
    return "its value hides a line end behind per cent signs" if _hides_line_end(value) else ""


def _hides_line_end(text: str) -> bool:
    """Whether a careless program would read a line end in it: `%0a`, `%250a`, `%u000a`, `%c0%8a`, deeper."""
    for _ in range(ROUNDS):
        if _OVERLONG.search(text):
            return True
        before, text = text, unquote(_WIDE.sub(lambda code: chr(int(code[1], 16)), text))
        if _LINE_END.search(text):
            return True
        if text == before:
            return False
    return True
