"""Encodes values for columns, bounded, and decodes them."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, cast, overload

from oneclaw.core.call import Image
from oneclaw.core.encoder import make_encoder

TEXT_CHARS = 262_144
"""The most characters kept of one argument list, result or details."""

NAME_CHARS = 200
"""The most characters kept of a name or an id, which may come from a model."""


def bounded(text: str, chars: int = TEXT_CHARS) -> str:
    """`text` as SQLite can hold it, or its head with the length named."""
    if len(text) <= chars and text.isascii():
        return text
    if len(text) > chars:
        text = f"{text[:chars]}… (the first {chars:,} of {len(text):,} characters)"
    return _storable(text)


@overload
def as_stored(name: str) -> str: ...
@overload
def as_stored(name: str | None) -> str | None: ...
def as_stored(name: str | None) -> str | None:
    """A name or an id as it stands in the store, to look for it there."""
    return None if name is None else bounded(name, NAME_CHARS)


def to_json(value: Any) -> str:
    """`value` as JSON. What is too long becomes a JSON string of its head, what is not JSON its text."""
    try:
        text = str(value) if type(value) is int else _encode(value)
    except Exception:  # a circle, a depth, a `__str__` that raises: a journal refuses no value
        text = f'"(a {type(value).__name__} that cannot be written as JSON)"'
    if len(text) > TEXT_CHARS:
        text = _encode(bounded(text))
    return text if text.isascii() else _storable(text)


def from_json(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def describe_images(images: tuple[Image, ...]) -> str:
    """Stores type, size and hash of images, never the bytes."""
    return to_json(
        [
            {"type": image.media_type, "bytes": len(image.data), "sha256": sha256(image.data).hexdigest()}
            for image in images
        ]
    )


def _storable(text: str) -> str:
    # Half of a surrogate pair, as a model may send it, has no UTF-8: it is written as an escape.
    return text.encode("utf-8", "backslashreplace").decode()


def _plain(value: object) -> Any:
    if isinstance(value, Mapping):
        return dict(cast(Mapping[Any, Any], value))
    if isinstance(value, set | frozenset | tuple):
        return list(cast(set[Any], value))
    return str(value)


_encode = make_encoder(default=_plain)
