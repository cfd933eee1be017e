"""Protocol of search providers."""

import html
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

Document = Any
"""The body of an answer: read from JSON, or the text of a page."""

TITLE_CHARS = 200
TEXT_CHARS = 500
MOST_HITS = 20
QUERY_CHARS = 1_000
# Markup that providers set around the words that were found; `List<String>` is text.
_TAG = re.compile(r"</?(?:b|strong|em|i|mark|span|br|p|a|wbr)(?:[\s/][^<>]{0,200})?>", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?![\d-])")


class MalformedAnswer(Exception):
    """An answer that is not as the provider documents it; the text says what is missing."""


class SearchRefused(Exception):
    """An answer that says why there are no results; the text is a sentence of ours."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One request to a provider."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing that was found."""

    title: str
    url: str
    text: str
    date: str = ""


@dataclass(frozen=True, slots=True)
class SearchProvider:
    """A place that searches the web.

    url          where it is asked, unless the owner names another address
    key          the name of the secret that holds its key; empty where none is needed
    ask          query, count, key and url → the request
    read         the body → what was found; raises `MalformedAnswer`, or `SearchRefused`
    is_json      whether the body is JSON
    why_http     what a status means here that other providers use otherwise
    query_chars  the longest query it takes, and
    query_words  the most words of one
    """

    name: str
    url: str
    key: str
    ask: Callable[[str, int, str, str], SearchRequest]
    read: Callable[[Document], Sequence[Hit]]
    is_json: bool = True
    why_http: Mapping[int, str] | None = None
    query_chars: int = QUERY_CHARS
    query_words: int = QUERY_CHARS


def rows(document: Document, *path: str) -> list[Mapping[str, Any]]:
    """The list of objects at the end of a path of names; raises `MalformedAnswer` naming it."""
    found = document
    for name in path:
        if not isinstance(found, dict) or name not in found:
            raise MalformedAnswer(f"it has no {'.'.join(path)}")
        found = cast(dict[str, Any], found)[name]
    if not isinstance(found, list):
        raise MalformedAnswer(f"its {'.'.join(path)} is not a list")
    items = cast(list[Any], found)
    return [cast(dict[str, Any], item) for item in items if isinstance(item, dict)]


def make_hits(found: Iterable[tuple[Any, Any, Any, Any]]) -> list[Hit]:
    """Title, address, text and date of each, made plain; what has no web address is left out, twins too."""
    hits: dict[str, Hit] = {}
    for title, url, text, date in found:
        if isinstance(url, str) and re.match(r"https?://[^\s<>\"]+\Z", url, re.IGNORECASE):
            day = _DATE.match(date) if isinstance(date, str) else None
            hit = Hit(plain(title, TITLE_CHARS), url, plain(text, TEXT_CHARS), day[0] if day else "")
            hits.setdefault(url, hit)
    return list(hits.values())


def plain(text: Any, chars: int) -> str:
    """Text without markup in one line, at most so many characters."""
    if not isinstance(text, str):
        return ""
    line = " ".join(html.unescape(_TAG.sub("", text[: 20 * chars])).split())
    return line if len(line) <= chars else line[: chars - 1].rstrip() + "…"
