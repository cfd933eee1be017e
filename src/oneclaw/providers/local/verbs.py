"""The verb of a request, and the tools that do what it asks for: no other tool is called in their place.

A request is read with `""` for each quotation and `@` for each path: `write "move the car" to a.txt` is
`write "" to @`, and asks to write. A tool that is not in the table does the verbs of its name and its
description, and those of the same act: a tool `rename_file` is called for `rename` as soon as there is one.
"""

import re
from collections.abc import Iterator, Sequence

from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.local.message import Message, read_message, speaks_of, stems
from oneclaw.providers.local.models import EMBEDDED_TOOLS
from oneclaw.providers.local.parameters import first_sentence, read_parameters

_TABLE: tuple[tuple[str, str], ...] = (
    (
        "write_file",
        "append compose create draft jot overwrite pen scribble write"
        " replace(?=(?:_(?:all|contents?|everything|file|in|is|of|text|the|what|what's|whole))*_@_with)",
    ),
    (
        "write_file memory_store",
        "add(?!_up) capture enter keep log note put record save stash stick store type",
    ),
    ("write_file memory_forget", "drop"),
    (
        "edit_file memory_store",
        "adjust amend change correct edit fix improve insert modify patch prepend replace revise rewrite"
        " set(?!_up) substitute swap update",
    ),
    ("memory_forget", "clear delete discard erase forget get_rid_of remove scrap throw_away trash wipe"),
    ("http_request", "email post send share upload"),
    ("", "rename"),
    ("", "move relocate"),
    ("", "archive back_up backup copy duplicate paste"),
    ("", "compress decompress extract unzip zip"),
    ("", "convert export format reformat transcribe turn(?=.*_into)"),
    ("", "combine merge split"),
    ("", "clean reorder resize reverse rotate sort tidy"),
    ("", "crop minify shorten shrink truncate"),
    ("", "decrypt encrypt redact"),
    ("", "proofread sum_up summarise summarize translate"),
    ("", "execute install run(?!_me)"),
    ("", "restore undo"),
)
"""Acts: the tools that do each, and the verbs that ask for it."""
_DONE_BY = {verb: tools.split() for tools, verbs in _TABLE for verb in verbs.split()}
_ALIKE = {verb: verbs.split() for _, verbs in _TABLE for verb in verbs.split()}
_GATED = ("write_file", "edit_file", "memory_forget")
"""Tools that destroy something when they are called in place of others: only their verbs lead to them."""
_WORDINGS = {
    "write_file": re.compile(
        r"""\b(?: append | appending | created? | jot | kept | saved? | stored? | write | written )\b
        | \b(?: add | drop | keep | put | stick | type )\b | \b(?: new | fresh )[ ]file\b
        | \bleave[ ](?: a | the )\b | \bgoe?s?[ ](?: in | into | to )\b
        | \b(?: have | let | make )\b .* \b(?: contain | hold | read | say )\b
        | \b(?: has[ ]to | must | should )[ ](?: contain | hold | read | say )\b
        | \A(?: file | document )\b | \b(?: line | note | text )[ ]for\b
        | \b(?: build | make | produce | set[ ]up | start )\b .* \b(?: file | with | containing )\b
        | \bfile\b .* \b(?: containing | holding | saying | says | whose | with )\b""",
        re.VERBOSE,
    ),
    "memory_forget": re.compile(
        r"""\b(?: clear | delete | discard | drop | erase | forget | forgot | lose | remove | scrap | wipe )\b
        | \bout[ ]of[ ](?: your[ ])?memory\b
        | \b(?: don't | do[ ]not | didn't | no[ ]longer | stop | any[ ]more | anymore | any[ ]longer )\b""",
        re.VERBOSE,
    ),
}
"""What asks for a tool without one of its verbs in front."""
_POLITE = (
    *(
        "@",
        '""',
        "oh",
        "hey",
        "hi",
        "hello",
        "ok",
        "okay",
        "so",
        "now",
        "then",
        "also",
        "and",
        "just",
        "please",
    ),
    *("kindly", "quickly", "maybe", "perhaps", "first", "next", "finally", "afterwards", "oneclaw", "try to"),
    *("go ahead(?: and)?", "feel free to", "let's", "lets", "let us", "help me(?: to)?", "are you able to"),
    *("(?:would|do) you mind", "(?:can|could|would|will) (?:you|u)", "is there (?:a|any) way to"),
    *("(?:is|would) it (?:be )?possible(?: for you)? to", "(?:can|could|may) i (?:ask|get) you to"),
    *("(?:i|we) (?:want|need|wish|have|ought)(?: you)? to", "(?:i'd|i would|we'd) (?:like|love)(?: you)? to"),
    *("(?:i|we|you) (?:should|must|can|may)", "make sure (?:to|you)", "be so (?:kind|good)(?: as)? to"),
    *("i'd be glad if you", "it would be (?:nice|great|good) to"),
)
_LEAD = re.compile(rf"(?:(?:{'|'.join(_POLITE)}) )+")
_OBJECT = re.compile(
    rf"(?:{_LEAD.pattern})?(?:add|append|drop|keep|put|save|stash|stick|store|write) "
    r"(?:(?:the|my|this|that|file) )*@"
    r'(?!.*(?:""|\b(?:as follows|containing|reading|saying|says|that|with)\b))'
)
_QUESTION = re.compile(
    r"(?:how|what|what's|why|when|where|who|which|did|do|does|is|are|was|were|has|should|can|could|may)\b"
)
_WANTED = r"\b(?:be|being|get|gets|have|is|like|must|need|needs|see|should|to|want|wants) (?:\S+ ){0,3}?"


