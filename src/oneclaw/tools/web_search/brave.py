"""Brave Search."""

from collections.abc import Mapping, Sequence
from typing import Any, cast
from urllib.parse import urlencode

from oneclaw.tools.web_search.provider import Document, Hit, SearchProvider, SearchRequest, make_hits, rows


def ask(query: str, count: int, key: str, url: str) -> SearchRequest:
    headers = (("Accept", "application/json"), ("X-Subscription-Token", key))
    return SearchRequest("GET", f"{url}?{urlencode({'q': query, 'count': count})}", headers)


def read(document: Document) -> Sequence[Hit]:
    # Nothing found is an answer without the part for web pages.
    if isinstance(document, dict):
        answer = cast(Mapping[str, Any], document)
        if answer.get("type") == "search" and "web" not in answer:
            return []
    results = rows(document, "web", "results")
    return make_hits(
        (row.get("title"), row.get("url"), row.get("description"), row.get("page_age")) for row in results
    )


BRAVE = SearchProvider(
    name="brave",
    url="https://api.search.brave.com/res/v1/web/search",
    key="BRAVE_API_KEY",
    ask=ask,
    read=read,
    why_http={422: "it refused the key in BRAVE_API_KEY, or the query"},
    query_chars=400,
    query_words=50,
)
