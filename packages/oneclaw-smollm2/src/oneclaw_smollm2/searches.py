"""Requests to look for something, read by rule: in files, in memory, in conversations, on the web."""

import re
from collections.abc import Callable, Mapping

from oneclaw_smollm2.call import Ruled
from oneclaw_smollm2.message import looks_like_path
from oneclaw_smollm2.named import name_of_paper, pattern_for

_FILES = r"(?:files?|documents?|notes?|texts?|folders?|docs?|workspace)"
_ALL_FILES = (
    rf"(?:(?:an?|any|all|each|every|some|one|which|what)(?: of)?(?: (?:my|the|our|these))?|my|the|our"
    rf"|these) {_FILES}"
)
_HOLDS = (
    r"(?:mentions?|contains?|includes?|ha(?:s|ve)(?: the words?)?|says?(?: anything about)?|(?:talks?"
    r"|speaks?|is|are|say (?:something|anything)) about"
    r"|(?:the|with the) words?)"
)
_WORD = r"(?:the )?(?:words?|text|phrase|string|name|term)? ?"
_Q = rf"{_WORD}(?P<query>\"[^\"]+\"|“[^”]+”|'[^']+'|.+?)"
_WHERE = rf"(?: (?:in|through|inside|across|within) (?:{_ALL_FILES}|everything|here|this folder|all files))?"
_PLACE = r"(?:the )?(?:file |folder )?(?P<place>\S+)"
_SEEK = r"(?:search|look|grep|hunt|scan|check|go through)"
_IN_FILES = (
    rf"{_ALL_FILES} (?:that )?{_HOLDS} {_Q}",
    rf"(?:do|does|is|are)(?: there| i have)? {_ALL_FILES} (?:that |where |in which )?{_HOLDS} {_Q}",
    rf"in (?:which|what) {_FILES} (?:is|are|do|does|did i) .*?(?:mention|write about|say|find) {_Q}",
    rf"where (?:did|do|have) i (?:write|written|mention|mentioned|note|noted)(?: down"
    rf"| something)?(?: about)? {_Q}",
    rf"where (?:is|are) {_Q} mentioned{_WHERE}",
    rf"{_SEEK} (?:through |in )?(?:{_ALL_FILES}|everything|here) for {_Q}",
    rf"{_SEEK} (?:in |through )?{_PLACE} for {_Q}",
    rf"(?:{_SEEK}(?: for)?|find) {_Q} (?:in|inside) {_PLACE}",
    rf"(?:is|does|do|are)(?: there)?(?: any| some)? {_Q} (?:on|in|mentioned in|appear in|occur in"
    rf"|come up in) (?:{_ALL_FILES}|{_PLACE})",
    rf"(?:does|do) {_PLACE} {_HOLDS} {_Q}",
    rf"(?:search|look|grep|hunt) for {_WORD}{_Q}{_WHERE}",
    rf"(?:find|show)(?: me)? (?:all |every |the )?(?:lines?|places?|sentences?) (?:with|that (?:have"
    rf"|contain|mention|say)s?|containing|mentioning|about) {_Q}(?: in {_PLACE})?",
)
_FILE_WITH = (
    rf"(?:(?:find|show|list|get|give)(?: me)? )?(?:{_ALL_FILES}|files?) (?:with|having|containing"
    rf"|that (?:have|has|contain|mention)s?|mentioning)"
    rf" {_Q}(?: (?:in|inside) (?:it|them))?",
)
_NO_WORDS = re.compile(
    rf"(?:{_ALL_FILES}|(?:\S+ )?{_FILES}(?: .*)?|it|that|this|something|anything|.*\b(?:online"
    rf"|internet|web|google|chats?|conversations?|history|memor(?:y|ies))\b.*|.*[*].*)",
    re.IGNORECASE,
)
"""What is no word to look for in files: a kind of file, or another place to look in."""
_TALKS = r"(?:conversations?|chats?|history|messages?|discussions?|talks?)"
_TALKED = (  # but not `told you`, which asks for a memory
    r"(?:said|say|talk(?:ed)?|spoke|spoken|speak|mention(?:ed)?|discuss(?:ed)?|chat(?:ted)?"
    r"|ask(?:ed)?(?: you)?|wr[io]te|written)"
)
_LATELY = r"(?:(?:earlier|before|last time|previously|ever|just) )?"
_HISTORY = (
    rf"what (?:did|have) (?:i|we|you) {_LATELY}{_TALKED} {_LATELY}(?:about )?(?P<query>.+?)",
    rf"(?:search|look through|look in|go through|check) (?:(?:my|our|the|your|past|earlier|old"
    rf"|previous|all) )*{_TALKS} (?:for|about) (?P<query>.+?)",
    rf"(?:find|show|search|search for|look for|get|open)(?: me)? (?:(?:my|our|the|your|an?|past"
    rf"|earlier|old|previous|all|that|any) )*{_TALKS}"
    rf" (?:where|in which|when|about|with|for|on|that mention(?:s|ed)?|mentioning|from)(?: (?:i|we"
    rf"|you))?(?: {_TALKED})?(?: about)? (?P<query>.+?)",
    rf"(?:have|did) (?:i|we) {_LATELY}(?:talk(?:ed)?|sp[oe]ak(?:en)?|spoke|chat(?:ted)?|discuss(?:ed)?"
    rf"|mention(?:ed)?)"
    r" (?:about )?(?P<query>.+?)(?: (?:before|earlier|already))?",
    rf"when did (?:i|we) {_LATELY}{_TALKED} (?:about )?(?P<query>.+?)",
)
_ALL_MEMORIES = (
    r"(?:what|anything)(?: else)? (?:do|can|did) you (?:remember|know)(?: (?:about|of) me)?(?: so far)?",
    r"(?:do|can) you (?:remember|know) (?:me|anything|something|stuff)(?: (?:about|of) me)?",
    r"what have you (?:remembered|memori[sz]ed|stored|saved)(?: (?:about|for) me)?",
    r"(?:show|list|tell|give)(?: me)? (?:all )?(?:of )?(?:my|your|the) memor(?:y|ies)|what(?:'s"
    r"| is) in your memory",
    r"(?:show|list|tell)(?: me)? (?:everything|all|what) you (?:remember|know)(?: about me)?",
)
_RECALL = (
    r"(?:do you (?:know|remember) )?(?:what|when|where|who)(?:'s|s| is| are| was"
    r"| were) my (?P<query>.+?)(?: again| called)?",
    r"do you (?:know|remember) my (?P<query>.+?)",
)
_WEB = (
    r"(?:search|look) (?:on |in )?(?:the )?(?:web|internet|online|google) (?:for|about) (?P<query>.+?)",
    r"(?:search|look up|find) (?P<query>.+?) (?:on the (?:web|internet)|online|on google)",
    r"google (?:for )?(?P<query>.+?)",
)
_FIND_ONE = (
    r"(?:does|do) (?:the file |a file called )?(?P<path>\S+) exist",
    r"(?:is|are) there (?:a |an |any )?(?:file )?(?:called |named )?(?P<path>\S+)(?: here| in here"
    r"| in this folder)?",
    r"(?:where(?:'s| is| are)|where did i (?:put|save|store)|find|locate|look for"
    r"|do i have) (?:me )?(?:my|the|our)"
    r" (?P<word>[a-z][\w-]*(?: (?:list|file|document))?)",
)
_END = r"(?: (?:please|somewhere|anywhere|at all))*\s*[.!?]*"


