"""What goes over the line between a call and its worker process: frames, and values as JSON.

A frame is four bytes of length and that many bytes. To the worker they hold pickles, which only it reads;
from the worker JSON alone, since what an untrusted tool wrote is never unpickled.
"""

import base64
import json
from collections.abc import Mapping
from typing import Any, cast

from oneclaw.core.call import Image, Output
from oneclaw.core.value import plain, with_images

Message = dict[str, Any]

HEADER_BYTES = 4
REPLY_BYTES = 16 * 1024 * 1024
"""The most one frame from a worker may hold."""


class Garbled(Exception):
    """The other side does not keep to the format."""


def frame(payload: bytes) -> bytes:
    return len(payload).to_bytes(HEADER_BYTES, "big") + payload


class FrameReader:
    """Cuts what arrives in pieces into frames."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._arrived = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The frames that are complete now. Raises `Garbled` as soon as one says it is too large."""
        arrived = self._arrived
        arrived += data
        frames: list[bytes] = []
        start = 0
        while len(arrived) - start >= HEADER_BYTES:
            size = int.from_bytes(arrived[start : start + HEADER_BYTES], "big")
            if size > self._limit_bytes:
                raise Garbled(f"a message of {size:,} bytes, more than {self._limit_bytes:,}")
            end = start + HEADER_BYTES + size
            if len(arrived) < end:
                break
            frames.append(bytes(arrived[start + HEADER_BYTES : end]))
            start = end
        del arrived[:start]
        return frames


def encode(message: Message) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode()


def decode(payload: bytes) -> Message:
    try:
        message: object = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise Garbled("a message that is not JSON") from error
    if not isinstance(message, dict):
        raise Garbled("a message that is not an object")
    return cast(Message, message)


def value_message(value: Any) -> Message:
    """What a tool returned, as a message."""
    output = value if isinstance(value, Output) else Output(value)
    made, found = with_images(output.value, len(output.images))
    if not found and not isinstance(value, Output):
        return {"value": made}
    images = [
        [image.media_type, base64.b64encode(image.data).decode("ascii")] for image in (*output.images, *found)
    ]
    details = plain(dict(output.details))
    return {"value": made, "images": images, "details": details, "note": str(output.note)}


def read_value(message: Message) -> Any:
    """The value of a message `value_message` made."""
    if "images" not in message:
        return message["value"]
    try:
        images = tuple(
            Image(base64.b64decode(data, validate=True), str(kind)) for kind, data in message["images"]
        )
        details: object = message["details"]
        note: object = message["note"]
        if not isinstance(details, Mapping) or not isinstance(note, str):
            raise TypeError
    except (KeyError, TypeError, ValueError) as error:
        raise Garbled("a value that cannot be read") from error
    return Output(message["value"], images, cast(Mapping[str, Any], details), note)
