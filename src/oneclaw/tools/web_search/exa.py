"""Exa search with excerpts."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from oneclaw.tools.web_search.provider import (
    TEXT_CHARS,
    Document,
    Hit,
    SearchProvider,
    SearchRequest,
    make_hits,
    rows,
)


def ask(query: str, count: int, key: str, url: str) -> SearchRequest:
    wanted = {"query": query, "numResults": count, "contents": {"highlights": {"maxCharacters": TEXT_CHARS}}}
    return SearchRequest(
        "POST", url, (("Content-Type", "application/json"), ("x-api-key", key)), json.dumps(wanted).encode()
    )


def read(document: Document) -> Sequence[Hit]:
    results = rows(document, "results")
    return make_hits(
        (row.get("title"), row.get("url"), " … ".join(_excerpts(row)), row.get("publishedDate"))
        for row in results
    )


def _excerpts(row: Mapping[str, Any]) -> Iterator[str]:
    """The highlights; where there are none, the summary or the text."""
    highlights = row.get("highlights")
    given = cast(list[Any], highlights) if isinstance(highlights, list) else []
    for one in given or (row.get("summary") or row.get("text"),):
        if isinstance(one, str):
            yield one


EXA = SearchProvider(
    name="exa",
    url="https://api.exa.ai/search",
    key="EXA_API_KEY",
    ask=ask,
    read=read,
    why_http={402: "its credits are spent", 403: "the plan of the key in EXA_API_KEY does not allow it"},
)
