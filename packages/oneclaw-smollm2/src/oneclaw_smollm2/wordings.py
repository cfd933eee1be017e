"""Wordings that ask for a tool without one of its verbs in front, as questions do.

They are looked for in a message that is read with `""` for each quotation and `@` for each path.
"""

import re


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns))


_SHOW = (
    r"(?:show|see|open|get|gimme|give|tell|check|look|let me|bring up|pull up|hear|have a look|take a look"
    r"|go(?:ing)? over|know)"
)
_WHAT = r"(?:what|whats|what's|who|who's|when|when's|where|where's|which)"
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"

WORDINGS = {
    "write_file": _any(
        r"\b(?:append|appending|created?|jot|kept|saved?|stored?|write|written)\b",
        r"\b(?:add|drop|keep|put|stick|type)\b",
        r"\b(?:new|fresh) file\b",
        r"\bleave (?:a|the)\b",
        r"\bgoe?s? (?:in|into|to)\b",
        r"\b(?:have|let|make)\b.*\b(?:contain|hold|read|say)\b",
        r"\b(?:has to|must|should) (?:contain|hold|read|say)\b",
        r"\A(?:file|document)\b",
        r"\b(?:line|note|text) for\b",
        r"\b(?:build|make|produce|set up|start)\b.*\b(?:file|with|containing)\b",
        r"\bfile\b.*\b(?:containing|holding|saying|says|whose|with)\b",
    ),
    "memory_forget": _any(
        r"\b(?:clear|delete|discard|drop|erase|forget|forgot|lose|remove|scrap|wipe)\b",
        r"\bout of (?:your )?memory\b",
        r"\b(?:don't|do not|didn't|no longer|stop|any more|anymore|any longer)\b",
    ),
    "read_file": _any(
        rf"\b{_SHOW}\b.*@",
        r"\b(?:what|what's|whats|which|how)\b.*\b(?:in|inside|on|of|does|do|say|says|has|written|read)\b.*@",
        r"@.*\b(?:say|says|contain|contains|read|show|look|see|hold)\b",
        r"\b(?:contents?|text|first line|last line|lines?) of @",
        r"\b(?:read|run me through|take me through|recap of)\b.*@",
    ),
    "list_files": _any(
        rf"\b(?:{_SHOW}|list|what|whats|what's|which|how many|any|anything|everything|are there|is there)\b"
        r".*\b(?:files?|file-wise|folders?|director(?:y|ies)|documents?|workspace|here|lying|sitting|stored)\b",
        r"\b(?:do i have|have i got|overview)\b.*\b(?:files?|folders?|documents?|stored)\b",
        r"\b(?:what's|whats|what is|what have (?:i|we) got|anything|everything)\b"
        r".*\b(?:in|under|inside)\b.*(?:@|folder|directory)",
        r"\A(?:ls|dir|files)\b",
        r"\Awhat(?:'s|s| is| have (?:i|we) got| do (?:i|we) have)(?: there)? (?:in|inside"
        r"|under) (?:my |the |our )?\w+\Z",
    ),
    "find_files": _any(
        r"\b(?:find|locate|where|whereabouts|look(?:ing)? for|search|any|is there|do i have|have i got)\b",
        r"\b(?:which|dig out|track (?:it )?down|files? (?:called|named))\b",
    ),
    "search_text": _any(
        r"\b(?:search|grep|look for|hunt(?:ing)? for|find|mentions?|mentioned|contains?|containing)\b",
        r"\b(?:says? (?:any|some)thing|talks? about|ever written|the lines?|(?:at )?which lines?)\b",
        r"\b(?:have|has) the word\b|\b(?:occurs?|appears?)\b",
    ),
    "http_request": re.compile(r"."),  # whatever is to become of a page, it is asked for first
    "get_current_time": _any(
        r"\bwh?at(?:'s| is)? (?:the )?(?:current |local )?(?:time|date|day|hour|weekday)\b"
        r"(?! (?:does|do|did|will|should|can|are|zone))",
        r"\b(?:the )?(?:current|local|exact) (?:time|date)\b",
        r"\btime (?:is it|now|right now|in|at|over|there|here)\b",
        r"\b(?:tell|give|show|know|gimme) (?:me )?(?:the )?(?:time|date|hour|day)\b",
        r"\btoday'?s date\b|\bdate today\b|\bwhat(?:'s| is) today\b",
        r"\b(?:which|what) weekday\b|\b(?:which|what) day\b(?! (?:does|do|did|will|should))",
        rf"\bday (?:is it|of the week)\b|\bis it (?:still |already )?{_DAY}\b",
        r"\bat this hour\b|\bhow late is it\b|\bclock there\b|\bat the moment\b|\bwhat is it in\b",
        r"\A(?:the )?(?:time|date)\b",
    ),
    "memory_store": _any(
        r"\b(?:remember|memori[sz]e|in mind|mental note|note that|commit to memory|learn that)\b",
        r"\b(?:don't|do not|never) (?:ever )?forget\b",
        r"\b(?:hold on to that|for future reference|should know)\b",
    ),
    "memory_search": _any(
        r"\b(?:remember|recall|your memory|know about me|i (?:told|gave) you)\b",
        r"\b(?:do|can) you (?:know|remember) (?:my|where|when|what|who)\b",
        r"\A(?:what's|whats|what is) (?:the|our) .*\b(?:code|password|passcode|pin|combination|wi-?fi"
        r"|licen[cs]e plate)\b",
        r"\bwhat did i (?:tell|say to) you\b",
        r"\bremind me (?:what|who|when|where|which|how)\b",
        r"\bdid i (?:ever )?(?:tell|say|mention)\b",
        rf"\A(?:(?:do|can) you know |any idea |tell me )?{_WHAT}(?: is| are| was| were| did| do| does)?\b"
        r".*\b(?:my|again|i gave you)\b",
        r"\A(?:where|when) (?:do|did|am|was) i\b",
    ),
}
PROSE = re.compile(
    r"\b(?:write|compose|draft|create|make|generate|give me|tell me|invent|think of|come up with)\b"
    r" (?:me |us )?(?:an? |some |the |another )?(?:\S+ ){0,3}?"
    r"(?:poems?|story|stories|essay|song|lyrics|rap|limerick|haiku|jokes?|riddle|article|speech|novel|script"
    r"|program|function|code|class|regex|query|e-?mail|letter|cv|resume|summary|ideas|recipe|plan|caption|tweet"
    r"|(?:list|table|overview|summary) of (?:my|the|all|every)|blog(?: ?post)?|review|slogan|something)\b"
)
"""A text that somebody would have to think of."""
UNSEEN = re.compile(
    r"\bfiles?\b.*\b(?:modified|changed|created|edited|older|newer|larger|bigger|smaller|recent)\b"
)
"""Files by a property that no tool can look for."""
PLACED = re.compile(
    r"\bat the (?:top|beginning|start|front)\b|\b(?:first|on top) (?:in|of|on)\b|\b(?:before|after) line\b"
)
"""A place within a file, where no tool can write."""
QUESTION = re.compile(
    r"(?:how|what|what's|why|when|where|who|which|did|do|does|is|are|was|were|has|should|can|could|may)\b"
)
