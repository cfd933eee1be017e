"""PDF documents: pages and title, in the open or packed, and documents made to be slow."""

import zlib

import pytest

from oneclaw.guard.network import pdf
from oneclaw.guard.network.pdf import describe_pdf

END = b"\n%%EOF"


def packed(*objects: bytes, data: bytes | None = None) -> bytes:
    inner = zlib.compress(b" ".join(objects)) if data is None else data
    return b"%PDF-1.5\n9 0 obj<</Type/ObjStm/N 2/First 8>>stream\n" + inner + b"\nendstream endobj" + END


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"1 0 obj<</Type/Pages/Kids[2 0 R 3 0 R]/Count 2>>endobj", "2 pages, "),
        (b"<< /Count 12 /Kids [] /Type /Pages >>", "12 pages, "),
        (b"<</Type/Pages/Count 3/Parent 1 0 R>> <</Type/Pages/Count 9>>", "9 pages, "),
        (b"<</Type/Pages/Count 3/Parent 1 0 R>>", ""),
        (b"<</Type/Pages/Resources<</Font<</F1 4 0 R>>>>/Count 4>>", "4 pages, "),
        (b"<</Type/Outlines/Count 80>> <</Type/Page>><</Type /Page/Parent 1 0 R>>", "2 pages, "),
        (b"<</Linearized 1/L 9/N 7>> <</Type/Pages/Count 3/Parent 1 0 R>>", "7 pages, "),
        (rb"<</Title (Fish \(and\) chips)/Producer(x)>>", "titled 'Fish (and) chips', "),
        (rb"<</Title (caf\351\nx)>>", "titled 'caféx', "),
        (b"<</Title <FEFF0048 0069>>>", "titled 'Hi', "),
        (b"<</Title (Chapter 1)/Parent 1 0 R>> <</Title (Book)>>", "titled 'Book', "),
        (b"<</Title (Chapter 1)/Parent 1 0 R/Next 2 0 R>>", ""),
        (
            b"stream\n<dc:title><rdf:Alt><rdf:li xml:lang='x'>A &amp; B</rdf:li></rdf:Alt>\nendstream",
            "titled 'A & B', ",
        ),
        (b"stream\n<</Type/Pages/Count 99>>\nendstream", ""),
    ],
)
def test_pages_and_title_that_stand_in_the_open(body: bytes, told: str) -> None:
    assert describe_pdf(b"%PDF-1.7\n" + body + END) == f"version 1.7, {told}"


def test_pages_and_title_that_are_packed() -> None:
    body = packed(b"1 0 2 40 <</Type/Pages/Kids[2 0 R]/Count 36>>", b"<</Title(Fish)>>")
    assert describe_pdf(body) == "version 1.5, 36 pages, titled 'Fish', "


@pytest.mark.parametrize("data", [b"", b"encrypted", zlib.compress(b"<</Type/Pages/Count 3>>")[:-9] + b"x"])
def test_what_cannot_be_unpacked_stays_untold(data: bytes) -> None:
    assert describe_pdf(packed(data=data)).startswith("version 1.5, ")


def test_pages_of_a_file_that_was_cut_are_not_counted_one_by_one() -> None:
    pages = b"%PDF-1.7\n" + b"<</Type/Page/Parent 1 0 R>>" * 5
    assert describe_pdf(pages) == "version 1.7, "
    assert describe_pdf(pages + END) == "version 1.7, 5 pages, "


def test_a_packed_bomb_is_unpacked_no_further_than_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = zlib.compress(bytes(20_000) + b"<</Type/Pages/Count 3>>", 9)
    body = packed(data=bomb)
    assert describe_pdf(body) == "version 1.5, 3 pages, "
    monkeypatch.setattr(pdf, "MAX_UNPACKED_BYTES", 20_000)
    assert describe_pdf(body) == "version 1.5, "


@pytest.mark.parametrize(
    "piece",
    [
        *(b"/Title (", b"/Title <", b"/Type " + b" " * 50, b"/Count ", b"\\(", b"/Title (" + b"\\" * 401),
        *(b"<<", b">>", b"/ObjStm", b"/ObjStm>>stream\n", b"streamendstream", b"<dc:title><rdf:Alt>"),
    ],
)
def test_documents_made_to_be_slow_end(piece: bytes) -> None:
    describe_pdf(b"%PDF-1.7" + piece * (2_000_000 // len(piece)))
