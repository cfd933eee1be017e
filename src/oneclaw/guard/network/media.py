"""What a body is that is no text, told from its bytes: its kind, and a picture's measures."""

import struct

from oneclaw.core.image import media_type as image_type
from oneclaw.guard.network.pdf import describe_pdf

PDF = "application/pdf"
_PDF_MARK = b"%PDF-"
_PDF_MARK_WITHIN = 1_024
"""Readers take a document whose mark stands anywhere in so many bytes; many begin with a line break."""

_BLANKS = b"\xef\xbb\xbf\0\t\n\x0c\r "
_HEAD_BYTES = 512 * 1024
# Start of frame: the segments of a JPEG that carry its measures.
_JPEG_FRAMES = frozenset((0xC0, 0xC1, 0xC2, 0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF))
_NAMES = {"image/png": "PNG", "image/jpeg": "JPEG", "image/gif": "GIF", "image/webp": "WebP"}
_BMP_HEADERS = (12, 40, 52, 56, 64, 108, 124)
_BRANDS = {b"avif": "AVIF", b"avis": "AVIF", b"heic": "HEIC", b"heix": "HEIC", b"mif1": "HEIC"}
_MOST_SIZES = 1_000
_TIFF_WIDTH, _TIFF_HEIGHT, _TIFF_SHORT = 256, 257, 3


def describe(body: bytes, named: str, size: str) -> str:
    """`a PNG image, 640 x 480 pixels, 12,345 bytes`; `named` is the type the server gave."""
    document = _pdf(body, named)
    if document:
        return f"a PDF document, {describe_pdf(document)}{size}"
    name = picture(body)
    if name is None:
        return f"{named or 'of unknown type'}, {size}"
    measures = dimensions(body)
    shown = f"{measures[0]:,} x {measures[1]:,} pixels, " if measures else ""
    return f"{'an' if name[0] in 'AI' else 'a'} {name} image, {shown}{size}"


def is_document(body: bytes, named: str = "") -> bool:
    """Whether the bytes are a picture or a PDF, whatever the server calls them."""
    return bool(_pdf(body, named)) or picture(body) is not None


def picture(body: bytes) -> str | None:
    """What kind of picture the bytes are, as people call it; None for anything else."""
    kind = image_type(body)
    if kind is not None:
        return _NAMES[kind]
    if body[:4] in (b"II*\0", b"MM\0*"):
        return "TIFF"
    if body[:2] == b"\0\0" and body[4:8] == b"ftyp":
        return _BRANDS.get(body[8:12])
    # Two letters or four small numbers begin other things too: the fields behind them must fit.
    if body[:2] == b"BM" and body[6:10] == bytes(4) and int.from_bytes(body[14:18], "little") in _BMP_HEADERS:
        return "BMP"
    is_icon = body[:4] == b"\0\0\1\0" and body[4:5] > b"\0" and body[5:6] == body[9:10] == b"\0"
    return "ICO" if is_icon else None


def dimensions(body: bytes) -> tuple[int, int] | None:
    """Width and height of a picture; None where the bytes do not say."""
    try:
        match picture(body):
            case "PNG":
                width, height = struct.unpack_from(">II", body, 16)
            case "GIF":
                width, height = struct.unpack_from("<HH", body, 6)
            case "WebP":
                width, height = _webp(body)
            case "JPEG":
                width, height = _jpeg(body[:_HEAD_BYTES])
            case "BMP":
                width, height = _bmp(body)
            case "ICO":
                width, height = (body[6] or 256), (body[7] or 256)
            case "TIFF":
                width, height = _tiff(body)
            case "AVIF" | "HEIC":
                width, height = _heif(body[:_HEAD_BYTES])
            case _:
                return None
    except (struct.error, ValueError, IndexError):
        return None
    return int(width), int(height)


def _pdf(body: bytes, named: str) -> bytes:
    """The document from its mark on; empty where there is none. Words before it make a text about PDF."""
    start = body.find(_PDF_MARK, 0, _PDF_MARK_WITHIN + len(_PDF_MARK))
    if start < 0 or (named != PDF and body[:start].strip(_BLANKS)):
        return b""
    return body[start:]


def _webp(body: bytes) -> tuple[int, int]:
    form = body[12:16]
    if form == b"VP8X":
        return (
            int.from_bytes(body[24:27], "little") + 1,
            int.from_bytes(body[27:30], "little") + 1,
        )
    if form == b"VP8L":
        (bits,) = struct.unpack_from("<I", body, 21)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if form != b"VP8 ":
        raise ValueError(form)
    width, height = struct.unpack_from("<HH", body, 26)
    return width & 0x3FFF, height & 0x3FFF


def _jpeg(body: bytes) -> tuple[int, int]:
    place = 2
    while True:
        first, kind = struct.unpack_from(">BB", body, place)
        if first != 0xFF:
            raise ValueError(first)
        if kind == 0xFF:  # padding
            place += 1
        elif kind in _JPEG_FRAMES:
            height, width = struct.unpack_from(">HH", body, place + 5)
            return width, height
        else:
            (length,) = struct.unpack_from(">H", body, place + 2)
            place += 2 + max(length, 2)


def _bmp(body: bytes) -> tuple[int, int]:
    if body[14] == _BMP_HEADERS[0]:
        width, height = struct.unpack_from("<HH", body, 18)
    else:
        width, height = struct.unpack_from("<ii", body, 18)
    return abs(width), abs(height)  # one that is drawn from the top has a height below zero


def _tiff(body: bytes) -> tuple[int, int]:
    order = "<" if body.startswith(b"I") else ">"
    (place,) = struct.unpack_from(f"{order}I", body, 4)
    (count,) = struct.unpack_from(f"{order}H", body, place)
    found: dict[int, int] = {}
    for entry in range(place + 2, place + 2 + 12 * count, 12):
        tag, kind = struct.unpack_from(f"{order}HH", body, entry)
        (found[tag],) = struct.unpack_from(f"{order}{'H' if kind == _TIFF_SHORT else 'I'}", body, entry + 8)
        if _TIFF_WIDTH in found and _TIFF_HEIGHT in found:
            return found[_TIFF_WIDTH], found[_TIFF_HEIGHT]
    raise ValueError(count)


def _heif(body: bytes) -> tuple[int, int]:
    """The largest of the sizes it names: the others are of its tiles and its small copies."""
    parts = body.split(b"ispe\0\0\0\0", _MOST_SIZES)
    sizes = (struct.unpack_from(">II", part) for part in parts[1:] if len(part) >= 8)
    return max(sizes, key=lambda size: size[0] * size[1])
