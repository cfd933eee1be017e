"""Host functions answered inside the worker: random bytes, digests, HMAC, text and addresses.

A question is its name and up to three values, each JSON of a text or a whole number; bytes travel as base64.
"""

import os
from _json import encode_basestring_ascii, scanstring
from binascii import a2b_base64, b2a_base64

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from hashlib import md5, sha1, sha256, sha384, sha512
    from typing import Any
else:
    # Not from hashlib, which loads OpenSSL: four megabytes and some milliseconds for each worker.
    try:
        from _md5 import md5
        from _sha1 import sha1

        try:
            from _sha2 import sha256, sha384, sha512
        except ImportError:
            from _sha256 import sha256
            from _sha512 import sha384, sha512
    except ImportError:
        from hashlib import md5, sha1, sha256, sha384, sha512

RANDOM_BYTES = 65_536
"""The most bytes of chance at once, as in a browser."""
PURE = ("url", "url.set", "decode")
"""Functions without side effects, which a file may also call while it is loaded."""
_PARTS = (
    *("href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname"),
    *("search", "hash"),
)


def answer_here(op: str, *values: str) -> str:
    """The answer as JSON: `[true, value]`, or `[false, what is wrong]`."""
    try:
        given = [_read(value) for value in values]
        if op == "randomBytes":
            return _bytes(_random(given[0]))
        if op == "digest":
            return _bytes(_find(given[0])(a2b_base64(given[1])).digest())
        if op == "hmac":
            return _bytes(_digest_with_key(_find(given[0]), a2b_base64(given[1]), a2b_base64(given[2])))
        if op == "decode":
            return _decode(*given)
        if op == "url":
            return _parts(*given)
        if op == "url.set":
            return _change(*given)
    except (ValueError, TypeError) as error:
        return f'[false,"{str(error)[:200]}"]' if '"' not in str(error) else '[false,"the values are wrong"]'
    return f'[false,"the worker knows nothing of {op}"]'


def _read(value: str) -> "Any":
    if value[:1] == '"':
        return scanstring(value, 1)[0]
    return None if value == "null" else int(value)


def _bytes(value: bytes) -> str:
    return f'[true,"{b2a_base64(value, newline=False).decode()}"]'


def _random(count: int) -> bytes:
    if not 0 <= count <= RANDOM_BYTES:
        raise ValueError(f"at most {RANDOM_BYTES} random bytes can be had at once")
    return os.urandom(count)


def _find(name: str) -> "Callable[..., Any]":
    known = {"md5": md5, "sha1": sha1, "sha256": sha256, "sha384": sha384, "sha512": sha512}
    found = known.get(name.lower().replace("-", ""))
    if found is None:
        raise ValueError("the digest must be one of SHA-1, SHA-256, SHA-384, SHA-512 and MD5")
    return found


def _digest_with_key(make: "Callable[..., Any]", key: bytes, data: bytes) -> bytes:
    """HMAC, RFC 2104."""
    size = make().block_size
    key = (make(key).digest() if len(key) > size else key).ljust(size, b"\0")
    inner = make(bytes(byte ^ 0x36 for byte in key) + data).digest()
    return make(bytes(byte ^ 0x5C for byte in key) + inner).digest()


def _decode(encoding: str, data: str, is_strict: int) -> str:
    """The text of bytes; null where it must be right and is not."""
    try:
        text = a2b_base64(data).decode(encoding, "strict" if is_strict else "replace")
    except UnicodeDecodeError:
        return "[true,null]"
    return f"[true,{encode_basestring_ascii(text)}]"


def url_class() -> "Any":
    """The parser of addresses, imported when it is first needed."""
    from ada_url import URL

    return URL


def _parts(text: str, base: str | None, *_: "Any") -> str:
    """The parts of an address as browsers read it; null where it cannot be read."""
    try:
        url = url_class()(text, base=base)
    except ValueError:
        return "[true,null]"
    return _written(url)


def _change(href: str, name: str, value: str) -> str:
    """The parts of an address with one of them set; null where that cannot be."""
    url = url_class()(href)
    try:
        setattr(url, name, value)
    except ValueError:
        return "[true,null]"
    return _written(url)


def _written(url: "Any") -> str:
    return f"[true,[{','.join(encode_basestring_ascii(getattr(url, name)) for name in _PARTS)}]]"
