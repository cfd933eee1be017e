"""The request in a message: polite words left out, typing mistakes mended, and its verb put first."""

import re

_POLITE = "|".join(
    (
        r"oh no|oh|oops|hey|hi|hello|ok|okay|so|now|then|also|and|just|well|first|next|finally"
        r"|afterwards|after that",
        r"please|plz|pls|kindly|quickly|maybe|perhaps|oneclaw|try to|go on and|go ahead(?: and)?"
        r"|feel free to",
        r"(?:alexa|siri|google|bot|computer|assistant|dude|bro|buddy|mate|friend)(?=[ ,!])",
        r"uh+|um+|hm+|actually|ah|yes|yeah|sure|great|perfect|thanks|thank you|(?:no,? )?wait"
        r"|no(?=[,.!])|hang on",
        r"let's|lets|let us|help me(?: to)?|are you able to|(?:would|do) you mind|do me a favou?r and",
        r"(?:can|could|would|will|can't|won't) (?:you|u)|is there (?:a|any) way to",
        r"i(?: was)? wonder(?:ing)? if you could|(?:is|would) it (?:be )?possible(?: for you)? to",
        r"(?:can|could|may) i (?:ask|get) you to|(?:i|we) (?:want|need|wish|have|ought)(?: you)? to",
        r"(?:i'd|i would|we'd|id) (?:(?:like|love)(?: you)? to|appreciate it if you could)",
        r"(?:i|we|you) (?:should|must|can|may)|make sure (?:to|you)|(?:be so|be) (?:kind"
        r"|good)(?: enough)?(?: as)? to",
        r"i'd be glad if you|it would be (?:nice|great|good) (?:to|if you could)",
        r"let me(?= (?:see|look|read|have a look))|(?:could|may|can) i(?= see)",
        r"(?:tell me|show me|do you know|i (?:want|need) to know)(?= (?:what|where|which|who|when|how)\b)",
    )
)
_CLAUSES = (
    r"(?:if|when|whenever|once) (?:it's|it is|that's|that is|you|possible|convenient)\b[^,.!?\"]{0,45}?"
    r"(?:trouble|mind|time|moment|minute|sec|second|possible|ok|okay|can|could|convenient|free|ready|chance)",
    r"(?:i'm |i am )?sorry\b[^,.!?\"]{0,40}",
    r"(?:i )?(?:didn't|did not) mean (?:that|it|to)[^,.!?\"]{0,30}",
    r"excuse me",
    r"dear \w+(?: \w+)?",
    r"good (?:morning|afternoon|evening|day)(?: \w+)?",
    r"(?:hi|hello|hey|thanks|thank you) \w+",
)
LEAD = re.compile(rf'(?:(?:@|""|{_POLITE}) )+')
"""Polite words in front of a request that is read with signs for paths and quotations."""
_LEAD = re.compile(
    rf"(?:(?:{_POLITE})\b(?!\.\w)[,.!:]*\s+|(?:{'|'.join(_CLAUSES)})[,.!:;]\s+(?:but\s+|and\s+)?)+",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?:[,.!?]?\s+(?:please|pls|plz|thx|ty|cheers|for me|if (?:you can|possible|you don't mind)"
    r"|when you can|right now|now"
    r"|asap|mate|buddy|ok|okay|will you|would you|could you|can you|again|instead|then|too|as well"
    r"|(?:many )?thank(?:s| you)(?: a lot| so much| very much| in advance)?))+[.!?]*\Z",
    re.IGNORECASE,
)
_WHY = re.compile(
    r"[,.;]?\s+(?:because\s+|since\s+|as\s+)?i\s+(?:don't|do not|dont|no longer|never)\s+(?:need|want"
    r"|use|like)"
    r"\s+(?:it|that|them|this)(?:\s+any\s?more|\s+any\s+longer)?[.!?]*\Z",
    re.IGNORECASE,
)
"""A reason after a request, which changes nothing of it."""
_HOW = re.compile(
    r"(?:how (?:do|can|would|could|should|to)(?: (?:i|we|you|one))?|what is the way to) (?!you\b)",
    re.IGNORECASE,
)
_VERBS = [
    "rename",
    "move",
    "copy",
    "delete",
    "remove",
    "replace",
    "change",
    "restore",
    "duplicate",
    "trash",
    "erase",
]
_GERUNDS = {
    f"{verb.removesuffix('e')}ing": verb
    for verb in (*_VERBS, "make", "create", "read", "show", "open", "list")
}
_PAST = {
    **{f"{verb.removesuffix('e')}ed": verb for verb in _VERBS},
    "copied": "copy",
    "gone": "delete",
    "back": "restore",
}
_THING = r"(?P<thing>(?:[^.,;:?!]|\.(?=\w)){1,60}?)"
_DONE = rf"(?P<verb>{'|'.join(_PAST)})\b(?P<rest>.*)"
_PASSIVES = tuple(
    re.compile(rf"{form}\s+{_DONE}", re.IGNORECASE | re.DOTALL)
    for form in (
        rf"(?:could|would)\s+{_THING}\s+be",
        rf"(?:i|we)(?:\s+(?:want|need|wish)|(?:\s+would|'d)\s+like)\s+(?:to\s+have\s+)?{_THING}(?:\s+to\s+be)?",
        rf"(?:get|have)\s+{_THING}",
        rf"{_THING}\s+(?:should|must|needs?\s+to|has\s+to|ought\s+to)\s+be",
    )
)
_ASKS_WHETHER = re.compile(r"(?:could|would)\b.*\bbe (?:deleted|removed|erased|trashed)\b", re.IGNORECASE)
"""A question that may only ask whether it is possible: nothing is deleted for it."""
_WISH = re.compile(
    r"(?:(?:i|we)(?: want| need|(?: would|'d) like)|(?:can|could|may) (?:i|we) (?:have|get)|(?:give|get) me)"
    r" (?=(?:an?|another) (?:(?:new|empty|blank|text) )*(?:file|folder|directory|note|document)\b)",
    re.IGNORECASE,
)
_NOTE = re.compile(
    r"(?:(?:take|make|leave|write)(?: me)? an?(?: \w+)? note(?: to self)?|new note|note(?: down| to self)?"
    r"|jot down|keep in mind|don't forget|do not forget"
    r"|for (?:future reference|the record|your information)|fyi|memo)(?:\s*[:,]|,? that)\s*(?=\S)",
    re.IGNORECASE,
)
"""`Note: …` asks to remember, unless a file is named."""
_SHORTHAND = {
    "whats": "what's",
    "wats": "what's",
    "wat": "what",
    "wheres": "where's",
    "plese": "please",
    "pleas": "please",
    "gimme": "give me",
    "lemme": "let me",
    "wanna": "want to",
}


_LITTLE = frozenset(
    [
        "file",
        "files",
        "folder",
        "called",
        "named",
        "time",
        "date",
        "what",
        "where",
        "which",
        "please",
        "with",
        "text",
        "content",
    ]
)
"""Words that are mended anywhere before the first name."""
_LEADING = re.compile(
    r"(?:can|could|would|will|you|u|please|hey|hi|hello|ok|okay|i|want|need|to|would|like|id|i'd|me|just|now|and|then|so|the|also)"
    r"[,.!]*",
    re.IGNORECASE,
)


def bare_request(text: str) -> str:
    """A request without its polite words, as an order: `could you read a.txt, please?` is `read a.txt`."""
    said = text.strip().replace("’", "'")
    lead = _LEAD.match(said)
    rest = said[lead.end() if lead else 0 :]
    if not re.search(r":\s", rest):
        rest = _TAIL.sub("", _WHY.sub("", rest))  # after a colon it may be what to write
    note = _NOTE.match(rest)
    if note is not None and not re.search(r"\w\.\w", rest):
        return f"remember that {rest[note.end() :]}"
    rest = _WISH.sub("make ", rest, count=1)
    for form in _PASSIVES:
        found = form.match(rest)
        if found is not None and not _ASKS_WHETHER.match(rest):
            return f"{_PAST[found['verb'].lower()]} {found['thing']}{found['rest']}"
    first, space, more = rest.partition(" ")
    return f"{_GERUNDS.get(first.lower(), first)}{space}{more}"


def asked_how(text: str) -> str:
    """The request that a question asks the way of: `How do I rename a.txt?` is about `rename a.txt`."""
    found = _HOW.match(text.strip())
    return text.strip()[found.end() :].rstrip("?.! ") if found else ""


def fix_typos(text: str, verbs: frozenset[str]) -> str:
    """The text with its verb mended, and the little words before its first name, quotation or number."""
    words = text.split(" ")
    known = verbs
    for at, word in enumerate(words[:6]):
        if re.search(r"[\d\"“'`:./]\w", word):
            break
        core = word.rstrip(",.?!").lower()
        if core in _SHORTHAND:
            words[at] = _SHORTHAND[core] + word[len(core) :]
        elif len(core) > 3 and core.isalpha() and core not in verbs | _LITTLE:
            near = [key for key in known | _LITTLE if _is_typo(core, key)]
            words[at] = near[0] + word[len(core) :] if len(near) == 1 else word
        if not _LEADING.fullmatch(words[at]):
            known = frozenset[str]()  # the verb has passed: what comes now is what it is about
    return " ".join(words)


def _is_typo(word: str, key: str) -> bool:
    """Whether two letters are swapped, one is missing or doubled, or, in a long word, one is wrong."""
    if word in _wrong_forms(key):
        return True
    if len(key) < 6 or word[0] != key[0]:
        return False
    if len(word) == len(key):
        return sum(a != b for a, b in zip(word, key, strict=True)) == 1
    return len(word) == len(key) + 1 and key in {word[:at] + word[at + 1 :] for at in range(1, len(word))}


def _wrong_forms(key: str) -> set[str]:
    swapped = {key[:at] + key[at + 1] + key[at] + key[at + 2 :] for at in range(len(key) - 1)}
    missing = {key[:at] + key[at + 1 :] for at in range(1, len(key))}
    doubled = {key[: at + 1] + key[at:] for at in range(len(key))}
    return (swapped | missing | doubled) - {key, f"{key}s", key.removesuffix("s"), key.removesuffix("d")}
