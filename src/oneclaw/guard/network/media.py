"""What a body is that is no text, told from its bytes: its kind, and a picture's measures."""

import struct

from oneclaw.core.image import media_type as image_type
from oneclaw.guard.network.pdf import describe_pdf

_HEAD_BYTES = 512 * 1024
# Start of frame: the segments of a JPEG that carry its measures.
_JPEG_FRAMES = frozenset((0xC0, 0xC1, 0xC2, 0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF))


def describe(body: bytes, named: str, size: str) -> str:
    """`a PNG image, 640 x 480 pixels, 12,345 bytes`; `named` is the type the server gave."""
    if body.startswith(b"%PDF-"):
        return f"a PDF document, {describe_pdf(body)}{size}"
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
