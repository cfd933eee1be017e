"""Values of tools as messages."""

import pytest

from oneclaw.child.frames import Garbled, decode, encode
from oneclaw.core.call import Image, Output
from oneclaw.run.value_message import read_value, value_message


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
