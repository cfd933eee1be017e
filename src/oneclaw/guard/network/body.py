"""Decompresses response bodies within a bound, and detects text or binary."""

import re
import zlib
from typing import Any

from oneclaw.core.errors import Kind, ToolError

ENCODINGS = ("gzip", "x-gzip", "deflate", "identity")
MAX_LAYERS = 3
SLACK_BYTES = 64 * 1024
"""How much larger than its content a packed body may be before it is taken for a trick."""

MAX_MEMBERS = 10_000
"""How many gzip files may stand one behind the other in a body: each costs time, even an empty one."""

_PIECE_BYTES = 16 * 1024
_MEMBER = b"\x1f\x8b"

_TEXT_TYPE = re.compile(
    r"text/|application/(json|xml|javascript|ecmascript|x-javascript|yaml|x-yaml|toml|graphql|sql|x-ndjson"
    r"|x-www-form-urlencoded)\Z|.*\+(json|xml|yaml|text)\Z"
)
_BINARY_TYPE = re.compile(r"(image|audio|video|font)/")
_BINARY_BYTE = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_TOO_LITTLE_TO_TELL = 32


class Unpacker:
    """Undoes Content-Encoding piece by piece; gives at most `limit` bytes, however large the content is."""

    def __init__(self, encoding: str, limit: int) -> None:
        names = [name for part in encoding.split(",") if (name := part.strip().lower())]
        self.is_known = len(names) <= MAX_LAYERS and all(name in ENCODINGS for name in names)
        self.is_packed = any(name != "identity" for name in names)
        self.body = bytearray()
        self.is_full = False
        self._limit = limit
        self._taken = 0
        packed = [name for name in reversed(names) if name != "identity"]
        self._layers = [_Layer(name, limit + SLACK_BYTES) for name in packed] if self.is_known else []

    def feed(self, data: bytes) -> None:
        """Take the next bytes from the wire; `is_full` once no more are wanted."""
        self._taken += len(data)
        for layer in self._layers:
            data = layer.feed(data)
        room = self._limit - len(self.body)
        self.body += data[:room]
        spent = self._taken > self._limit + SLACK_BYTES or any(layer.is_full for layer in self._layers)
        self.is_full = self.is_full or len(data) > room or spent


class _Layer:
    """One gzip or deflate layer with its own bound, so that an inner layer cannot hide an outer bomb."""

    def __init__(self, name: str, limit: int) -> None:
        self.is_full = False
        self._name = name
        self._left = limit
        self._start = b""
        self._inflate: Any = None
        self._members = 1
        self._is_over = False

    def feed(self, data: bytes) -> bytes:
        if self._inflate is None:
            data = self._start = self._start + data
            if len(data) < 2:
                return b""
            # Many servers mean a bare deflate stream, without the zlib frame the standard asks for.
            is_framed = data[0] & 15 == zlib.DEFLATED and int.from_bytes(data[:2], "big") % 31 == 0
            wbits = -15 if self._name == "deflate" and not is_framed else 47
            self._inflate = zlib.decompressobj(wbits=wbits)
        # In pieces: what follows a member is copied, and the layer before may give megabytes of members.
        given = bytearray()
        for place in range(0, len(data), _PIECE_BYTES):
            self._inflate_piece(data[place : place + _PIECE_BYTES], given)
        return bytes(given)

    def _inflate_piece(self, data: bytes, given: bytearray) -> None:
        while data and not self.is_full and not self._is_over:
            try:
                piece = self._inflate.decompress(data, self._left)
            except zlib.error:
                raise ToolError(f"The body is not valid {self._name}.", Kind.NETWORK_ERROR) from None
            given += piece
            self._left -= len(piece)
            self.is_full = self._left <= 0
            data = self._next_member() if self._inflate.eof else b""

    def _next_member(self) -> bytes:
        """The next gzip member, if any; other data is ignored."""
        rest = self._inflate.unused_data
        if not rest.startswith(_MEMBER):
            self._is_over = not _MEMBER.startswith(rest)  # half of its first two bytes may have come
            return b""
        self._inflate = zlib.decompressobj(wbits=47)
        self._members += 1
        self.is_full = self.is_full or self._members > MAX_MEMBERS
        return rest


def media_type(content_type: str | None) -> str:
    """`text/html` of `Text/HTML; charset=x`, or an empty text."""
    return (content_type or "").partition(";")[0].strip().lower()


def is_text(body: bytes, content_type: str | None) -> bool:
    """Whether a person could read the body: by its type, and where that says nothing by its bytes."""
    kind = media_type(content_type)
    if _TEXT_TYPE.match(kind):
        return True
    if _BINARY_TYPE.match(kind):
        return False
    return len(body) < _TOO_LITTLE_TO_TELL or _BINARY_BYTE.search(body) is None
