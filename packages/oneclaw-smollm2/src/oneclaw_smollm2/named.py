"""Files that a message names by a bare word, as `my diary`: they are looked for before the call is made.

The word stands in the request as a path with an ending of ours, `diary.somefile`, so that every rule and the
grammar read it as a file. A call with such a path is made after `find_files` has said which file it is.
"""

import re
from collections.abc import Mapping
from typing import Any

ENDING = ".somefile"
_KIND = r"(?:list|file|notes?|document|doc)"
_PAPERS = (
    r"(?:diary|journal|notes|to[- ]?do(?: list)?|todos|agenda|log|recipes?|report|letter|cv|resume|budget"
    r"|essay|homework"
    r"|invoice|contract|poem|story|(?:shopping|grocery|packing|reading|wish) list|groceries|shopping"
    r"|tasks|readme)"
)
_WORDS = r"[a-z][\w-]*(?: [a-z][\w-]*){0,2}?"
_MINE = r"(?:my|our)"
_NAME = rf"(?:(?:the|my|our|this|that) )?(?P<name>{_PAPERS}|{_WORDS}(?= {_KIND}\b))(?: {_KIND})?"
_SEE = (
    r"(?:read|open|view|display|print|cat|show|see|check|look at|look in|look into|have a look at"
    r"|take a look at|bring up|pull up)"
)
_CHANGE = r"(?:delete|remove|trash|erase|rename|move|copy|duplicate|back up|get rid of|throw away)"
_PUT = r"(?:add|put|append|write|jot(?: down)?|stick|note(?: down)?|include|save)"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?P<before>{_SEE}(?: me| out)? |{_CHANGE} ){_NAME}(?P<after>\Z| (?:to|into|as|in|back|again"
        rf"|for|aloud)\b.*)",
        rf"(?P<before>(?:read|open|view|print)(?: me| out)? |{_CHANGE}"
        rf" ){_MINE} (?P<name>{_WORDS})(?P<after>\Z| (?:to|as)\b.*)",
        r"(?P<before>(?:read|open|view|cat) )(?P<name>[a-z][\w-]+)(?P<after>)",
        rf"(?P<before>{_PUT} .+ (?:to|on|onto|into|in) ){_NAME}(?P<after>)",
        rf"(?P<before>(?:search|look) .+ in |search ){_NAME}(?P<after>\Z| for .+)",
        rf"(?P<before>what(?:'s| is| are| do i have| have i got)?(?: written| there)? (?:in|on"
        rf"|inside) ){_NAME}(?P<after>)",
        rf"(?P<before>(?:is|are) .+ (?:on|in) ){_NAME}(?P<after>)",
        rf"(?P<before>what(?:'s|s| is| does| do) ){_NAME}(?P<after> (?:say|says|contain|contains|about)\b.*)",
    )
)
_NO_FILE = re.compile(
    r"(?:an?|the|some|any|one|another|each|every|which|what|this|that|text|big|whole|entire"
    r"|files?|folders?|everything|it|them|all|mind|memor(?:y|ies)|history|names?|time|date|day|screen|computer"
    r"|inbox|calendar|weather|news|mails?|emails?|messages?|conversations?|chats?|web|internet|browser|app|website"
    r"|help|settings|out|up|me|something|anything|more|on|the .*|an? .*|to .*|page|terminal|door"
    r"|window|photos?"
    r"|pictures?|images?|videos?|music|favou?rite .*|.*(?:'s|called|named)\b.*|new|empty|new .*|text"
    r"|folder.*|list"
    r"|(?:first|second|third|last|next|other|same)(?: .*)?)",
    re.IGNORECASE,
)


def name_file(request: str) -> str:
    """The request with a bare word for a file given an ending; any other request as it is."""
    said = re.sub(r" (?:today|now|right now|at the moment)\Z", "", request.strip().rstrip(".?!"))
    bare = re.sub(r"\"[^\"]*\"|“[^”]*”|'[^']*'(?!\w)", "", said)
    if re.search(r"[\"“‘`:\n]|\w\.\w|/", bare):
        return request
    for form in _FORMS:
        found = form.fullmatch(said)
        if found is not None and (_is_paper(found["name"]) or not _NO_FILE.fullmatch(found["name"])):
            return f"{found['before']}{_stripped(found['name'])}{ENDING}{found['after']}"
    return request


def _is_paper(name: str) -> bool:
    return re.fullmatch(_PAPERS, name, re.IGNORECASE) is not None


def name_of_paper(words: str) -> str:
    """The name in words for a paper, as `shopping` in `shopping list`; empty where they mean no paper."""
    is_paper = re.fullmatch(rf"{_PAPERS}|{_WORDS} (?:list|file|document)", words, re.IGNORECASE)
    return _stripped(words) if is_paper else ""


def _stripped(name: str) -> str:
    return re.sub(r"[\s-]+", "_", re.sub(rf" {_KIND}\Z", "", name, flags=re.IGNORECASE))


def named_in(arguments: Mapping[str, Any]) -> tuple[str, str] | None:
    """The parameter whose file has to be looked for, and the word for it."""
    for parameter in ("path", "source"):
        value = arguments.get(parameter)
        if isinstance(value, str) and value.endswith(ENDING):
            return parameter, value.removesuffix(ENDING)
    return None


def pattern_for(word: str) -> str:
    """A pattern that finds the file: `to_do` finds todo.txt and To-Do.md."""
    letters = (f"[{char.lower()}{char.upper()}]" if at == 0 else char for at, char in enumerate(word.lower()))
    return f"*{''.join(letters).replace('_', '*')}*"


def choose_file(found: str, word: str) -> str | list[str]:
    """The one file that is meant, or all that may be; `found` is what `find_files` said."""
    paths = [line for line in found.splitlines() if line and not line.startswith("(")]
    same = [path for path in paths if _stem(path) == word.lower().replace("_", "")]
    if len(same) == 1 or len(paths) == 1:
        return (same if len(same) == 1 else paths)[0]
    return paths


def _stem(path: str) -> str:
    return re.sub(r"[\W_]", "", path.rpartition("/")[2].partition(".")[0]).lower()
