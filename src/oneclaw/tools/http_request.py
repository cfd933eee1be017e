"""http_request: makes one HTTP request and returns the response as text."""

from typing import Literal

from oneclaw.core.call import Output
from oneclaw.core.define.function import tool
from oneclaw.core.tool import Context
from oneclaw.guard.network import body as body_text
from oneclaw.guard.network import charset
from oneclaw.guard.network import headers as header
from oneclaw.guard.network.conversion import convert
from oneclaw.guard.network.gate import ask_for_private
from oneclaw.guard.network.net import MAX_BYTES, Response, fetch
from oneclaw.guard.outside_mark import mark

SECONDS = 30
CONVERT_SECONDS = 5.0
SHOWN = (
    *("Content-Type", "Content-Length", "Location", "Retry-After", "WWW-Authenticate", "Allow", "Link"),
    *("ETag", "Last-Modified"),
)


@tool(
    needs=["network"],
    effect="unknown",
    seconds=SECONDS,
    group="web",
    chars=MAX_BYTES + 8_000,
    trim="middle",  # the end of the mark stays
    label="Send a web request",
)
async def http_request(
    context: Context,
    url: str,
    method: Literal["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD"] = "GET",
    headers: dict[str, str] | None = None,
    body: str | None = None,
    readable: bool = False,
) -> Output:
    """Make an HTTP request to a URL.

    url: The URL to request, starting with http:// or https://.
    method: HTTP method. Defaults to GET.
    headers: Key-value pairs of HTTP headers.
    body: Request body for POST, PUT, PATCH and DELETE; sent as application/json unless headers say otherwise.
    readable: Turn an HTML page into readable text (Markdown).
    """
    takes_body, pairs, data = method not in ("GET", "HEAD"), list((headers or {}).items()), None
    if takes_body and (body is not None or method != "DELETE"):
        data = (body or "").encode("utf-8", "replace")
    if takes_body and body is not None and header.find(pairs, "content-type") is None:
        pairs.append(("Content-Type", "application/json"))
    response = await fetch(
        method,
        url,
        headers=pairs,
        body=data,
        network=context.session.network,
        allow_private=ask_for_private(context),
        seconds=context.seconds,
    )
    notes = [f"(The body was not sent: {method} takes none.)"] if body and not takes_body else []
    return Output(await _render(response, readable, notes), details=response.details)


async def _render(response: Response, readable: bool, notes: list[str]) -> str:
    """The status; in the mark the headers that matter and the body; after it what must be known."""
    values = ((name, header.find(response.headers, name.lower())) for name in SHOWN)
    lines = [f"{name}: {value}" for name, value in values if value is not None]
    if response.redirects:
        lines.append(f"(Redirected to {response.url})")
    text = await _body(response, readable, notes)
    if response.truncated:
        total = response.total_bytes
        of = "; the total size is not known" if total is None else f" of {total // 1024}KB total"
        notes.append(f"(Response truncated. Showing first {MAX_BYTES // 1024}KB{of}.)")
    return "\n".join([response.line, mark("\n".join([*lines, "", text]), response.url), *notes])


async def _body(response: Response, readable: bool, notes: list[str]) -> str:
    kind = header.find(response.headers, "content-type")
    if not response.body:
        return "(empty response body)"
    if response.encoding is not None or not body_text.is_text(response.body, kind):
        packed = f", packed as {response.encoding}" if response.encoding is not None else ""
        size = len(response.body) if response.total_bytes is None else response.total_bytes
        more = "more than " if response.total_bytes is None else ""
        media = body_text.media_type(kind) or "unknown type"
        return f"(binary body, {more}{size} bytes, {media}{packed})"
    text = charset.decode(response.body, kind, response.truncated)
    if readable and body_text.media_type(kind) in charset.HTML:
        page = await convert(text, seconds=CONVERT_SECONDS)
        if page is None:
            notes.append("(The page could not be made readable; this is its source.)")
            return text
        return page or "(the page has no readable text)"
    return text
