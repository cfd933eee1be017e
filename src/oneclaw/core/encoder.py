"""A shared JSON encoder.

`json.JSONEncoder.encode` makes its C encoder anew for every text; of a short text that is the larger part.
"""

import json
from collections.abc import Callable
from json import encoder
from typing import Any, cast


def make_encoder(
    *, default: Callable[[Any], Any] | None = None, allow_nan: bool = True
) -> Callable[[Any], str]:
    """Encodes compact JSON, not escaped to ASCII; cycles raise `RecursionError`."""
    slow = json.JSONEncoder(
        ensure_ascii=False,
        check_circular=False,
        separators=(",", ":"),
        default=default,
        allow_nan=allow_nan,
    )
    make = cast(Any, encoder).c_make_encoder
    if make is None:  # a Python without the C part of `json`
        return slow.encode
    quote: Any = encoder.encode_basestring
    made = make(None, slow.default, quote, None, ":", ",", False, False, allow_nan)
    join = "".join
    return lambda value: join(made(value, 0))
