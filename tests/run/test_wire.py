"""Frames and values on the line to a worker."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core.call import Image, Output
from oneclaw.run.wire import FrameReader, Garbled, decode, encode, frame, read_value, value_message


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


def test_an_image_that_is_returned_comes_out_as_an_output() -> None:
    picture = Image(b"\x89PNG", "image/png")
    assert read_value(value_message([picture, "text"])) == Output(["(image 1)", "text"], (picture,))
    assert read_value(value_message(Output(picture, (picture,)))) == Output("(image 2)", (picture, picture))


def test_an_output_with_images_and_details_comes_out_as_it_went_in() -> None:
    output = Output({"a": ["\ud800", 1]}, (Image(b"\x00\xff", "image/png"),), {"b": (1, 2)}, "mended")
    expected = Output({"a": ["\ufffd", 1]}, (Image(b"\x00\xff", "image/png"),), {"b": [1, 2]}, "mended")
    assert read_value(decode(encode(value_message(output)))) == expected


def test_a_bare_value_stays_bare() -> None:
    assert read_value(decode(encode(value_message((1, "ä"))))) == [1, "ä"]


@pytest.mark.parametrize(
    "message",
    [
        {"value": 1, "images": 5},
        {"value": 1, "images": [["image/png"]], "details": {}},
        {"value": 1, "images": [["image/png", "***"]], "details": {}},
        {"value": 1, "images": [["image/png", 7]], "details": {}},
        {"value": 1, "images": []},
        {"value": 1, "images": [], "details": []},
        {"value": 1, "images": [], "details": {}},
        {"value": 1, "images": [], "details": {}, "note": 5},
    ],
)
def test_a_value_that_was_tampered_with_is_refused(message: dict[str, object]) -> None:
    with pytest.raises(Garbled):
        read_value(message)
