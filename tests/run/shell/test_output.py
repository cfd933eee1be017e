"""What is kept of a stream: beginning and end, whole characters, and binary said to be binary."""

import codecs
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.guard.secret.redactor import SecretRedactor
from oneclaw.run.shell import output
from oneclaw.run.shell.output import CHARS, StreamOutput


def filled(*parts: bytes) -> StreamOutput:
    made = StreamOutput()
    for part in parts:
        made.add(part)
    return made


@given(st.lists(st.text().map(lambda text: text.encode("utf-8", "replace")), max_size=8))
def test_what_fits_is_given_whole_however_it_came(parts: list[bytes]) -> None:
    made = filled(*parts).text()
    if not made.is_binary:
        assert made.text == b"".join(parts).decode("utf-8", "replace")
        assert not made.is_cut


@pytest.mark.covers("KAI-SH-13")
@pytest.mark.parametrize("lines", [4_000, 40_000, 1_000_000])
def test_of_more_the_beginning_and_the_end_are_kept(lines: int) -> None:
    made = filled(b"first\n", *[b"%09d\n" % number * 100 for number in range(lines // 100)], b"last\n").text()
    assert made.is_cut
    assert len(made.text) <= CHARS
    assert made.text.startswith("first\n000000000\n")
    assert made.text.endswith("last\n")
    assert "(Cut: " in made.text


def test_a_stream_of_any_length_takes_little_memory() -> None:
    made = filled(*[b"x" * 65536] * 500)
    held = sum(len(getattr(made, name)) for name in ("_head", "_tail"))
    assert held < 1_000_000
    assert made.total_bytes == 500 * 65536


def test_without_letting_go_of_the_middle_it_would_hold_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "_HALF_BYTES", 1 << 40)
    assert len(filled(*[b"x" * 65536] * 500)._head) == 500 * 65536  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize(
    "data",
    [
        b"\x7fELF\x02\x01\x01\0\0",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        bytes(range(32)) * 9,
        random.Random(1).randbytes(900),
        random.Random(2).randbytes(40),
    ],
)
def test_binary_output_is_named_and_not_shown(data: bytes) -> None:
    made = filled(data).text()
    assert made.is_binary
    assert made.text.startswith(f"(Binary output of {len(data)} bytes; it begins with {data[:2].hex(' ')}")


@pytest.mark.parametrize(
    "text",
    [
        "\x1b[31mred\x1b[0m\r\n",
        "tab\tbell\a",
        "Zoë 𝄞 日本",
        "a\0b\0c\0",
        "name\0" * 50,
        "RIFF and ID3 tags\n",
        "\0\0",
        "\x01",
        "\x0b\x1cA\n",
    ],
)
def test_text_with_colours_and_other_scripts_is_text(text: str) -> None:
    assert filled(text.encode()).text().text == text


@pytest.mark.parametrize("lines", [1, 1_000, 20_000])
def test_text_before_binary_output_is_shown(lines: int) -> None:
    text, data = b"a line\n" * lines, random.Random(1).randbytes(200_000)
    made = filled(text, data).text()
    if len(text) < 100_000:
        assert made.is_binary
        assert "(Binary output of 20" in made.text
        assert made.text.count("\ufffd") * 20 < len(made.text)
    assert made.text.startswith("a line\n")
    assert len(made.text) <= CHARS


@pytest.mark.parametrize("shift", range(5))
def test_a_character_across_the_edge_of_a_block_is_text(shift: int) -> None:
    text = "x" * (4_096 - shift) + "𝄞"
    assert filled(text.encode()).text().text == text


REPLACED = "\ufffd" * 200_000


@pytest.mark.parametrize("chars", [8, 100, 5_000])
def test_a_replacement_character_that_was_written_is_text(chars: int) -> None:
    made = filled(REPLACED[:chars].encode()).text()
    assert (made.text, made.is_binary) == (REPLACED[:chars], False)


def test_of_more_of_them_the_beginning_and_the_end_are_kept() -> None:
    made = filled(REPLACED.encode()).text()
    assert made.is_cut
    assert not made.is_binary
    assert made.text.startswith("\ufffd" * 100)
    assert made.text.endswith("\ufffd" * 100), "the end is not taken for half a character"


def test_bytes_that_are_wrong_are_still_binary_among_them() -> None:
    made = filled((REPLACED[:1_000]).encode(), b"\n", random.Random(1).randbytes(9_000)).text()
    assert made.is_binary
    assert made.text.startswith("\ufffd" * 100)


def test_without_telling_written_from_lost_they_would_be_binary(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: reading that replaces what is wrong makes both look alike."""
    monkeypatch.setattr(output, "make_decoder", lambda name: codecs.getincrementaldecoder(name)("replace"))  # pyright: ignore
    monkeypatch.setattr(output, "_NO_TEXT", re.compile("\ufffd"))
    assert filled(REPLACED[:5_000].encode()).text().is_binary


@pytest.mark.parametrize("before", range(CHARS // 2 - 80, CHARS // 2 + 10, 7))
@pytest.mark.parametrize("after", [CHARS, 10 * CHARS])
def test_no_part_of_a_secret_is_left_where_the_middle_is_cut_out(before: int, after: int) -> None:
    secret = "tide-7f3Q/xW+9zK=ebb&flow"
    redact = SecretRedactor({"KEY": secret}).redact
    made = filled(b"x" * before, secret.encode(), b"y" * after, secret.encode(), b"z" * before)
    for text in (made.text(redact).text, redact(made.text(redact).text)):
        assert "tide" not in text
        assert "flow" not in text


def test_without_it_a_part_of_a_secret_is_left() -> None:
    """The twin: what is cut first and searched then shows half of it."""
    secret = "tide-7f3Q/xW+9zK=ebb&flow"
    redact = SecretRedactor({"KEY": secret}).redact
    cuts = [filled(b"x" * (CHARS // 2 - 80 + at), secret.encode(), b"y" * CHARS) for at in range(80)]
    assert any("tide" in redact(made.text().text) for made in cuts)


def test_the_first_bytes_of_binary_output_are_not_told_where_they_hold_a_secret() -> None:
    secret = "tide-7f3Q/xW+9zK=ebb&flow"
    made = filled(secret.encode() + b"\0\0\1\2" * 2_000)
    assert secret.encode().hex(" ") in made.text().text
    told = made.text(SecretRedactor({"KEY": secret}).redact).text
    assert told == "(Binary output of 8,025 bytes.)"
