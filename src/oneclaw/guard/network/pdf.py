"""What a PDF says of itself: version, pages and title, read without a whole reader and within bounds.

Where it stands. Newer files keep their objects packed in streams (`/ObjStm`); these are unpacked, a few
megabytes at most; other streams, which are most of a file, are passed over. The root of the page tree counts
all pages; it has no parent. Entries of the outline have counts and titles too: they are no page tree and have
a parent. What is encrypted, or behind the part that was read, stays untold.
"""

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from itertools import islice

MAX_STREAMS = 20_000
MAX_UNPACKED_BYTES = 2 * 1024 * 1024
MAX_PLAIN_BYTES = 512 * 1024
MAX_TOKENS = 100_000
TITLE_CHARS = 200
_VERSION = re.compile(rb"%PDF-(\d\.\d)")
_LINEAR = re.compile(rb"/Linearized\b[^>]{0,400}?/N\s{1,8}(\d{1,7})\b")
_HEAD_BYTES = 1_024
_TOKEN = re.compile(
    rb"(?P<begin><<)|(?P<end>>>)|(?P<reset>endobj)"
    rb"|/Type\s{0,8}/(?:(?P<tree>Pages)|(?P<page>Page))\b"
    rb"|/Count\s{1,8}(?P<count>\d{1,7})\b|(?P<parent>/Parent)\b"
    rb"|/Title\s{0,8}(?:\((?P<title>(?:[^()\\]|\\.){1,400})\)|<(?P<hexed>[0-9A-Fa-f\s]{2,1600})>)",
    re.DOTALL,
)
_XMP_TITLE = re.compile(rb"<dc:title>\s{0,80}<rdf:Alt>\s{0,80}<rdf:li[^<>]{0,80}>([^<]{1,800})</rdf:li>")
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|\r?\n|(.))", re.DOTALL)
_LETTERS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}


@dataclass(slots=True)
class _Entry:
    """What matters of one dictionary."""

    is_tree: bool = False
    has_parent: bool = False
    count: int = 0
    title: bytes = b""


@dataclass(slots=True)
class _Told:
    """What the document says so far."""

    counted: int = 0
    single: int = 0
    title: bytes = b""

    def take(self, entry: _Entry) -> None:
        if entry.is_tree and not entry.has_parent:
            self.counted = max(self.counted, entry.count)
        if entry.title and not entry.has_parent:
            self.title = self.title or entry.title


def describe_pdf(body: bytes) -> str:
    """`version 1.7, 12 pages, titled 'x', ` as far as it is told; empty when nothing is."""
    told = _Told()
    for part in _parts(body):
        _read(part, told)
    linear, is_whole = _LINEAR.search(body[:_HEAD_BYTES]), b"%%EOF" in body[-_HEAD_BYTES:]
    version, pages = _VERSION.match(body), int(linear[1]) if linear else told.counted
    pages = pages or (told.single if is_whole else 0)
    title = _text(told.title) or _xmp_title(body)
    said = [f"version {version[1].decode('ascii')}"] if version else []
    said += [f"{pages:,} page{'s' if pages > 1 else ''}"] if pages else []
    said += [f"titled {title!r}"] if title else []
    return "".join(f"{one}, " for one in said)


def _parts(body: bytes) -> Iterator[bytes]:
    """The packed objects, stream by stream, and the file without its streams; within the bounds."""
    plain: list[bytes] = []
    place, left = 0, MAX_UNPACKED_BYTES
    for _ in range(MAX_STREAMS):
        begin, start = body.find(b"stream", place), place
        plain.append(body[start : begin if begin >= 0 else len(body)])
        end = body.find(b"endstream", begin) if begin >= 0 else -1
        if end < 0:
            break
        place = end + len(b"endstream")
        if left > 0 and b"/ObjStm" in plain[-1][-_HEAD_BYTES:]:
            objects = _inflate(body[begin + len(b"stream") : end].lstrip(b"\r\n"), left)
            left -= len(objects)
            yield objects
    else:
        plain.append(body[place:])
    whole, half = b"\n".join(plain), MAX_PLAIN_BYTES // 2
    yield whole if len(whole) <= MAX_PLAIN_BYTES else whole[:half] + b"\n" + whole[-half:]


def _inflate(data: bytes, most: int) -> bytes:
    try:
        return zlib.decompressobj().decompress(data, most)
    except zlib.error:
        return b""


def _read(data: bytes, told: _Told) -> None:
    entries: list[_Entry] = []  # the dictionaries that are open, the innermost last
    for token in islice(_TOKEN.finditer(data), MAX_TOKENS):
        entry = entries[-1] if entries else _Entry()
        match token.lastgroup:
            case "begin":
                entries.append(_Entry())
            case "end":
                told.take(entry)
                del entries[-1:]
            case "reset":
                entries.clear()
            case "tree":
                entry.is_tree = True
            case "parent":
                entry.has_parent = True
            case "count":
                entry.count = int(token["count"])
            case "title":
                entry.title = _ESCAPE.sub(_unescape, token["title"])
            case "hexed":
                digits = b"".join(token["hexed"].split()).decode("ascii")
                entry.title = bytes.fromhex(digits[: len(digits) // 2 * 2])
            case _:
                told.single += 1


def _unescape(found: re.Match[bytes]) -> bytes:
    octal, letter = found.groups()
    if octal is not None:
        return bytes((int(octal, 8) & 255,))
    return _LETTERS.get(letter, letter) if letter is not None else b""


def _text(raw: bytes) -> str:
    if raw.startswith((b"\xfe\xff", b"\xff\xfe")):
        return _plain(raw.decode("utf-16", "replace"))
    if raw.startswith(b"\xef\xbb\xbf"):
        return _plain(raw.decode("utf-8-sig", "replace"))
    return _plain(raw.decode("latin-1"))


def _xmp_title(body: bytes) -> str:
    found = _XMP_TITLE.match(body, max(body.find(b"<dc:title>"), 0))
    return _plain(unescape(found[1].decode("utf-8", "replace"))) if found else ""


def _plain(text: str) -> str:
    return "".join(char for char in text if char.isprintable())[:TITLE_CHARS].strip()
