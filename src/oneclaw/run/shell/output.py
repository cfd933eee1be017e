"""What a program wrote: beginning and end are kept, however much it is; as text, or said to be binary."""

from dataclasses import dataclass

from oneclaw.core.trim import safe_cut, trim

CHARS = 30_000
"""The most characters of one stream that are given on."""

_HALF_BYTES = 4 * CHARS
_SNIFFED_BYTES = 4_096
_SHOWN_BYTES = 32
_LEAST_BYTES = 256
"""Of less than this the share of odd characters says nothing."""
_USUAL = b"\t\n\r\f\b\x1b\a"
_MAGIC = (
    *(b"\x7fELF", b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8", b"\x1f\x8b\x08", b"PK\x03\x04", b"\xfd7zXZ\0"),
    *(b"BZh", b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf", b"MZ\x90\0", b"SQLite format 3\0", b"%PDF-1", b"\0asm"),
    *(b"\xca\xfe\xba\xbe", b"\xcf\xfa\xed\xfe", b"OggS\0", b"RIFF", b"ID3"),
)


class Output:
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

    def text(self) -> "Text":
        """All that is kept of it: the middle is cut out where it is too long."""
        if _is_binary(self._head[:_SNIFFED_BYTES]):
            shown = self._head[:_SHOWN_BYTES].hex(" ")
            return Text(
                f"(Binary output of {self.total_bytes:,} bytes; it begins with {shown}.)", True, False
            )
        kept = bytes(self._head + self._tail)
        if self.total_bytes == len(kept):
            fitted = trim(kept.decode("utf-8", "replace"), CHARS, "middle")
            return Text(fitted.text, False, fitted.truncated_from is not None)
        head = bytes(self._head).decode("utf-8", "replace")
        tail = bytes(self._tail[-_HALF_BYTES:]).decode("utf-8", "replace").lstrip("\ufffd")
        note = f"\n\n(Cut: only the beginning and the end of {self.total_bytes:,} bytes are shown.)\n\n"
        half = (CHARS - len(note)) // 2
        return Text(f"{head[: safe_cut(head, half)]}{note}{tail[-half:]}", False, True)

    def last_words(self, chars: int = 400) -> str:
        """The end of what came so far, for people who watch."""
        end = bytes((self._tail or self._head)[-4 * chars :]).decode("utf-8", "replace")
        return end.strip()[-chars:]


@dataclass(frozen=True, slots=True)
class Text:
    """What is given on of one stream."""

    text: str
    is_binary: bool
    is_cut: bool


def _is_binary(head: bytes | bytearray) -> bool:
    """Whether the beginning is no text: that of a known kind of file, or with much that no text has."""
    if head.startswith(_MAGIC):
        return True
    if len(head) < _LEAST_BYTES:
        return False
    odd = sum(byte < 32 and byte not in _USUAL for byte in head)
    odd += head.decode("utf-8", "replace").count("\ufffd")
    return odd * 10 > 3 * len(head)
