"""Which headers may be sent, and which follow a redirect."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core.errors import Kind, ToolError
from oneclaw.guard.network.headers import check, drop_content, find, keep_harmless


def refused(name: str, value: str) -> str:
    with pytest.raises(ToolError) as caught:
        check([(name, value)])
    assert caught.value.kind is Kind.VALIDATION_ERROR
    assert caught.value.message.isprintable()
    return caught.value.message


def test_plain_headers_pass_unchanged() -> None:
    pairs = [
        ("Accept", "text/html, */*;q=0.1"),
        ("X-Query", "a%20b%2Fc 100%"),
        ("X-Twice", "a%2520b%252520c %C4%8D %E4%B8%8D"),
        ("X-Empty", ""),
        ("x-tab", "a\tb"),
    ]
    assert check(pairs) == tuple(pairs)
    assert check([("X", "  padded ")]) == (("X", "padded"),)


@pytest.mark.parametrize(
    "value",
    [
        *(
            "a\r\nX: y",
            "a\nb",
            "a\rb",
            "a\0b",
            "a\x0bb",
            "a\x7fb",
            "a\x1bb",
            "é",
            "a\u2028b",
            "嘊嘍Set-Cookie:x",
        ),
        *(
            "/%0d%0aSet-Cookie:x",
            "%0A",
            "%0d",
            "%00",
            "%250d%250a",
            "%25250a",
            "%252525250a",
            "%u000a",
            "%U000A",
            "%25u000d%25u000a",
            "%E5%98%8A%E5%98%8DSet-Cookie",
        ),
        *("%E2%80%A8", "%C2%85", "%u000a\r\n"),
        *(f"%{'25' * 9}0a", f"%{'25' * 40}0d", "%2%3525250a", "%2525u000a"),
        *("%c0%8a", "%C0%8D", "%e0%80%8a", "%f0%80%80%8a", "%25c0%258a"),
    ],
)
def test_a_line_end_in_a_value_is_refused_plain_or_hidden(value: str) -> None:
    assert "X-Test" in refused("X-Test", value)


@pytest.mark.parametrize(
    "name",
    ["", "A B", "A:", "A\r\nB", "Ä", "A\0", "(x)", "A\t", "/path", " A"],
)
def test_a_name_that_is_not_a_token_is_refused(name: str) -> None:
    assert "its name has characters" in refused(name, "x")


@pytest.mark.parametrize("name", ["%0aX", "%250d%250aX", "%u000aX"])
def test_a_line_end_hidden_in_a_name_is_refused(name: str) -> None:
    assert "its name hides a line end" in refused(name, "x")


@pytest.mark.parametrize(
    "name", ["Host", "HOST", "content-length", "Transfer-Encoding", "Connection", "Upgrade", "TE", "Expect"]
)
def test_headers_the_client_writes_itself_are_refused(name: str) -> None:
    assert "set by the client itself" in refused(name, "x")


def test_too_many_or_too_long_headers_are_refused_at_once() -> None:
    with pytest.raises(ToolError, match="101 headers are too many"):
        check([(f"X-{number}", "") for number in range(101)])
    assert "longer than" in refused("X", "x" * 17_000)
    assert "hides a line end" in refused("X", "%25" + "25" * 8_000)


@given(st.dictionaries(st.text(max_size=8), st.text(max_size=20), max_size=3))
def test_what_passes_can_be_written_on_one_line_each(pairs: dict[str, str]) -> None:
    with suppress(ToolError):
        for name, value in check(pairs.items()):
            assert f"{name}: {value}".isascii()
            assert not set(f"{name}: {value}") & set("\r\n\0")


def test_only_harmless_headers_go_to_another_origin() -> None:
    headers = (("ACCEPT", "x"), ("Authorization", "x"), ("Cookie", "x"), ("X-Own", "x"), ("Range", "x"))
    assert keep_harmless(headers) == (("ACCEPT", "x"), ("Range", "x"))


def test_headers_of_a_body_go_with_the_body() -> None:
    assert drop_content((("Content-Type", "x"), ("CONTENT-LANGUAGE", "x"), ("Accept", "x"))) == (
        ("Accept", "x"),
    )


def test_a_header_is_found_whatever_its_case() -> None:
    assert find([("A", "1"), ("X-Y", "2"), ("x-y", "3")], "x-y") == "2"
    assert find([], "x-y") is None
