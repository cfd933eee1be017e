"""Marks are recognised, text is told from other things, and what is lost is counted."""

import codecs
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core.text.encoding import (
    Encoding,
    UnknownEncoding,
    describe_binary,
    detect,
    make_decoder,
    replace_surrogates,
)


@pytest.mark.parametrize(
    ("head", "asked", "found"),
    [
        (b"plain", "utf-8", Encoding("utf-8")),
        (b"", "utf-8", Encoding("utf-8")),
        (codecs.BOM_UTF8 + b"x", "utf-8", Encoding("utf-8", codecs.BOM_UTF8)),
        (codecs.BOM_UTF8 + b"x", "UTF-8-SIG", Encoding("utf-8", codecs.BOM_UTF8)),
        (codecs.BOM_UTF8 + b"x", "latin-1", Encoding("iso8859-1")),
        (codecs.BOM_UTF16_BE + b"\0x", "utf-8", Encoding("utf-16-be", codecs.BOM_UTF16_BE)),
        (codecs.BOM_UTF16_BE + b"\0x", "utf-16", Encoding("utf-16-be", codecs.BOM_UTF16_BE)),
        (codecs.BOM_UTF32_LE + b"x\0\0\0", "utf-8", Encoding("utf-32-le", codecs.BOM_UTF32_LE)),
        (b"x\0", "utf-16", Encoding("utf-16-le")),
        (b"\xff\xfe", "utf-8", Encoding("utf-8")),
        (codecs.BOM_UTF8, "utf-8", Encoding("utf-8")),
        (b"\xfe\xff\xff", "utf-8", Encoding("utf-8")),
    ],
)
def test_a_mark_decides_where_the_name_leaves_it_open(head: bytes, asked: str, found: Encoding) -> None:
    assert detect(head, asked) == found


@pytest.mark.parametrize("name", ["", "klingon", "zlib", "base64", "rot13", "undefined", "a\0b", "../utf-8"])
def test_what_is_no_encoding_of_text_is_refused(name: str) -> None:
    with pytest.raises(UnknownEncoding):
        detect(b"x", name)


@given(st.binary(max_size=60), st.lists(st.integers(0, 60), max_size=5))
def test_any_bytes_in_any_pieces_decode_as_they_do_whole(data: bytes, cuts: list[int]) -> None:
    decoder = make_decoder("utf-8")
    edges = [0, *sorted(cuts), len(data)]
    text = "".join(decoder.decode(data[a:b]) for a, b in itertools.pairwise(edges))
    mended, lost = replace_surrogates(text + decoder.decode(b"", final=True))
    assert mended == data.decode("utf-8", "replace")
    assert lost == mended.count("\ufffd") - data.count("\ufffd".encode())


@pytest.mark.parametrize(
    "data", [b"\a" * 50, bytes(range(1, 32)) * 3, b"\xc3\xa9" * 50 + b"\xc3", b"a\0b", b"", b"\0", b"\0\0"]
)
def test_valid_text_is_text_whatever_its_controls(data: bytes) -> None:
    assert describe_binary(data, Encoding("utf-8")) is None


def test_text_without_a_mark_in_two_bytes_is_recognised() -> None:
    data = "Some plain text, long enough. ".encode("utf-16-be")
    assert "utf-16-be" in (describe_binary(data, Encoding("utf-8")) or "")
    assert describe_binary(data, Encoding("utf-16-be")) is None
