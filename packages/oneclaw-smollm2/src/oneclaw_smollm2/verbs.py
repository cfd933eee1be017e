"""The verbs of requests and the tools that do what they ask for: no other tool is called in their place.

A request is read with `""` for each quotation and `@` for each path: `write "move the car" to a.txt` is
`write "" to @`, and asks to write. Many requests have no verb of the table, as questions: for these each tool
has a wording. A tool that is not in the table does the verbs of its name and its description.
"""

import re
from collections.abc import Iterator, Sequence

from oneclaw import ToolDefinition
from oneclaw_smollm2.globs import names_type
from oneclaw_smollm2.message import Message, read_message, speaks_of, stems
from oneclaw_smollm2.parameters import first_sentence
from oneclaw_smollm2.request import LEAD
from oneclaw_smollm2.rules import RULED
from oneclaw_smollm2.wordings import PLACED, PROSE, QUESTION, UNSEEN, WORDINGS

TRAINED = (
    "find_files",
    "get_current_time",
    "http_request",
    "list_files",
    "memory_forget",
    "memory_search",
    "memory_store",
    "read_file",
    "search_text",
    "write_file",
)
"""The tools that the adapter was trained on: with others the model does worse."""
_TABLE: tuple[tuple[str, str], ...] = (
    (
        "",
        "clear_your_memory wipe_your_memory erase_your_memory delete_your_memory"
        " forget_everything forget_all search_the_web search_the_internet search_online",
    ),
    ("", "set_a_timer set_an_alarm set_a_reminder remind(?!_me_(?:what|who|when|where|how|which))"),
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
    ("read_file", "cat display dump print(?!.*_printer) read recite view"),
    ("list_files find_files memory_search", "enumerate list ls"),
    ("find_files search_text memory_search", "find grep hunt locate search"),
    ("http_request", "browse curl download fetch visit"),
    ("memory_store memory_search", "memorise memorize remember"),
    ("memory_search", "recall"),
    ("memory_forget", "forget clear(?=.*memor) delete(?=.*memor) erase(?=.*memor) remove(?=.*memor)"),
    ("memory_forget", "discard(?=.*memor) scrap(?=.*memor) wipe(?=.*(?:memor|remember))"),
    (
        "memory_store",
        "adjust amend change correct edit fix improve insert modify patch prepend replace revise rewrite"
        " set(?!_up) substitute swap update",
    ),
    ("", "clear delete discard empty erase get_rid_of remove rm scrap throw_away trash wipe"),
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
    ("", "book(?=_(?:a|me|the)_) buy draw google paint phone play sing tweet"),
)
"""Acts: the tools that do each, and the verbs that ask for it."""
_DONE_BY = {verb: tools.split() for tools, verbs in _TABLE for verb in verbs.split()}
_ALIKE = {verb: verbs.split() for _, verbs in _TABLE for verb in verbs.split()}
APPENDING = frozenset(
    ["add", "append", "capture", "drop", "enter", "jot", "log", "note", "put", "record", "stick"]
)
"""Verbs that add to a file and never replace what it holds."""
_OBJECT = re.compile(
    rf"(?:{LEAD.pattern})?(?:add|append|drop|keep|put|save|stash|stick|store|write) "
    r"(?:(?:the|my|this|that|file) )*@"
    r'(?!.*(?:""|\b(?:as follows|containing|reading|saying|says|that|with)\b))'
)
_WANTED = (
    r"(?:\b(?:be|being|get|gets|is|like|must|need|needs|see|should|to|want|wants) (?:\S+ ){0,3}?"
    r"|\bhave (?:\S+ ){1,3}?)"
)


def request_verb(message: Message) -> str:
    """The verb a message begins with after its polite words, or has as `I want it renamed`; else empty."""
    said = _said(message)
    lead = LEAD.match(said)
    found = _HEAD.match(said, lead.end() if lead else 0)
    if found is None:
        found, wording = _PASSIVE.search(said), WORDINGS["write_file"].search(said)
        if found is None or (wording is not None and wording.start() < found.start()):
            return ""
    return next(_VERBS[int(name[1:])] for name, text in found.groupdict().items() if text)


