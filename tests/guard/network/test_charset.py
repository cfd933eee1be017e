"""Bodies as text: read in the character set they are in."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.guard.network import charset
from oneclaw.guard.network.charset import decode


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        ("é".encode(), None, "é"),
        ("é".encode("latin-1"), "text/plain; charset=ISO-8859-1", "é"),
        ("é".encode("latin-1"), 'text/plain; charset="iso-8859-1"', "é"),
        ("日本".encode("shift_jis"), "text/html; charset=Shift_JIS", "日本"),
        ("日本".encode("utf-16"), "text/plain; charset=utf-8", "日本"),
        (b"\xef\xbb\xbfhi", "text/plain; charset=latin-1", "hi"),
        ('<meta charset="gbk">你'.encode("gbk"), "text/html", '<meta charset="gbk">你'),
        ('<meta http-equiv=x content="text/html; charset=gbk">你'.encode("gbk"), "text/html", None),
        (b"\xff", "text/plain", "\ufffd"),
        (b"\xe9", "text/plain; charset=no-such-set", "\ufffd"),
        (b"68656c6c6f", "text/plain; charset=hex", "68656c6c6f"),
        (b"\\u0041", "text/plain; charset=unicode_escape", "\\u0041"),
        (b"+AEE-", "text/plain; charset=utf-7", "+AEE-"),
        ("é 日".encode("utf-32"), "text/html", "é 日"),
        ("<p>é".encode("utf-16-le"), "text/html; charset=utf-16", "<p>é"),
        ("<p>é".encode("utf-16-be"), "text/html; charset=utf-16be", "<p>é"),
        ("<p>é".encode("utf-16-le"), "text/html", "<p>é"),
        ("<p>é".encode("utf-16-be"), "text/html", "<p>é"),
        ('<meta charset="utf-16">é'.encode(), "text/html", '<meta charset="utf-16">é'),
        ("é".encode(), "text/html; charset=us-ascii", "é"),
        ("é".encode("latin-1"), "text/html; charset=us-ascii", "é"),
        ("“é” €".encode("cp1252"), "text/html; charset=iso-8859-1", "“é” €"),
        ("① ㈱".encode("cp932"), "text/html; charset=shift_jis", "① ㈱"),
        ("① ㈱".encode("cp932"), "text/html; charset=x-sjis", "① ㈱"),
        ("镕 €".encode("gb18030"), "text/html; charset=gb2312", "镕 €"),
        ("똠".encode("cp949"), "text/html; charset=ks_c_5601-1987", "똠"),
        ('<?xml version="1.0" encoding="koi8-r"?>да'.encode("koi8-r"), "text/xml", None),
        ("<p>déjà".encode("cp1252"), "text/html", "<p>déjà"),
        ("<p>é日本".encode() + b"\xff", "text/html", "<p>é日本\ufffd"),
        ("<p>\ufffd\ufffd".encode(), "text/html", "<p>\ufffd\ufffd"),
        (b"d\xe9j\xe0", "text/plain", "d\ufffdj\ufffd"),
        (b"<!--" + b"x" * 2_000 + '--><meta charset="cp1251">да'.encode("cp1251"), "text/html", None),
    ],
)
def test_a_body_is_read_in_its_own_character_set(
    body: bytes, content_type: str | None, text: str | None
) -> None:
    read = decode(body, content_type)
    assert read == text if text is not None else read.endswith(("да", "你"))


def test_without_the_guess_a_page_loses_its_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin, of both halves of the guess."""

    def never(text: str, body: bytes) -> bool:
        return False

    def counts_all(text: str, body: bytes) -> bool:
        return "\ufffd" in text

    monkeypatch.setattr(charset, "_is_mostly_broken", never)
    assert decode("<p>déjà".encode("cp1252"), "text/html") == "<p>d\ufffdj\ufffd"
    monkeypatch.setattr(charset, "_is_mostly_broken", counts_all)
    assert decode("<p>\ufffd".encode(), "text/html") == "<p>ï¿½", "a U+FFFD that was sent counts as broken"


@given(
    st.binary(max_size=40),
    st.sampled_from(("utf-16", "utf-32", "cp932", "hz", "iso2022_jp", "")),
    st.booleans(),
)
def test_whatever_the_bytes_are_they_are_read(body: bytes, charset: str, is_cut: bool) -> None:
    decode(body, f"text/html; charset={charset}" if charset else "text/html", is_cut)


def test_no_character_set_makes_reading_slow() -> None:
    body = b"a-" + b"b" * 100_000
    started = time.process_time()
    for name in ("punycode", "idna", "zlib", "bz2", "undefined", "rot13", "unicode_escape"):
        assert decode(body, f"text/plain; charset={name}") == body.decode()
    assert time.process_time() - started < 5  # by the square of its length it would take minutes


def test_half_a_character_at_a_cut_is_left_out_and_elsewhere_replaced() -> None:
    assert decode("aé".encode()[:-1], None, is_cut=True) == "a"
    assert decode("aé".encode()[:-1], None) == "a\ufffd"
