"""fetch_url: fetches a page or document as text, in pieces."""

import json
from contextlib import suppress
from hashlib import blake2b
from typing import Literal, NamedTuple

from oneclaw.core.call import Output
from oneclaw.core.define.function import tool
from oneclaw.core.errors import invalid
from oneclaw.core.text.encoding import recognise
from oneclaw.core.tool import Context
from oneclaw.core.trim import safe_cut
from oneclaw.guard.network import body as body_text
from oneclaw.guard.network import charset
from oneclaw.guard.network import headers as header
from oneclaw.guard.network.conversion import MAX_CHARS, convert
from oneclaw.guard.network.gate import ask_for_private
from oneclaw.guard.network.net import Response, fetch
from oneclaw.guard.network.readable import is_page, title_of
from oneclaw.guard.outside_mark import mark

CHARS = 20_000
SECONDS = 30
MAX_BYTES = 4 * 1024 * 1024
CONVERT_SHARE = 0.25
"""How much of the call's time the conversion to text may take."""

_HEADER_CHARS = 300
_SHOWN = ("Content-Type", "Content-Length", "Location", "Retry-After", "Allow", "Last-Modified")
_ACCEPT = ("Accept", "text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9,*/*;q=0.8")
_UNTOLD = ("", "application/octet-stream")


class PageText(NamedTuple):
    """The whole text of a response, its title and notes."""

    text: str
    title: str = ""
    notes: tuple[str, ...] = ()


@tool(
    needs=["network"],
    effect="unknown",
    seconds=SECONDS,
    group="web",
    chars=CHARS + 4_000,
    trim="middle",  # the end of the mark stays
    spill=False,
    label="Read a web page",
)
async def fetch_url(
    context: Context,
    url: str,
    method: Literal["GET", "POST", "HEAD"] = "GET",
    body: str | None = None,
    raw: bool = False,
    offset: int = 0,
    version: str = "",
) -> Output:
    """Fetch a web page and read it as Markdown.

    At most 20,000 characters are returned at once; a last line then says how to go on. Pictures and PDF
    documents are described. To unsubscribe with one click, POST the body List-Unsubscribe=One-Click.

    url: The address, starting with http:// or https://.
    method: HTTP method. Defaults to GET.
    body: What POST sends: a form as a=1&b=2, JSON, or any text.
    raw: Give the source of the page instead of Markdown.
    offset: The first character to read, counted from 0, to read on in a long page.
    version: What the part before named with the offset; a page that has changed since is then told.
    """
    if offset < 0:
        raise invalid(f"offset is {offset}; it counts characters from 0.")
    response = await fetch(
        method,
        url,
        headers=[_ACCEPT, ("Content-Type", _content_type(body))] if method == "POST" and body else [_ACCEPT],
        body=(body or "").encode("utf-8", "replace") if method == "POST" else None,
        network=context.session.network,
        allow_private=ask_for_private(context),
        max_bytes=MAX_BYTES,
        seconds=context.seconds,
    )
    whole = await _read(response, method, raw, context.seconds * CONVERT_SHARE)
    # Before the cut: half a secret is not known as one.
    whole = whole._replace(text=context.redact(whole.text))
    notes = [] if body is None or method == "POST" else [f"(The body was not sent: {method} takes none.)"]
    if method == "POST" and len(whole.text) > offset + CHARS:
        notes.append("(To go on is to send the POST once more.)")
    return Output(_render(response, whole, offset, version, notes), details=response.details)


def _content_type(body: str) -> str:
    """Detects the body's content type: JSON, form or plain text."""
    if body.lstrip()[:1] in ("{", "["):
        with suppress(ValueError, RecursionError):
            json.loads(body)
            return "application/json"
    name, sign, _ = body.partition("=")
    is_form = bool(sign) and name.strip() == name and not any(char.isspace() for char in body)
    return "application/x-www-form-urlencoded" if is_form else "text/plain; charset=utf-8"


async def _read(response: Response, method: str, raw: bool, seconds: float) -> PageText:
    content, kind = response.body, header.find(response.headers, "content-type")
    if method == "HEAD":
        return PageText("(no body: HEAD asks for the headers only)")
    if not content:
        return PageText("(empty response body)")
    if response.encoding is not None or recognise(content) or not body_text.is_text(content, kind):
        return PageText(_describe(response, body_text.media_type(kind)))
    text = charset.decode(content, kind, response.truncated)
    notes = [f"(Only the first {MAX_BYTES // 2**20} MB were read.)"] if response.truncated else []
    title = ""
    media = body_text.media_type(kind)
    if not raw and (media in charset.HTML or (media in _UNTOLD and is_page(text))):
        title = title_of(text)
        page = await convert(text, response.url, seconds)
        if page is None:
            notes.append("(The page could not be made readable; this is its source.)")
        else:
            scripts = "; it is made by scripts, which are not run" if "<script" in text.lower() else ""
            text = page or f"(the page has no readable text{scripts})"
            if len(page) >= MAX_CHARS:
                notes.append(f"(The page is longer: only its first {MAX_CHARS:,} characters can be read.)")
    return PageText(text, title, tuple(notes))


def _describe(response: Response, kind: str) -> str:
    """Names the kind of a binary body, by its bytes or else by its media type."""
    total = response.total_bytes
    size = f"more than {len(response.body):,} bytes" if total is None else f"{total:,} bytes"
    packed = "" if response.encoding is None else f", packed as {response.encoding[:60]}"
    return f"(binary, {recognise(response.body) or kind or 'of unknown type'}, {size}{packed})"


def _render(response: Response, whole: PageText, offset: int, version: str, notes: list[str]) -> str:
    """The status, what came from outside inside its mark, and after it what we have to say."""
    text = whole.text
    if offset > len(text) or (offset and offset == len(text)):
        raise invalid(f"The page has {len(text):,} characters; there is nothing at offset {offset:,}.")
    end = safe_cut(text, offset + CHARS) if len(text) - offset > CHARS else len(text)
    lines = [] if offset else _head(response, whole.title)
    told = [*notes, *whole.notes]
    if version and version != fingerprint(text, offset):
        told.append(
            "(The page has changed since the part before was read: this part may not follow it."
            " Begin again with offset=0 to be sure.)"
        )
    if end < len(text) or offset:
        shown = f"These are the characters {offset + 1:,}-{end:,} of {len(text):,}."
        more = f' Go on with offset={end} and version="{fingerprint(text, end)}".' if end < len(text) else ""
        told.append(f"({shown}{more})")
    marked = mark("\n".join([*lines, text[offset:end]]), response.url)
    return "\n".join([response.line, marked, *told])


def _head(response: Response, title: str) -> list[str]:
    """The headers that matter, where the text came from in the end, its title, and a blank line."""
    values = ((name, header.find(response.headers, name.lower())) for name in _SHOWN)
    lines = [f"{name}: {value[:_HEADER_CHARS]}" for name, value in values if value is not None]
    if response.redirects:
        lines.append(f"(Redirected to {response.url[:_HEADER_CHARS]})")
    if title:
        lines.append(f"Title: {title}")
    return [*lines, ""] if lines else lines


def fingerprint(text: str, end: int) -> str:
    """Fingerprint of the part of a page that was read."""
    return blake2b(text[:end].encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
