"""Parses a URL once, so that the checked host is the host connected to.

Read as browsers do (the WHATWG URL standard) where the text is plain, refused where programs disagree:
user names, backslashes, control characters, per cent signs in the host, missing or extra slashes.
"""

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import quote

from oneclaw.core.errors import Kind, ToolError
from oneclaw.guard.network.domain import check_punycode, to_ascii

MAX_CHARS = 16_384
DEFAULT_PORTS = {"http": 80, "https": 443}

_ENDS = "".join(map(chr, range(0x21)))
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_AUTHORITY = re.compile(r"(\[[^\[\]]*\]|[^:\[\]]*)(?::([0-9]*))?\Z")
_LABEL = re.compile(r"[a-z0-9_-]{1,63}\Z")
_NUMBER = re.compile(r"[0-9]+\Z|0[xX][0-9A-Fa-f]*\Z")
_DOT = re.compile(r"\.|%2e", re.IGNORECASE)
_PATH_SAFE = "!$%&'()*+,-./:;=@[]^_|~"
_QUERY_SAFE = "!$%&()*+,-./:;=?@[\\]^_`{|}~"


class InvalidUrl(ToolError):
    """An address that cannot be requested; `why` says it without the address."""

    def __init__(self, message: str, why: str) -> None:
        super().__init__(message, Kind.VALIDATION_ERROR)
        self.why = why


@dataclass(frozen=True, slots=True)
class Target:
    """Where a request goes. `host` is canonical: a lower-case ASCII name, or an address without brackets.

    `path` is what the request line carries, query included. `is_odd` is true for an address in a notation
    nobody writes by hand, as `0x7f.1`.
    """

    scheme: str
    host: str
    port: int
    path: str = "/"
    is_odd: bool = False

    @property
    def origin(self) -> tuple[str, str, int]:
        return (self.scheme, self.host, self.port)

    @property
    def authority(self) -> str:
        """The host, and the port where it is not the scheme's own: what the Host header says."""
        return self.bare_host if self.port == DEFAULT_PORTS[self.scheme] else f"{self.bare_host}:{self.port}"

    @property
    def bare_host(self) -> str:
        """The host as an address bar shows it: IPv6 in brackets."""
        return f"[{self.host}]" if ":" in self.host else self.host

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.path}"


def parse(url: str, base: Target | None = None) -> Target:
    """The target of `url`, relative to `base` if there is one; raises `ToolError` naming what is wrong."""
    text = url.strip(_ENDS)
    if len(text) > MAX_CHARS:
        raise _invalid(url, f"longer than {MAX_CHARS:,} characters")
    if _CONTROL.search(text):
        raise _invalid(url, "control characters are not allowed")
    text = text.partition("#")[0]
    before, mark, query = text.partition("?")
    if "\\" in before:
        raise _invalid(url, "backslashes are not allowed")
    tail = mark + quote(query, safe=_QUERY_SAFE)
    scheme = _SCHEME.match(before)
    if scheme is not None:
        return _absolute(url, scheme[1].lower(), before[scheme.end() :], tail)
    if base is None:
        raise _invalid(url, "it must start with http:// or https://")
    if before.startswith("//"):
        return _absolute(url, base.scheme, before, tail)
    path = _join(base.path, before) + (
        tail if before or mark else base.path[len(base.path.partition("?")[0]) :]
    )
    return Target(base.scheme, base.host, base.port, path, base.is_odd)


def parse_host(text: str) -> tuple[str, bool]:
    """The canonical host of a name or address, and whether it is an address oddly written.

    Raises ValueError saying what is wrong.
    """
    if text.startswith("["):
        return _ipv6(text[1:-1]), False
    if ":" in text:
        return _ipv6(text), False
    name = text.lower()
    if not name.isascii():
        name = to_ascii(name)
    labels = name.removesuffix(".").split(".")
    if _NUMBER.match(labels[-1]):
        address = _ipv4(labels)
        return address, address != text
    if len(name) > 253 or not all(map(_LABEL.match, labels)):
        raise ValueError("the host is not a name or address")
    if any(label.startswith("xn--") for label in labels):
        check_punycode(labels)
    return name, False


def _absolute(url: str, scheme: str, rest: str, tail: str) -> Target:
    if scheme not in DEFAULT_PORTS:
        raise _invalid(url, "only http and https can be requested")
    if not rest.startswith("//") or rest.startswith("///"):
        raise _invalid(url, f"{scheme}: must be followed by // and a host")
    authority, slash, path = rest[2:].partition("/")
    if "@" in authority:
        raise _invalid(url, "send a user name and password in an Authorization header, not in the address")
    parts = _AUTHORITY.match(authority)
    if parts is None or not parts[1]:
        raise _invalid(url, "the host or port cannot be read")
    port = int(parts[2]) if parts[2] else DEFAULT_PORTS[scheme]
    if port > 65535:
        raise _invalid(url, "the port is larger than 65535")
    try:
        host, is_odd = parse_host(parts[1])
    except ValueError as error:
        raise _invalid(url, str(error)) from None
    return Target(scheme, host, port, _join("/", slash + path) + tail, is_odd)


def _join(base: str, path: str) -> str:
    """`path` against the path of `base`, dot segments resolved, encoded for the request line."""
    base = base.partition("?")[0]
    if not path:
        return base
    if not path.startswith("/"):
        path = base.rpartition("/")[0] + "/" + path
    kept: list[str] = []
    segments = path[1:].split("/")
    for place, segment in enumerate(segments):
        dots = _DOT.sub(".", segment)
        if dots == "..":
            del kept[-1:]
        elif dots != ".":
            kept.append(segment)
            continue
        if place == len(segments) - 1:
            kept.append("")
    return "/" + quote("/".join(kept), safe=_PATH_SAFE)


def _ipv6(text: str) -> str:
    if "%" in text:
        raise ValueError("an address of one network interface cannot be requested")
    try:
        return ipaddress.IPv6Address(text).compressed
    except ValueError:
        raise ValueError("the IPv6 address cannot be read") from None


def _ipv4(labels: list[str]) -> str:
    """Decimal, octal, hexadecimal, one to four parts: what `inet_aton` and browsers take for an address."""
    try:
        numbers = [_number(label) for label in labels]
    except ValueError:
        raise ValueError("the host ends in a number but is not an IPv4 address") from None
    *first, last = numbers
    if len(first) > 3 or any(number > 255 for number in first) or last >= 256 ** (4 - len(first)):
        raise ValueError("the IPv4 address is out of range")
    value = last + sum(number << (24 - 8 * place) for place, number in enumerate(first))
    return str(ipaddress.IPv4Address(value))


def _number(text: str) -> int:
    if not _NUMBER.match(text) or len(text) > 64:
        raise ValueError(text)
    if text[:2] in ("0x", "0X"):
        return int(text[2:] or "0", 16)
    return int(text, 8) if text.startswith("0") else int(text)


def _invalid(url: str, why: str) -> InvalidUrl:
    shown = url if len(url) <= 200 else url[:200] + "…"
    shown = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in shown)
    return InvalidUrl(f"Invalid URL: {shown} ({why}).", why)
