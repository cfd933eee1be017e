"""Turns any text into a valid tool name."""

import re
from collections.abc import Collection
from zlib import crc32

from oneclaw.core.tool import NAME

_LONGEST = 64
_HUMP = r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"


def fit_name(text: str, taken: Collection[str] = ()) -> str:
    """The nearest allowed name: `Weather.getToday` gives `weather_get_today`.

    A name that is allowed already stays. Letters that would be lost, and what is cut from a long name, live
    on as a checksum, so that two names differ where the texts did; what still meets `taken` gets a number.
    """
    name = text if NAME.match(text) else _reduce(text)
    if name not in taken:
        return name
    number = 2
    while (numbered := f"{name[: _LONGEST - 1 - len(str(number))]}_{number}") in taken:
        number += 1
    return numbered


def _reduce(text: str) -> str:
    name = re.sub(r"[^a-z0-9]+", "_", re.sub(_HUMP, "_", text).lower()).strip("_")
    if not name or not name[0].isalpha():
        name = f"tool_{name}".rstrip("_")
    if not text.isascii() or len(name) > _LONGEST:
        checksum = f"{crc32(text.encode('utf-8', 'surrogatepass')):08x}"
        name = f"{name[: _LONGEST - 1 - len(checksum)].rstrip('_')}_{checksum}"
    return name
