"""Detects encodings and binary data, and decodes bytes."""

import codecs
import re
from typing import NamedTuple

# The longer marks first: a UTF-32 mark begins with a UTF-16 one.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SIGNATURES = (
    (rb"\x89PNG\r\n\x1a\n", "a PNG image"),
    (rb"\xff\xd8\xff", "a JPEG image"),
    (rb"GIF8[79]a", "a GIF image"),
    (rb"RIFF....WEBP", "a WebP image"),
    (rb"RIFF....WAVE", "a WAV sound"),
    (rb"OggS\x00", "an Ogg file"),
    (rb"ID3[\x02-\x04]", "an MP3 sound"),
    (rb"\x00\x00\x00.ftyp", "an MP4 or HEIF file"),
    (rb"%PDF-\d", "a PDF document"),
    (rb"PK\x03\x04", "a ZIP archive or an office document"),
    (rb"\x1f\x8b\x08", "a gzip archive"),
    (rb"BZh[1-9]1AY&SY", "a bzip2 archive"),
    (rb"\xfd7zXZ\x00", "an xz archive"),
    (rb"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (rb"\x28\xb5\x2f\xfd", "a zstd archive"),
    (rb"\x7fELF", "a program (ELF)"),
    (rb"MZ.\x00", "a program (Windows)"),
    (rb"[\xce\xcf]\xfa\xed\xfe|\xca\xfe\xba\xbe\x00", "a program (Mach-O or Java)"),
    (rb"\x00asm", "a program (WebAssembly)"),
    (rb"SQLite format 3\x00", "an SQLite database"),
)
_SIGNATURE = re.compile(b"|".join(b"(%s)" % pattern for pattern, _ in _SIGNATURES), re.DOTALL)
_FEW_BYTES = 4
"""Less than this is too little to tell."""
# Control characters that text does not use; tab, line ends, form feed, backspace and escape it does.
_CONTROLS = bytes({*range(32), 127} - set(b"\t\n\r\f\b\x1b"))
_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_BEYOND_ASCII = bytes(range(128, 256))
_SURROGATES = re.compile("[\ud800-\udfff]")
_ERRORS = "oneclaw.lost"
_WIDE = ("utf-16", "utf-32")


class Encoding(NamedTuple):
    """How a file's bytes are text: the encoding, and the byte order mark it begins with."""

    name: str
    mark: bytes = b""


class UnknownEncoding(Exception):
    """No encoding of text has this name."""


def detect(head: bytes, name: str = "utf-8") -> Encoding:
    """The encoding of a file that begins with `head`: its mark's, where the one asked for allows that."""
    asked = _look_up(name)
    for mark, marked in _MARKS:
        if (
            head.startswith(mark)
            and (asked == "utf-8" or marked.startswith(asked))
            and _holds(head, mark, marked)
        ):
            return Encoding(marked, mark)
    return Encoding(f"{asked}-le" if asked in _WIDE else asked)


def make_decoder(name: str) -> codecs.IncrementalDecoder:
    """Decodes piece by piece; each stretch of bytes that fits nothing becomes one lone surrogate."""
    codecs.register_error(_ERRORS, _lose)
    return codecs.getincrementaldecoder(name)(errors=_ERRORS)


def replace_surrogates(text: str) -> tuple[str, int]:
    """Text with U+FFFD for everything that was lost in decoding, and how much was."""
    return _SURROGATES.subn("\ufffd", text)


def suggest(data: bytes, failed: str) -> str:
    """An encoding that may fit bytes that are not `failed`, by their share of letters beyond ASCII."""
    beyond = len(data) - len(data.translate(None, _BEYOND_ASCII))
    letters = len(data) - len(data.translate(None, _LETTERS))
    names = ("shift_jis", "gb18030", "windows-1251") if beyond > 2 * letters else ("windows-1252",)
    for name in ("utf-8", *names):
        if name != failed and _fits(data, name):
            return name
    return "latin-1"


def recognise(head: bytes) -> str | None:
    """The kind of file that begins with `head`, as `a PNG image`; None where no signature is known."""
    found = _SIGNATURE.match(head)
    return None if found is None or found.lastindex is None else _SIGNATURES[found.lastindex - 1][1]


def describe_binary(head: bytes, encoding: Encoding) -> str | None:
    """Describes a binary file by its first bytes; None when it may be text."""
    if encoding.name.startswith(_WIDE):
        return None
    known = recognise(head)
    if known is not None:
        return known
    if len(head) < _FEW_BYTES or (b"\0" not in head and _fits(head, "utf-8")):
        return None
    controls = len(head) - len(head.translate(None, _CONTROLS))
    # A stray control character does not make a text binary.
    if controls * (20 if len(head) >= 32 else 2) <= len(head):
        return None
    zeros = (head[0::2].count(0), head[1::2].count(0))
    for index, order in ((1, "utf-16-le"), (0, "utf-16-be")):
        if zeros[index] * 4 > len(head) and zeros[1 - index] * 40 < len(head):
            return f"text in {order}, which must be named as its encoding"
    return "binary data"


def _fits(head: bytes, name: str) -> bool:
    try:
        codecs.getincrementaldecoder(name)().decode(head)  # the last character may be cut
    except UnicodeDecodeError:
        return False
    return True


def _look_up(name: str) -> str:
    try:
        "a".encode(name)  # refuses what does not stand between text and bytes, as `zlib`
        found = codecs.lookup(name).name
        codecs.getincrementaldecoder(found)
    except (LookupError, UnicodeError, ValueError):
        raise UnknownEncoding(name) from None
    return "utf-8" if found == "utf-8-sig" else found


def _holds(head: bytes, mark: bytes, name: str) -> bool:
    """Whether what follows a mark can be what it says: a mark before nothing is no mark."""
    rest = head[len(mark) :]
    if name == "utf-8":
        return bool(rest)
    width = 4 if name.startswith("utf-32") else 2
    # The last unit may be half of a character that goes on beyond `head`.
    whole = max(width, len(rest) // width * width - width)
    try:
        return bool(rest[:whole].decode(name))
    except UnicodeDecodeError:
        return False


def _lose(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "\udfff", error.end
