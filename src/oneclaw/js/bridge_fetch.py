"""`fetch` for JavaScript tools, through the network guard."""

import base64
import binascii
from typing import TYPE_CHECKING, Any, cast

from oneclaw.core.errors import Kind, ToolError, invalid
from oneclaw.core.tool import Context
from oneclaw.guard.network import headers as header
from oneclaw.guard.network import net
from oneclaw.guard.network.gate import ask_for_private
from oneclaw.guard.network.outgoing_request import REDIRECTS

if TYPE_CHECKING:
    from oneclaw.guard.network.pool import Wiring

MAX_BYTES = 2 * 1024 * 1024
MAX_REDIRECTS = 20  # as many as the standard of fetch allows
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


async def fetch(
    context: Context, url: str, options: dict[str, Any], wiring: "Wiring | None" = None
) -> dict[str, Any]:
    """The answer to a request; the body as text where it is UTF-8, else as base64. Raises `ToolError`.

    Half a body is never given: one that is longer than `MAX_BYTES` is an error.
    """
    method, headers, body, redirect = _read(options)
    context.check()
    response = await net.fetch(
        method,
        url,
        headers=headers,
        body=body,
        network=context.session.network,
        allow_private=ask_for_private(context),
        max_bytes=MAX_BYTES,
        # A little less than the call has, so that a slow server is what the tool is told about.
        seconds=context.seconds,
        max_redirects=MAX_REDIRECTS if redirect == "follow" else None,
        wiring=wiring,
    )
    location = header.find(response.headers, "location")
    if redirect == "error" and response.status in REDIRECTS and location is not None:
        message = f"{url[:200]} redirects to {location[:200]}, and fetch was told not to follow."
        raise ToolError(message, Kind.NETWORK_ERROR)
    if response.truncated:
        limit = f"{MAX_BYTES // 2**20} MB"
        raise ToolError(
            f"The body of {response.url} is larger than {limit}, the most that fetch gives; ask for less.",
            Kind.NETWORK_ERROR,
        )
    text, packed = None, None
    try:
        text = response.body.decode("utf-8")
    except UnicodeDecodeError:
        packed = base64.b64encode(response.body).decode("ascii")
    return {
        "status": response.status,
        "statusText": response.reason,
        "headers": [[name, value] for name, value in response.headers],
        "url": response.url,
        "redirected": bool(response.redirects),
        "text": text,
        "body": packed,
    }


def _read(options: dict[str, Any]) -> tuple[str, list[tuple[str, str]], bytes | None, str]:
    method, redirect = options.get("method"), options.get("redirect")
    if method not in METHODS:
        raise invalid(f"fetch cannot send the method {str(method)[:40]!r}; use one of: {', '.join(METHODS)}.")
    if redirect not in ("follow", "manual", "error"):
        raise invalid("fetch follows redirects as follow, manual or error.")
    return method, _read_headers(options.get("headers")), _read_body(method, options.get("body")), redirect


def _read_headers(value: object) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for pair in cast("list[object]", value) if isinstance(value, list) else [value]:
        match pair:
            case [str(name), str(text)]:
                pairs.append((name, text))
            case _:
                raise invalid("The headers of fetch are pairs of text.")
    return pairs


def _read_body(method: str, value: object) -> bytes | None:
    if value is None:
        # Servers expect a length with these, if only 0.
        return b"" if method in ("POST", "PUT", "PATCH") else None
    try:
        return base64.b64decode(cast("Any", value), validate=True)
    except (binascii.Error, ValueError, TypeError):
        raise invalid("The body of fetch is not base64.") from None