def request_verb(message: Message) -> str:
    """The verb a message begins with after its polite words, or has as `I want it renamed`; else empty."""
    said = _said(message)
    lead = _LEAD.match(said)
    found = _HEAD.match(said, lead.end() if lead else 0)
    if found is None:
        found, wording = _PASSIVE.search(said), _WORDINGS["write_file"].search(said)
        if found is None or (wording is not None and wording.start() < found.start()):
            return ""
    return next(_VERBS[int(name[1:])] for name, text in found.groupdict().items() if text)


def may_call(tool: str, message: Message) -> bool:
    """Whether a message asks for a tool that would do harm when called for something else."""
    if tool not in _GATED:
        return True
    verb = request_verb(message)
    if verb:
        return tool in _DONE_BY[verb]
    said = _said(message)
    wording = _WORDINGS.get(tool)
    is_question = _QUESTION.match(said) and not _LEAD.match(said)
    return wording is not None and not is_question and wording.search(said) is not None


def is_file_itself(text: str) -> bool:
    """Whether a file is what something is to be done with, and no text is given: `put a.txt in the bin`."""
    return ":" not in text and _OBJECT.match(_said(read_message(text))) is not None


def undone_verb(message: Message, tools: Sequence[ToolDefinition]) -> str:
    """The verb of a request that none of the tools does; empty where one may."""
    verb = request_verb(message)
    if not verb or any(_does(tool, verb, message) for tool in tools):
        return ""
    return plain(verb)


def all_verbs(beside: str = "") -> Iterator[str]:
    """The verbs of the table, as a person writes them; without those that ask for the tool `beside`.

    `forget` is left out: `don't forget that` asks to remember.
    """
    return (plain(verb) for verb, tools in _DONE_BY.items() if beside not in tools and verb != "forget")


def plain(verb: str) -> str:
    return verb.partition("(")[0].replace("_", " ")


def _does(tool: ToolDefinition, verb: str, message: Message) -> bool:
    if tool.name not in _KNOWN:
        words = stems(f"{tool.name} {tool.description}".replace("_", " "))
        is_told = any(plain(each)[:5] in words for each in _ALIKE[verb])
        return is_told or speaks_of(tool.name, first_sentence(tool.description), message)
    kinds = {each.kind for each in read_parameters(tool) or []}
    if message.urls and "url" in kinds:
        return True  # whatever is to become of a page, it is asked for first
    if tool.name not in _DONE_BY[verb]:
        return False
    # Whoever deletes a file means no memory of that name.
    names_file = bool(message.paths) or re.search(r"\b(?:files?|folders?)\b", message.bare, re.IGNORECASE)
    return not names_file or bool(kinds & {"path", "folder"})


def _said(message: Message) -> str:
    words = (each for each in message.pieces if any(map(str.isalnum, each.text)))
    marks = ('""' if each.is_quoted else "@" if each.text in message.paths else each.text for each in words)
    return " ".join(marks).lower().replace("’", "'")


def _form(number: int, verb: str, *, is_passive: bool) -> str:
    """The forms of a verb as a group of its number: to rename and renaming, or renamed."""
    said, guard = plain(verb), "".join(verb.partition("(")[1:]).replace("_", " ")
    first, _, rest = said.partition(" ")
    stem, last = first.removesuffix("e"), first[-1]
    doubled = "" if last == "e" else f"{last}?"
    if is_passive:
        forms = rf"{first[:-1]}ied" if last == "y" else rf"{stem}{doubled}ed"
    else:
        forms = rf"(?:{first}|{stem}{doubled}ing)"
    return rf"(?P<v{number}>{forms}{' ' + rest if rest else ''}\b{guard})"


_VERBS = tuple(_DONE_BY)
_KNOWN = {*EMBEDDED_TOOLS, *(tool for tools in _DONE_BY.values() for tool in tools)}
_HEAD = re.compile("|".join(_form(number, verb, is_passive=False) for number, verb in enumerate(_VERBS)))
_PASSIVE = re.compile(
    rf"{_WANTED}(?:{'|'.join(_form(number, verb, is_passive=True) for number, verb in enumerate(_VERBS))})"
)
