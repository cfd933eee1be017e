"""Values of tools as messages of a worker process: JSON, with images as base64.

What an untrusted tool wrote is never unpickled.
"""

import base64
from collections.abc import Mapping
from typing import Any, cast

from oneclaw.child.frames import Garbled
from oneclaw.core.call import Image, Output
from oneclaw.core.value import plain, with_images

Message = dict[str, Any]

REPLY_BYTES = 16 * 1024 * 1024
"""The most one message of a worker may hold."""


def value_message(value: Any) -> Message:
    """The message for the value that a tool returned."""
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
