"""DuckDuckGo's plain page, parsed by `ddgs`.

`ddgs` knows what the page is asked and where on it the results are. Its own HTTP client knows no gate, so it
is never made: the engine is made without it, and what it would send we send.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from oneclaw.tools.web_search.provider import (
    Document,
    Hit,
    MalformedAnswer,
    SearchProvider,
    SearchRefused,
    SearchRequest,
    make_hits,
)

REMEDY = "install it with `pip install 'oneclaw[search]'`"
_AGENT = "Mozilla/5.0 (compatible; oneclaw)"
_CHALLENGE = ("anomaly-modal", "anomaly.js", "challenge-form")


def is_installed() -> bool:
    return find_spec("ddgs") is not None


def ask(query: str, count: int, key: str, url: str) -> SearchRequest:
    payload: dict[str, Any] = _engine().build_payload(query, "wt-wt", "moderate", None, 1)
    headers = (("Content-Type", "application/x-www-form-urlencoded"), ("User-Agent", _AGENT))
    return SearchRequest("POST", url, headers, urlencode(payload).encode())


def read(document: Document) -> Sequence[Hit]:
    page = str(document)
    if any(mark in page for mark in _CHALLENGE):
        raise SearchRefused(
            "it wants to know whether a person is searching: wait a while, or choose another provider"
        )
    engine = _engine()
    try:
        found = engine.post_extract_results(engine.extract_results(page))
    except Exception as error:  # whatever the parser raises for what is no page
        raise MalformedAnswer("the page cannot be read") from error
    if not found and "no-results" not in page and "No results" not in page:
        raise MalformedAnswer("there is neither a result nor the word that there is none")
    return make_hits((hit.title, _direct(hit.href), hit.body, "") for hit in found)


def _engine() -> Any:
    """The parser of `ddgs` without its HTTP client, which would bypass our guard."""
    try:
        from ddgs.engines.duckduckgo import Duckduckgo
    except ImportError:
        raise SearchRefused(f"the package ddgs, which reads its pages, is not there: {REMEDY}") from None
    return Duckduckgo.__new__(Duckduckgo)


def _direct(address: str) -> str:
    """The address of a result; DuckDuckGo wraps some in one of its own that counts clicks."""
    whole = f"https:{address}" if address.startswith("//") else address
    parts = urlsplit(whole)
    if parts.hostname in ("duckduckgo.com", "html.duckduckgo.com") and parts.path == "/l/":
        return parse_qs(parts.query).get("uddg", [""])[0]
    return whole


DUCKDUCKGO = SearchProvider(
    name="duckduckgo",
    url="https://html.duckduckgo.com/html/",
    key="",
    ask=ask,
    read=read,
    is_json=False,
    why_http={
        202: "it wants to know whether a person is searching: wait a while, or choose another provider",
        403: "it refused the search: wait a while, or choose another provider",
    },
)
