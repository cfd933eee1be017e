"""Images in results: detects the type from the bytes and limits the size."""

from oneclaw.core.call import Image
from oneclaw.core.errors import ToolError

MAX_BYTES = 5 * 1024 * 1024
MAX_IMAGES = 20
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


def media_type(data: bytes) -> str | None:
    """The image type of the bytes: png, jpeg, gif or webp; None for others."""
    for signature, name in _SIGNATURES:
        if data.startswith(signature):
            return name
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return None


def check_images(images: tuple[Image, ...]) -> tuple[Image, ...]:
    """The images, each with the type its bytes have; refuses what no provider takes."""
    if len(images) > MAX_IMAGES:
        raise ToolError(f"The tool returned {len(images)} images; at most {MAX_IMAGES} can be given on.")
    return tuple(_check(image) for image in images)


def _check(image: Image) -> Image:
    if len(image.data) > MAX_BYTES:
        raise ToolError(
            f"The tool returned an image of {len(image.data):,} bytes; the limit is {MAX_BYTES:,} bytes."
            " Make it smaller."
        )
    found = media_type(image.data)
    if found is None:
        raise ToolError(
            f"The tool returned an image said to be {image.media_type[:60]!r} whose bytes are not a"
            " PNG, JPEG, GIF or WebP image."
        )
    return image if image.media_type == found else Image(image.data, found)
