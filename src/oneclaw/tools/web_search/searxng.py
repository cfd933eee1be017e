"""SearXNG server, through its JSON API."""

from collections.abc import Sequence
from urllib.parse import urlencode

from oneclaw.tools.web_search.provider import (
    Document,
    Hit,
    SearchProvider,
    SearchRefused,
    SearchRequest,
    make_hits,
    rows,
)


def ask(query: str, count: int, key: str, url: str) -> SearchRequest:
    words = urlencode({"q": query, "format": "json"})
    return SearchRequest(
        "GET", f"{url.rstrip('/').removesuffix('/search')}/search?{words}", (("Accept", "application/json"),)
    )


def read(document: Document) -> Sequence[Hit]:
    results = rows(document, "results")
    # Its own engines refuse it at times: nothing is found then, and nothing was searched.
    if not results and document.get("unresponsive_engines"):
        raise SearchRefused("none of the engines it asks answered; look at its preferences, tab Engines")
    return make_hits(
        (row.get("title"), row.get("url"), row.get("content"), row.get("publishedDate")) for row in results
    )


SEARXNG = SearchProvider(
    name="searxng",
    url="",
    key="",
    ask=ask,
    read=read,
    why_http={
        403: "it gives no JSON: add json to search.formats in its settings.yml",
        404: "there is no search at this address: web.search.url must name the server, as http://host:8080",
        429: "its limiter refused: let this machine pass in its limiter.toml, or try again later",
    },
)
