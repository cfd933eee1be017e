"""Frames on the line between the program and a child."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.child.frames import FrameReader, Garbled, decode, frame


@given(st.lists(st.binary(max_size=50)), st.lists(st.integers(1, 20), min_size=1))
def test_frames_come_out_as_they_went_in_however_they_are_cut(payloads: list[bytes], cuts: list[int]) -> None:
    reader, sent, received = FrameReader(50), b"".join(map(frame, payloads)), list[bytes]()
    position = turn = 0
    while position < len(sent):
        size = cuts[turn % len(cuts)]
        received += reader.feed(sent[position : position + size])
        position, turn = position + size, turn + 1
    assert received == payloads


def test_a_frame_that_says_it_is_too_large_is_refused_before_it_has_arrived() -> None:
    with pytest.raises(Garbled, match="4,294,967,295 bytes"):
        FrameReader(1000).feed(b"\xff\xff\xff\xff")


@pytest.mark.parametrize("payload", [b"", b"{", b"[1]", b"5", b"\xff", b"[" * 100_000, b"1" * 5_000])
def test_what_is_not_an_object_of_json_is_refused(payload: bytes) -> None:
    with pytest.raises(Garbled):
        decode(payload)