def may_call(tool: ToolDefinition, message: Message) -> bool:
    """Whether the verb or the wording of a message asks for this tool; the model calls no tool of a rule."""
    if tool.name in RULED:
        return False
    verb = request_verb(message)
    if tool.name not in TRAINED:
        return _does_own(tool, verb, message)
    if tool.name == "http_request" and not message.urls:
        return False
    if verb:
        return tool.name in _DONE_BY[verb] or (tool.name == "http_request" and bool(message.urls))
    said = _said(message)
    is_question = QUESTION.match(said) and not LEAD.match(said)
    if tool.name in ("write_file", "memory_forget") and is_question:
        return False
    return WORDINGS[tool.name].search(said) is not None


def tools_for(message: Message, tools: Sequence[ToolDefinition]) -> list[ToolDefinition]:
    """The tools that a message may be answered with; the model chooses among them."""
    found = [tool for tool in tools if may_call(tool, message)]
    said = _said(message)
    if UNSEEN.search(said):
        found = [tool for tool in found if tool.name != "find_files"]
    if PLACED.search(said):
        found = [tool for tool in found if tool.name != "write_file"]
    names = {tool.name for tool in found}
    if asks_for_prose(message) and not message.urls:
        return [tool for tool in found if tool.name not in TRAINED]
    if {"list_files", "find_files"} <= names:
        # Files of a type, or one by its name, are found; all others are listed.
        out = "list_files" if names_type(message) else "find_files"
        found = [tool for tool in found if tool.name != out]
    # Whoever names a file means no memory of that name.
    names_file = bool(message.paths) or re.search(r"\b(?:files?|folders?)\b", message.bare, re.IGNORECASE)
    return [tool for tool in found if not (names_file and tool.name.startswith("memory_"))]


def asks_for_prose(message: Message) -> bool:
    """Whether a message asks for a text that somebody has to think of; one that gives the text does not."""
    is_given = any(piece.is_quoted for piece in message.pieces) or re.search(r":\s", message.text)
    return not is_given and PROSE.search(_said(message)) is not None


def is_file_itself(text: str) -> bool:
    """Whether a file is what something is to be done with, and no text is given: `put a.txt in the bin`."""
    return ":" not in text and _OBJECT.match(_said(read_message(text))) is not None


def all_verbs(beside: str = "") -> Iterator[str]:
    """The verbs of the table, as a person writes them; without those that ask for the tool `beside`.

    `forget` is left out: `don't forget that` asks to remember.
    """
    return (plain(verb) for verb, tools in _DONE_BY.items() if beside not in tools and verb != "forget")


def plain(verb: str) -> str:
    return verb.partition("(")[0].replace("_", " ").strip()


def _does_own(tool: ToolDefinition, verb: str, message: Message) -> bool:
    """Whether an added tool does the verb or is spoken of; one that only reads may be guessed."""
    if not verb and tool.effect == "read":
        return True
    words = stems(f"{tool.name} {tool.description}".replace("_", " "))
    is_told = bool(verb) and any(plain(each)[:5] in words for each in _ALIKE[verb])
    return is_told or speaks_of(tool.name, first_sentence(tool.description), message)


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
_HEAD = re.compile("|".join(_form(number, verb, is_passive=False) for number, verb in enumerate(_VERBS)))
_PASSIVE = re.compile(
    rf"{_WANTED}(?:{'|'.join(_form(number, verb, is_passive=True) for number, verb in enumerate(_VERBS))})"
)
KNOWN_WORDS = frozenset(
    {plain(verb) for verb in _VERBS if "_" not in verb and len(plain(verb)) > 3}
    | {"what", "time", "where", "which", "show", "open", "file", "files", "tell", "date", "make", "delete"}
)
"""Words that a typing mistake near the beginning of a message is mended to."""
