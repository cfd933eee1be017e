"""Bodies: unpacked within a bound, and told as text or binary."""

import gzip
import zlib
from collections.abc import Callable
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core.errors import Kind, ToolError
from oneclaw.guard.network.body import MAX_MEMBERS, Unpacker, is_text, media_type


def unpack(data: bytes, encoding: str, limit: int = 1000, step: int | None = None) -> Unpacker:
    unpacker = Unpacker(encoding, limit)
    for start in range(0, len(data), step or len(data) or 1):
        unpacker.feed(data[start : start + (step or len(data))])
    return unpacker


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "identity": bytes,
    "gzip": gzip.compress,
    "X-GZip": gzip.compress,
    "deflate": zlib.compress,
    "deflate ": raw_deflate,
    "gzip, deflate": lambda data: zlib.compress(gzip.compress(data)),
    "deflate, identity, gzip": lambda data: gzip.compress(zlib.compress(data)),
}


@given(st.binary(max_size=300), st.sampled_from(sorted(PACKERS)), st.sampled_from((None, 1, 7)))
def test_what_was_packed_comes_out_whatever_the_pieces(data: bytes, encoding: str, step: int | None) -> None:
    unpacker = unpack(PACKERS[encoding](data), encoding, step=step)
    assert bytes(unpacker.body) == data
    assert unpacker.is_known
    assert not unpacker.is_full


@given(st.binary(min_size=5, max_size=300), st.sampled_from(sorted(PACKERS)), st.sampled_from((None, 1, 7)))
def test_never_more_than_the_limit_comes_out(data: bytes, encoding: str, step: int | None) -> None:
    unpacker = unpack(PACKERS[encoding](data), encoding, limit=4, step=step)
    assert bytes(unpacker.body) == data[:4]
    assert unpacker.is_full


def test_gzip_files_one_after_the_other_are_one_body_and_padding_is_ignored() -> None:
    packed = gzip.compress(b"one ") + gzip.compress(b"two")
    assert bytes(unpack(packed + b"\0\0\0", "gzip").body) == b"one two"
    for step in (1, 2, 3, 24):
        assert bytes(unpack(packed, "gzip", step=step).body) == b"one two"


def test_an_outer_bomb_behind_an_inner_layer_is_bounded() -> None:
    inner = gzip.compress(b"") * 3_000_000
    unpacker = unpack(gzip.compress(inner), "gzip, gzip", step=65536)
    assert unpacker.is_full
    assert bytes(unpacker.body) == b""


def test_members_without_end_inside_one_small_body_hold_nothing_up() -> None:
    packed = gzip.compress(gzip.compress(b"") * 150_000)
    assert len(packed) < 10_000
    before = process_time()
    unpacker = unpack(packed, "gzip, gzip", limit=4 * 2**20)
    assert process_time() - before < 2  # one after the other, each with all that follows copied, it is ten
    assert unpacker.is_full
    assert bytes(unpacker.body) == b""


def test_as_many_members_as_anyone_packs_are_read_and_no_more() -> None:
    assert bytes(unpack(gzip.compress(b"x") * MAX_MEMBERS, "gzip", 300_000).body) == b"x" * MAX_MEMBERS
    more = unpack(gzip.compress(b"x") * (MAX_MEMBERS + 1), "gzip", 300_000)
    assert more.is_full
    assert len(more.body) == MAX_MEMBERS


@pytest.mark.parametrize("step", [None, 1, 5])
def test_what_follows_the_last_member_is_no_member_whatever_it_looks_like(step: int | None) -> None:
    for rest in (b"\x1f", b"\x1f\x1f\x8b", b"\0" + gzip.compress(b"hidden"), b"\0" * 40_000):
        unpacker = unpack(gzip.compress(b"one") + rest, "gzip", step=step)
        assert bytes(unpacker.body) == b"one"
        assert not unpacker.is_full


def test_an_encoding_we_do_not_know_is_left_as_it_is() -> None:
    for encoding in ("br", "zstd", "gzip, br", "gzip, gzip, gzip, gzip"):
        unpacker = unpack(b"abc", encoding)
        assert not unpacker.is_known
        assert bytes(unpacker.body) == b"abc"


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_bytes_that_are_not_packed_are_an_error(encoding: str) -> None:
    with pytest.raises(ToolError, match=f"not valid {encoding}") as caught:
        unpack(b"\xff" * 50, encoding)
    assert caught.value.kind is Kind.NETWORK_ERROR


@pytest.mark.parametrize(
    ("content_type", "body", "expected"),
    [
        ("text/plain; charset=utf-8", b"x", True),
        ("TEXT/HTML", b"\0\0", True),
        ("application/json", b"{}", True),
        ("application/problem+json", b"{}", True),
        ("image/svg+xml", b"<svg/>", True),
        ("application/x-www-form-urlencoded", b"a=b", True),
        ("image/png", b"plain", False),
        ("video/mp4", b"plain", False),
        ("font/woff2", b"plain", False),
        (None, b"hello", True),
        (None, b"hello \xff\xfe world", True),
        (None, b"\x89PNG\r\n\x1a\n" + b"\0" * 40, False),
        ("application/octet-stream", b"only words in this body, nothing else", True),
        ("application/octet-stream", b"words" * 10 + b"\x01", False),
        ("application/pdf", b"%PDF-1.4" + bytes(range(40)), False),
        ("", b"", True),
    ],
)
def test_text_is_told_from_binary_by_type_and_else_by_bytes(
    content_type: str | None, body: bytes, expected: bool
) -> None:
    assert is_text(body, content_type) is expected


def test_the_media_type_is_bare() -> None:
    assert media_type(" Text/HTML ; charset=x") == "text/html"
    assert media_type(None) == ""
