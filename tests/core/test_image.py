"""Images in results: known by their bytes, bounded in size and number."""

import pytest

from oneclaw.core.call import Image
from oneclaw.core.errors import ToolError
from oneclaw.core.image import MAX_BYTES, check_images, media_type

PNG = b"\x89PNG\r\n\x1a\n" + b"\x00" * 20


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a..", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"<svg onload=alert(1)>", None),
        (b"", None),
    ],
)
def test_the_type_is_read_from_the_bytes(data: bytes, name: str | None) -> None:
    assert media_type(data) == name


def test_a_wrong_type_is_put_right() -> None:
    assert check_images((Image(PNG, "image/jpeg"),))[0].media_type == "image/png"


def test_what_is_no_image_is_refused() -> None:
    with pytest.raises(ToolError, match="not a"):
        check_images((Image(b"MZ\x90", "image/png"),))


def test_a_large_image_is_refused_with_its_size() -> None:
    with pytest.raises(ToolError, match=f"{MAX_BYTES + 1:,}"):
        check_images((Image(PNG + b"\x00" * (MAX_BYTES + 1 - len(PNG)), "image/png"),))


def test_too_many_images_are_refused() -> None:
    with pytest.raises(ToolError, match="21 images"):
        check_images((Image(PNG, "image/png"),) * 21)
