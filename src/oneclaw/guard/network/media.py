"""What a body is that is no text, told from its bytes: its kind, a picture's measures, the pages of a PDF."""

import re
import struct

from oneclaw.core.image import media_type as image_type

_HEAD_BYTES = 512 * 1024
_TITLE_CHARS = 200
_PDF_PAGE = re.compile(rb"/Type\s{0,8}/Page(?![A-Za-z])")
_PDF_COUNT = re.compile(rb"/Count\s{1,8}(\d{1,7})")
_PDF_TITLE = re.compile(rb"/Title\s{0,8}\(((?:[^()\\\r\n]|\\.){1,400})\)")
_PDF_HEX_TITLE = re.compile(rb"/Title\s{0,8}<([0-9A-Fa-f]{2,1600})>")
# Start of frame: the segments of a JPEG that carry its measures.
_JPEG_FRAMES = frozenset((0xC0, 0xC1, 0xC2, 0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF))


def describe(body: bytes, named: str, size: str) -> str:
    """`a PNG image, 640 x 480 pixels, 12,345 bytes`; `named` is the type the server gave."""
    if body.startswith(b"%PDF-"):
        return f"a PDF document, {_pdf(body)}{size}"
    kind = image_type(body)
    if kind is None:
        return f"{named or 'of unknown type'}, {size}"
    measures = dimensions(body)
    shown = f"{measures[0]:,} x {measures[1]:,} pixels, " if measures else ""
    name = kind.removeprefix("image/")
    return f"a {name.upper() if name != 'webp' else 'WebP'} image, {shown}{size}"


def is_document(body: bytes) -> bool:
    """Whether the bytes are a picture or a PDF, whatever the server calls them."""
    return body.startswith(b"%PDF-") or image_type(body) is not None


def dimensions(body: bytes) -> tuple[int, int] | None:
    """Width and height of a PNG, GIF, JPEG or WebP image; None where the bytes do not say."""
    try:
        match image_type(body):
            case "image/png":
                width, height = struct.unpack_from(">II", body, 16)
            case "image/gif":
                width, height = struct.unpack_from("<HH", body, 6)
            case "image/webp":
                width, height = _webp(body)
            case "image/jpeg":
                width, height = _jpeg(body[:_HEAD_BYTES])
            case _:
                return None
    except (struct.error, ValueError):
        return None
    return int(width), int(height)


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


def _pdf(body: bytes) -> str:
    """Version, pages and title, as far as they stand in the open: many files keep them packed."""
    version = body[5:8].decode("ascii", "replace")
    told = [f"version {version}, "] if re.fullmatch(r"\d\.\d", version) else []
    # The page tree's root counts them all; without it the pages are counted one by one.
    counts = [int(number) for number in _PDF_COUNT.findall(body)]
    pages = max(counts, default=0) or len(_PDF_PAGE.findall(body))
    if pages:
        told.append(f"{pages:,} page{'s' if pages > 1 else ''}, ")
    title = _title(body)
    if title:
        told.append(f"titled {title!r}, ")
    return "".join(told)


def _title(body: bytes) -> str:
    hexed = _PDF_HEX_TITLE.search(body)
    plain = _PDF_TITLE.search(body)
    if hexed is not None:
        raw = bytes.fromhex(hexed[1][: len(hexed[1]) // 2 * 2].decode("ascii"))
    elif plain is not None:
        raw = re.sub(rb"\\([()\\])", rb"\1", plain[1])
    else:
        return ""
    text = raw.decode("utf-16", "replace") if raw[:2] in (b"\xfe\xff", b"\xff\xfe") else raw.decode("latin-1")
    return "".join(char for char in text if char.isprintable())[:_TITLE_CHARS].strip()