def read_search(request: str) -> Ruled | None:
    """The call that a request to look for something asks for; None where no rule fits it."""
    said = " ".join(request.split())
    for rows, read in _RULES:
        for row in rows:
            found = re.fullmatch(row + _END, said, re.IGNORECASE)
            ruled = read(found.groupdict()) if found is not None else None
            if ruled is not None:
                return ruled
    return None


def _read_text(parts: Mapping[str, str | None]) -> Ruled | None:
    query, place = _plain(parts.get("query")), (parts.get("place") or "").strip("\"'").rstrip(".,?!")
    is_kind = _NO_WORDS.fullmatch(query) is not None and not _is_quoted(parts.get("query"))
    if not query or is_kind or looks_like_path(query) or (place and not looks_like_path(place)):
        return None
    where = {"path": place} if place else {}
    return Ruled(
        "search_text",
        "search",
        {"pattern": re.escape(query).replace("\\ ", " "), **where, "ignore_case": True},
    )


def _read_file_name(parts: Mapping[str, str | None]) -> Ruled | None:
    """A file that is looked for by its name, or by a word for such papers as a diary."""
    path, word = (parts.get("path") or "").strip("\"'").rstrip("?"), parts.get("word") or ""
    if path:
        return Ruled("find_files", "find", {"pattern": path}) if looks_like_path(path) else None
    name = name_of_paper(word)
    return Ruled("find_files", "find", {"pattern": pattern_for(name)}) if name else None


def _read_history(parts: Mapping[str, str | None]) -> Ruled | None:
    """What was written in a file was not said in a conversation."""
    query = _plain(parts.get("query"))
    is_file = any(looks_like_path(word) for word in query.split())
    return None if is_file else Ruled("search_history", "search", {"query": query})


def _read_memory(parts: Mapping[str, str | None]) -> Ruled | None:
    """What somebody's own is: it is known only if it was remembered."""
    query = _plain(parts.get("query"))
    is_file = any(looks_like_path(word) for word in query.split()) or re.search(
        rf"\b{_FILES}\b", query, re.IGNORECASE
    )
    return None if is_file else Ruled("memory_search", "recall", {"query": query})


def _read_web(parts: Mapping[str, str | None]) -> Ruled:
    return Ruled("web_search", "search the web", {"query": _plain(parts.get("query"))})


def _is_quoted(query: str | None) -> bool:
    return (query or "")[:1] in ("“", '"', "'")


def _plain(query: str | None) -> str:
    return (query or "").strip().rstrip(".,!?").strip("\"“”'")


_RULES: tuple[tuple[tuple[str, ...], Callable[[Mapping[str, str | None]], Ruled | None]], ...] = (
    (_ALL_MEMORIES, lambda parts: Ruled("memory_search", "recall", {"query": ""})),
    (_WEB, _read_web),
    (_HISTORY, _read_history),
    (_IN_FILES, _read_text),
    (_FILE_WITH, _read_text),
    (_FIND_ONE, _read_file_name),
    (_RECALL, _read_memory),
)
