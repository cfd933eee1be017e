"""web_search: searches with the configured provider."""

import asyncio
import json

from oneclaw.core.call import Output
from oneclaw.core.define.function import tool
from oneclaw.core.errors import Kind, ToolError, invalid
from oneclaw.core.settings.tree import DEFAULTS, SearchSettings
from oneclaw.core.tool import Context, Tool
from oneclaw.guard.network import charset
from oneclaw.guard.network import headers as header
from oneclaw.guard.network.gate import open_to
from oneclaw.guard.network.net import Response, fetch
from oneclaw.guard.network.url import InvalidUrl, parse
from oneclaw.guard.outside_mark import mark
from oneclaw.tools.web_search import duckduckgo
from oneclaw.tools.web_search.brave import BRAVE
from oneclaw.tools.web_search.duckduckgo import DUCKDUCKGO
from oneclaw.tools.web_search.exa import EXA
from oneclaw.tools.web_search.provider import (
    MOST_HITS,
    Document,
    Hit,
    MalformedAnswer,
    SearchProvider,
    SearchRefused,
)
from oneclaw.tools.web_search.searxng import SEARXNG
from oneclaw.tools.web_search.tavily import TAVILY

PROVIDERS = {provider.name: provider for provider in (SEARXNG, BRAVE, TAVILY, EXA, DUCKDUCKGO)}
MAX_BYTES = 2 * 1024 * 1024
MAX_REDIRECTS = 2
_OTHERS = "set web.search.provider to searxng (with web.search.url), brave, tavily, exa or duckduckgo"
_ANOTHER = "set web.search.provider to another one"


def web_search_tool(settings: SearchSettings = DEFAULTS.web.search) -> Tool:
    """The tool as the settings have it: it declares the key of its provider and no other."""
    chosen = PROVIDERS.get(settings.provider or "")

    @tool(
        needs=["network"],
        effect="read",
        group="web",
        trim="middle",  # the end of the mark stays
        secrets=[chosen.key] if chosen is not None and chosen.key else [],
        missing=lambda: why_unusable(settings),
        label="Search the web",
    )
    async def web_search(context: Context, query: str, count: int = 5) -> Output:
        """Search the web for current information.

        query: What to search for.
        count: How many results to give, from 1 to 20. Defaults to 5.
        """
        provider = chosen or DUCKDUCKGO  # nobody chose: whoever installed `ddgs` did
        unusable = why_unusable(settings)
        if unusable:
            raise ToolError(unusable)
        _check_query(provider, query)
        if not 1 <= count <= MOST_HITS:
            raise invalid(f"count is {count}; it must be from 1 to {MOST_HITS}.")
        hits = (await _search(provider, settings, context, query, count))[:count]
        details = {"provider": provider.name, "urls": [hit.url for hit in hits]}
        if not hits:
            return Output(f"{provider.name} found nothing; try other words.", details=details)
        text = "\n\n".join(_render(place, hit) for place, hit in enumerate(hits, 1))
        return Output(mark(text, f"web search by {provider.name}"), details=details)

    return web_search


def _check_query(provider: SearchProvider, query: str) -> None:
    for unit, size, most in (
        ("characters", len(query), provider.query_chars),
        ("words", len(query.split()), provider.query_words),
    ):
        if not 1 <= size <= most:
            raise invalid(f"query has {size:,} {unit}; {provider.name} takes from 1 to {most:,}.")


def why_unusable(settings: SearchSettings) -> str:
    """Says what is missing for searching; empty when nothing is."""
    if settings.provider == SEARXNG.name and not settings.url:
        return "The search provider searxng has no address: set web.search.url, as http://localhost:8080."
    try:
        parse(settings.url or "https://localhost/")
    except InvalidUrl as error:
        return f"web.search.url cannot be used ({error.why}): set it to an address, as http://localhost:8080."
    if settings.provider in (None, DUCKDUCKGO.name) and not duckduckgo.is_installed():
        if settings.provider:
            missing = "The package ddgs, which reads the pages of duckduckgo, is not there"
            return f"{missing}: {duckduckgo.REMEDY}."
        return f"No search provider is configured: {_OTHERS}; for duckduckgo, {duckduckgo.REMEDY}."
    return ""


async def _search(
    provider: SearchProvider, settings: SearchSettings, context: Context, query: str, count: int
) -> list[Hit]:
    url = settings.url or provider.url
    key = context.secrets.get(provider.key, "")
    if not (key.isascii() and key.isprintable()):
        raise ToolError(
            f"The secret {provider.key} is no key: it has line ends, control characters or letters outside"
            " ASCII; set it anew."
        )
    try:
        # In a thread: the first use may load a library, and a page is long to read.
        ask = await asyncio.to_thread(provider.ask, query, count, key, url)
        response = await fetch(
            ask.method,
            ask.url,
            headers=ask.headers,
            body=ask.body,
            network=open_to(context.session.network, settings.url),
            max_bytes=MAX_BYTES,
            max_redirects=MAX_REDIRECTS,
            seconds=context.seconds,
        )
        document = _document(provider, response)
        return list(await asyncio.to_thread(provider.read, document))
    except SearchRefused as error:
        raise ToolError(f"The search by {provider.name} failed: {error}.", Kind.NETWORK_ERROR) from None
    except MalformedAnswer as error:
        raise ToolError(
            f"{provider.name} answered, but not as it documents ({error}); try again later, or {_ANOTHER}.",
            Kind.NETWORK_ERROR,
        ) from None
    except ToolError as error:
        if error.kind in (Kind.NETWORK_ERROR, Kind.TIMEOUT) and not error.message.startswith(provider.name):
            reason = error.message.rstrip(".")
            message = f"{provider.name} cannot be reached ({reason}); try again later, or {_ANOTHER}."
            raise ToolError(message, error.kind) from None
        raise


def _document(provider: SearchProvider, response: Response) -> Document:
    """The body, read; raises when the answer is not the results."""
    status = response.status
    if status != 200:
        raise ToolError(
            f"{provider.name} answered HTTP {status}: {_why(provider, response)}.", Kind.NETWORK_ERROR
        )
    if response.truncated or response.encoding is not None:
        raise MalformedAnswer(
            "it is too long" if response.truncated else "it is packed in a way nobody asked for"
        )
    text = charset.decode(response.body, header.find(response.headers, "content-type"))
    if not provider.is_json:
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise MalformedAnswer("it is not JSON") from None


def _why(provider: SearchProvider, response: Response) -> str:
    status = response.status
    if provider.why_http is not None and status in provider.why_http:
        return provider.why_http[status]
    if status in (401, 403):
        remedy = f"set a valid one as {provider.key}"
        return f"it refused the key; {remedy}" if provider.key else "it refused the search"
    if status == 429:
        return f"there were too many searches; try again {_when(response)}"
    if status >= 500:
        return f"it has a problem of its own; try again {_when(response)}, or {_ANOTHER}"
    return "it did not take the search; try other words"


def _when(response: Response) -> str:
    """When to try again, as far as the headers say; of several limits the first is the shortest."""
    told = header.find(response.headers, "retry-after") or header.find(response.headers, "x-ratelimit-reset")
    wait = (told or "").partition(",")[0].strip()
    return f"in {wait} seconds" if wait.isascii() and wait.isdigit() and len(wait) < 6 else "later"


def _render(place: int, hit: Hit) -> str:
    date = f" ({hit.date})" if hit.date else ""
    lines = [f"{place}. {hit.title or '(no title)'}{date}", f"   {hit.url}"]
    return "\n".join([*lines, f"   {hit.text}"] if hit.text else lines)
