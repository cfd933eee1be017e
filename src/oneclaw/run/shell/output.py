"""Bounded output of a command: beginning and end, as text or marked as binary."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from oneclaw.core.text.encoding import make_decoder
from oneclaw.core.trim import safe_cut, trim

Redact = Callable[[str], str]
"""A text without the secrets that are known."""

CHARS = 30_000
"""The most characters of one stream that are given on."""

_HALF_BYTES = 4 * CHARS
_BLOCK_BYTES = 4_096
_SHOWN_BYTES = 32
_LEAST_BYTES = 256
"""Less than this, in which bytes are wrong but none is a control character, is text in another encoding."""
_FEW_CHARS = 8
"""Less than this is too little to tell, and as short as any note about it."""
_ODD = bytes(byte for byte in range(1, 32) if byte not in b"\t\n\r\f\b\x1b\a")
_CONTROL = re.compile(b"\0\0|[" + re.escape(_ODD) + b"]")
_LOST = "\udfff"
"""Replacement for invalid bytes; a U+FFFD in the output itself is kept."""
_NO_TEXT = re.compile(f"[{re.escape(_ODD.decode())}{_LOST}]")
_INNER = bytes(range(0x80, 0xC0))
"""Bytes that are never the first of a character."""
_MAGIC = (
    *(b"\x7fELF", b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8", b"\x1f\x8b\x08", b"PK\x03\x04", b"\xfd7zXZ\0"),
    *(b"BZh", b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf", b"MZ\x90\0", b"SQLite format 3\0", b"%PDF-1", b"\0asm"),
    *(b"\xca\xfe\xba\xbe", b"\xcf\xfa\xed\xfe", b"OggS\0", b"RIFF", b"ID3"),
)


class StreamOutput:
    """The output of one stream while it comes; takes any amount, holds little."""

    __slots__ = ("_head", "_tail", "total_bytes")

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self.total_bytes = 0

    def add(self, data: bytes) -> None:
        self.total_bytes += len(data)
        room = _HALF_BYTES - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail += data[-_HALF_BYTES:]
            if len(self._tail) > 2 * _HALF_BYTES:
                del self._tail[:-_HALF_BYTES]

    def text(self, redact: Redact = str) -> "StreamText":
        """All that is kept of it: the middle is cut out where it is too long.

        `redact` takes known secrets out before anything is cut: half a secret is not known as one.
        """
        begin = _where_binary(self._head)
        if begin is not None:
            first = bytes(self._head[begin:]).decode("latin-1")
            shown = self._head[begin : begin + _SHOWN_BYTES].hex(" ")
            told = f"; it begins with {shown}" if redact(first) == first else ""
            note = f"(Binary output of {self.total_bytes - begin:,} bytes{told}.)"
            before = trim(redact(self._head[:begin].decode("utf-8", "replace")), CHARS - len(note), "middle")
            return StreamText(before.text + note, True, before.truncated_from is not None)
        kept = bytes(self._head + self._tail)
        if self.total_bytes == len(kept):
            fitted = trim(redact(kept.decode("utf-8", "replace")), CHARS, "middle")
            return StreamText(fitted.text, False, fitted.truncated_from is not None)
        head = redact(bytes(self._head).decode("utf-8", "replace"))
        tail = redact(bytes(self._tail[-_HALF_BYTES:]).lstrip(_INNER).decode("utf-8", "replace"))
        note = f"\n\n(Cut: only the beginning and the end of {self.total_bytes:,} bytes are shown.)\n\n"
        half = (CHARS - len(note)) // 2
        return StreamText(f"{head[: safe_cut(head, half)]}{note}{tail[-half:]}", False, True)


@dataclass(frozen=True, slots=True)
class StreamText:
    """The reported output of one stream."""

    text: str
    is_binary: bool
    is_cut: bool


def _where_binary(head: bytes | bytearray) -> int | None:
    """Where it stops being text, if it does: the line with the first of what no text has."""
    if head.startswith(_MAGIC) and _first_odd(head[:_BLOCK_BYTES], 0) < min(len(head), _BLOCK_BYTES):
        return 0
    for begin in range(0, len(head), _BLOCK_BYTES):
        block = head[begin : begin + _BLOCK_BYTES].lstrip(_INNER if begin else b"")
        if is_binary(make_decoder("utf-8").decode(bytes(block))):
            first = _first_odd(head, max(0, begin - _BLOCK_BYTES))
            return head.rfind(b"\n", 0, first) + 1
    return None


def _first_odd(head: bytes | bytearray, begin: int) -> int:
    control = _CONTROL.search(head, begin)
    end = len(head) if control is None else control.start()
    begin += len(head) - begin - len(head[begin:].lstrip(_INNER)) if begin else 0
    try:
        head[begin:end].decode()
    except UnicodeDecodeError as error:
        return begin + error.start
    return end


def is_binary(text: str) -> bool:
    """Whether much of it is what no text has. A NUL may stand between names, but not beside another.

    The text comes from `make_decoder`, which tells bytes that are wrong from a U+FFFD that was written.
    """
    if len(text) < _FEW_CHARS:
        return False
    odd = _NO_TEXT.findall(text) + ["\0"] * (text.count("\0") if "\0\0" in text else 0)
    if len(text) < _LEAST_BYTES and all(one == _LOST for one in odd):
        return False
    return len(odd) * 10 > 3 * len(text)
