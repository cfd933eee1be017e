"""Server-sent events, in every cut and spelling."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.providers.base import ProviderError, ServerEvent
from oneclaw.providers.http.sse import ServerEvents

STREAM = (
    '\ufeffevent: first\ndata: {"a": "ä€😀"}\n\n: a comment\n\nid: 7\nretry: 10\ndata: one\ndata:two\n'
    "data:  three\n\nevent: empty\ndata:\n\nnonsense\ndata: last"
)
EVENTS = [
    ServerEvent("first", '{"a": "ä€😀"}'),
    ServerEvent("", "one\ntwo\n three"),
    ServerEvent("", "last"),
]


def read(chunks: list[bytes]) -> list[ServerEvent]:
    events = ServerEvents()
    return [event for chunk in chunks for event in events.feed(chunk)] + events.finish()


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_the_events_are_the_same_in_every_cut_and_with_every_line_end(line_end: str, size: int) -> None:
    data = STREAM.replace("\n", line_end).encode()
    assert read([data[at : at + size] for at in range(0, len(data), size)]) == EVENTS


@given(
    st.lists(st.integers(0, 400)), st.lists(st.sampled_from(["\n", "\r\n", "\r"]), min_size=17, max_size=17)
)
def test_any_cut_and_any_mix_of_line_ends_gives_the_same_events(cuts: list[int], ends: list[str]) -> None:
    lines = STREAM.split("\n")
    data = "".join(line + end for line, end in zip(lines, ends, strict=False)).encode()
    # A CR before an LF is one line end and not two: such a mix means something else.
    if any(
        a == "\r" and b == "\n" and not line for a, b, line in zip(ends, ends[1:], lines[1:], strict=False)
    ):
        return
    places = sorted({0, *(cut for cut in cuts if cut < len(data)), len(data)})
    assert read([data[a:b] for a, b in pairwise(places)]) == EVENTS


def test_an_event_is_given_as_soon_as_its_blank_line_is_there() -> None:
    events = ServerEvents()
    assert events.feed(b"data: 1\r") == []
    assert events.feed(b"\n\r") == [ServerEvent("", "1")]
    assert events.feed(b"\n") == []
    assert events.feed(b"data: 2\n\ndata: 3\n\n") == [ServerEvent("", "2"), ServerEvent("", "3")]
    assert events.finish() == []


def test_the_event_a_stream_ends_in_is_given_at_its_end_only() -> None:
    events = ServerEvents()
    assert events.feed(b"event: x\ndata: 1") == []
    assert events.finish() == [ServerEvent("x", "1")]
    assert events.finish() == []


def test_a_name_does_not_outlive_its_event() -> None:
    assert read([b"event: x\n\ndata: 1\n\n"]) == [ServerEvent("", "1")]


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert read([b"data: a\xffb\n\n"]) == [ServerEvent("", "a\ufffdb")]


@pytest.mark.parametrize("piece", [b"x" * 100, b"\ndata: " + b"x" * 100], ids=["one line", "many lines"])
def test_an_event_without_end_is_refused_at_the_bound(piece: bytes) -> None:
    events = ServerEvents(most_bytes=1000)
    events.feed(b"data: x")
    for _ in range(9):
        assert events.feed(piece) == []
    with pytest.raises(ProviderError, match="larger than 1,000 bytes") as caught:
        events.feed(piece)
    assert caught.value.trouble == "stream"


def test_without_that_bound_all_of_it_would_be_kept() -> None:
    """The twin."""
    events = ServerEvents()
    for _ in range(100):
        assert events.feed(b"x" * 1000) == []


def test_comments_may_come_for_ever() -> None:
    events = ServerEvents(most_bytes=1000)
    for _ in range(1000):
        assert events.feed(b": still here\n\n") == []
