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


def bmp(width: int, height: int) -> bytes:
    head = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, 0, 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54, 0, 0, 54) + head


def tiff(order: str, width: int, height: int) -> bytes:
    short = struct.pack(f"{order}HHIHH", 256, 3, 1, width, 0)
    long = struct.pack(f"{order}HHII", 257, 4, 1, height)
    mark = b"II*\0" if order == "<" else b"MM\0*"
    return mark + struct.pack(f"{order}IH", 8, 2) + short + long + bytes(4)


def heif(brand: bytes, *sizes: tuple[int, int]) -> bytes:
    boxes = b"".join(b"\0\0\0\x14ispe" + struct.pack(">III", 0, *size) for size in sizes)
    return b"\0\0\0\x18ftyp" + brand + bytes(4) + b"mif1" + brand + b"\0\0\1\0meta" + boxes


IMAGES = {
    "a PNG image": png(640, 480),
    "a GIF image": b"GIF89a" + struct.pack("<HH", 640, 480) + b"\0\0\0",
    "a JPEG image": jpeg(640, 480),
    "a WebP image": webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 640, 480)),
    "a BMP image": bmp(640, -480),
    "a TIFF image": tiff("<", 640, 480),
    "an AVIF image": heif(b"avif", (640, 480)),
    "a HEIC image": heif(b"heic", (512, 512), (640, 480), (64, 48)) + b"ispe\0\0\0\0",
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


def test_the_other_forms_of_bmp_tiff_and_icons() -> None:
    old = b"BM" + struct.pack("<IHHI", 26, 0, 0, 26) + struct.pack("<IHHHH", 12, 640, 480, 1, 24)
    assert dimensions(old) == (640, 480)
    assert dimensions(tiff(">", 640, 480)) == (640, 480)
    assert dimensions(tiff("<", 640, 480)[:-20]) is None
    icon = b"\0\0\1\0\1\0" + bytes((16, 0)) + bytes(14)
    assert describe(icon, "text/html", "9 bytes") == "an ICO image, 16 x 256 pixels, 9 bytes"


@pytest.mark.parametrize("text", [b"BMW builds cars", b"II*", b"\0\0\1\0", b"how ftypavif is read", b"MM"])
def test_what_begins_like_a_picture_and_is_none_is_no_document(text: bytes) -> None:
    assert not is_document(text)


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


def test_a_pdf_may_begin_a_little_later() -> None:
    document = b"%PDF-1.7\n1 0 obj<</Type/Pages/Count 2>>endobj"
    for before in (b"\n", b"\r\n  ", b"\xef\xbb\xbf", b"\0" * 900):
        assert is_document(before + document)
        assert describe(before + document, "", "9 bytes") == "a PDF document, version 1.7, 2 pages, 9 bytes"
    mailed = b"Content-Length: 9\n\n" + document
    assert is_document(mailed, "application/pdf")
    assert not is_document(mailed, "text/plain"), "a text about PDF"
    assert not is_document(b"\n" * 2_000 + document, "application/pdf")


def test_anything_else_is_named_by_its_type() -> None:
    assert describe(b"\0\1", "video/mp4", "2 bytes") == "video/mp4, 2 bytes"
    assert describe(b"\0\1", "", "2 bytes") == "of unknown type, 2 bytes"
    assert not is_document(b"hello")
