"""Tavily search."""

import json
from collections.abc import Sequence

from oneclaw.tools.web_search.provider import Document, Hit, SearchProvider, SearchRequest, make_hits, rows


def ask(query: str, count: int, key: str, url: str) -> SearchRequest:
    body = json.dumps({"query": query, "max_results": count}).encode()
    return SearchRequest(
        "POST", url, (("Content-Type", "application/json"), ("Authorization", f"Bearer {key}")), body
    )


def read(document: Document) -> Sequence[Hit]:
    results = rows(document, "results")
    return make_hits(
        (row.get("title"), row.get("url"), row.get("content"), row.get("published_date")) for row in results
    )


_SPENT = "the searches of its plan are spent"
TAVILY = SearchProvider(
    name="tavily",
    url="https://api.tavily.com/search",
    key="TAVILY_API_KEY",
    ask=ask,
    read=read,
    why_http={432: _SPENT, 433: _SPENT},
    query_chars=400,
)
