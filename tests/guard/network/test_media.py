"""Pictures and documents told from their bytes."""

import struct
import zlib

import pytest

from oneclaw.guard.network.media import describe, dimensions, is_document


def png(width: int, height: int) -> bytes:
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head))


def jpeg(width: int, height: int) -> bytes:
    exif = b"\xff\xe1" + struct.pack(">H", 5_000) + bytes(4_998)
    frame = b"\xff\xc2" + struct.pack(">HBHHB", 17, 8, height, width, 3) + bytes(9)
    return b"\xff\xd8" + exif + b"\xff\xff\xdb" + struct.pack(">H", 67) + bytes(65) + frame


def webp(form: bytes, rest: bytes) -> bytes:
    return b"RIFF" + struct.pack("<I", len(rest) + 12) + b"WEBP" + form + struct.pack("<I", len(rest)) + rest


IMAGES = {
    "a PNG image": png(640, 480),
    "a GIF image": b"GIF89a" + struct.pack("<HH", 640, 480) + b"\0\0\0",
    "a JPEG image": jpeg(640, 480),
    "a WebP image": webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 640, 480)),
}


@pytest.mark.parametrize("name", IMAGES)
def test_a_picture_is_described_with_its_measures(name: str) -> None:
    body = IMAGES[name]
    assert is_document(body)
    assert describe(body, "text/html", "9 bytes") == f"{name}, 640 x 480 pixels, 9 bytes"


def test_the_other_forms_of_webp() -> None:
    assert dimensions(webp(b"VP8L", b"\x2f" + struct.pack("<I", 639 | 479 << 14))) == (640, 480)
    extended = bytes(4) + (639).to_bytes(3, "little") + (479).to_bytes(3, "little")
    assert dimensions(webp(b"VP8X", extended)) == (640, 480)


@pytest.mark.parametrize("name", IMAGES)
def test_a_picture_cut_anywhere_is_described_without_failing(name: str) -> None:
    body = IMAGES[name]
    for end in range(12, len(body), 7):
        describe(body[:end], "", "1 bytes")


def test_a_picture_that_lies_about_its_segments_ends() -> None:
    assert dimensions(b"\xff\xd8\xff\xe0\x00\x00" * 100_000) is None
    assert dimensions(b"\xff\xd8" + b"\xff" * 3_000_000) is None
    assert dimensions(b"\xff\xd8\xff\xe0" + bytes(1_000)) is None


def test_a_pdf_is_described_by_what_it_says_of_itself() -> None:
    body = b"%PDF-1.7\n1 0 obj<</Type/Pages/Count 2>>endobj"
    assert is_document(body)
    assert describe(body, "text/html", "9 bytes") == "a PDF document, version 1.7, 2 pages, 9 bytes"
    assert describe(b"%PDF-", "", "5 bytes") == "a PDF document, 5 bytes"


def test_anything_else_is_named_by_its_type() -> None:
    assert describe(b"\0\1", "video/mp4", "2 bytes") == "video/mp4, 2 bytes"
    assert describe(b"\0\1", "", "2 bytes") == "of unknown type, 2 bytes"
    assert not is_document(b"hello")
