"""The words the tiny model answers with: those of answers.toml, help and refusals. It makes up none."""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from oneclaw import ToolDefinition
from oneclaw_smollm2.language import is_english
from oneclaw_smollm2.shell_words import read_command

FIRST_LINE = (
    "local/smollm2 is a tiny model for trying OneClaw out: it chooses tools, it does not write prose, and it"
    " reads English only. `oneclaw setup` connects a bigger model."
)
MOST_CHARS = 2_000
"""The longest message the model is asked about: it copies from it, and has little room."""
_SETUP = "`oneclaw setup` connects a bigger model"
_LANGUAGE = "I understand English only; please write in English, or use a bigger model (`oneclaw setup`)."
_NO_WORDS = "Hello! Ask me for something I can do; “help” shows examples."
_POLITE = ("hello", "thanks", "bye", "all right", "here")
_GREETING = r"(?:hi+|hello+|hey+|hiya|howdy|yo|sup|greetings|good (?:morning|afternoon|evening|day))"
_FINE = (
    r"ok(?:ay)?|great|good|nice|cool|perfect|well done|very good|yes|yep|yeah|sure|fine|awesome|wow|good job"
    r"|nice work|love it|amazing|no|nope|never ?mind|forget it|stop|cancel|nothing|got it|alright|all right"
    r"|done|lol|ha(?:ha)+|sorry|my bad|oops|wrong window|no worries|i see|hm+"
)
_LED = re.compile(rf"\A(?:{_GREETING}|oh|well|so|ok(?:ay)?|and|but)\b[,.! ]+")
_DECLINED = re.compile(r"no|nope|never ?mind|forget it|stop|cancel|nothing")
_EDGES = re.compile(r"\A[^\w/:]+|[^\w]+\Z")

_EXAMPLES = {
    "get_current_time": "What time is it in Tokyo?",
    "calculate": "What is 15% of 80?",
    "write_file": 'Save "buy milk" to todo.txt',
    "read_file": "Read todo.txt",
    "edit_file": 'Replace "milk" with "oat milk" in todo.txt',
    "move_file": "Rename todo.txt to done.txt",
    "copy_file": "Copy todo.txt to backup.txt",
    "delete_file": "Delete backup.txt",
    "restore_file": "Restore backup.txt",
    "make_folder": "Make a folder called photos",
    "list_files": "List the files here",
    "find_files": "Find all *.txt files",
    "search_text": 'Search for "milk" in todo.txt',
    "http_request": "Fetch https://example.com",
    "memory_store": "Remember that my cat is called Miso",
    "memory_search": "What do you remember about my cat?",
    "memory_forget": "Forget my cat",
    "search_history": "Search our conversations for pancakes",
}
_LOOSE_WORDS = {"thanks": 8, "bye": 8, "glad": 6, "hello": 5}
"""The most words of a message that is taken for small talk by one of them."""
_QUESTIONS = {
    "read_file": "Which file shall I read?",
    "write_file": "What shall I write, and to which file?",
    "edit_file": "In which file shall I replace what, and with what?",
    "move_file": "Which file shall I move or rename, and to where?",
    "copy_file": "Which file shall I copy, and to where?",
    "delete_file": "Which file shall I delete?",
    "restore_file": "Which file shall I bring back?",
    "make_folder": "What shall I call the folder?",
    "find_files": "Which files shall I look for?",
    "search_text": "Which words shall I look for?",
    "search_history": "Which words shall I look for?",
    "http_request": "Which address shall I fetch?",
    "memory_store": "What shall I remember?",
    "memory_search": "What shall I look for in my memory?",
    "memory_forget": "What shall I forget?",
    "calculate": "What shall I calculate?",
}
_POWERS = {
    "read_file": "work with files",
    "get_current_time": "tell the time",
    "calculate": "calculate",
    "http_request": "fetch pages",
    "memory_store": "remember facts",
}


def urgent_answer(text: str) -> str:
    """The words for a message that must not be taken as a request: distress, harm, another language."""
    said = " ".join(text.lower().replace("’", "'").split())
    found = next((words for _, pattern, words in _rows("anywhere") if pattern.search(said)), "")
    return found or ("" if is_english(text) or read_command(text) else _LANGUAGE)


def written_answer(text: str, tools: Sequence[ToolDefinition]) -> str:
    """The words written for a message; empty where there are none."""
    said = _plain(text)
    if not re.search(r"\w", said):
        return _NO_WORDS
    for each in (said, _LED.sub("", said)):
        found = next((words for _, pattern, words in _rows("whole") if pattern.fullmatch(each)), "")
        if found:
            return help_text(tools) if found == "{help}" else found
    return ""


def last_answer(text: str, tools: Sequence[ToolDefinition]) -> str:
    """The words for a message that leads to no call: small talk in any wording, a hint, or a refusal."""
    said = _plain(text)
    for name, pattern, words in _rows("loose"):
        limit = _LOOSE_WORDS.get(name, 12)
        is_talk = name == "commands" or not re.search(r"\w\.\w", said)  # who names a file does not chat
        if is_talk and len(said.split()) <= limit and pattern.search(said):
            return help_text(tools) if words == "{help}" else words
    found = next((words for _, pattern, words in _rows("last") if pattern.fullmatch(said)), "")
    refused = f"I cannot do that: I choose tools and write no text of my own; {_able(tools)}{_SETUP}."
    return found.replace("{text}", _EDGES.sub("", text)) or refused


def refusal(verb: str, tools: Sequence[ToolDefinition]) -> str:
    """Refuse a verb that no tool does, in one sentence that says what they do."""
    has_object = re.search(r" (?:an?|the|your|everything|all|online|folder)\b", verb)
    what = verb if has_object else f"{verb} you" if verb == "remind" else f"{verb} that"
    return f"I cannot {what}, so I changed nothing; {_able(tools)}{_SETUP}."


def too_long(chars: int) -> str:
    return (
        f"I read messages of up to {MOST_CHARS:,} characters and this one has {chars:,}; shorten it, or use a"
        " bigger model (`oneclaw setup`)."
    )


def is_greeting(text: str) -> bool:
    """Whether a sentence is only polite, so that beside a request it needs no answer of its own."""
    said = _plain(text)
    rows = (pattern for name, pattern, _ in _rows("whole") if name in _POLITE)
    return said == "please" or any(pattern.fullmatch(said) for pattern in rows)


def is_declined(text: str) -> bool:
    """Whether a person who was asked something does not want to answer."""
    return _DECLINED.fullmatch(_plain(text)) is not None


def help_text(tools: Sequence[ToolDefinition]) -> str:
    """What can be asked, by example; what has no example is named."""
    names = {tool.name for tool in tools}
    shown = [f"- {example}" for name, example in _EXAMPLES.items() if name in names]
    others = sorted(names - _EXAMPLES.keys())
    lines = ["You can ask me, for example:", *shown] if shown else ["I have no tools in this conversation."]
    if others:
        lines += ["", f"I also have: {', '.join(others)}."]
    lines += ["", f"I choose tools and do not write prose; {_SETUP}."]
    return "\n".join(lines)


def example_of(tool: str) -> str:
    """A sentence that asks for the tool."""
    return _EXAMPLES.get(tool, tool.replace("_", " "))


def question(tool: ToolDefinition, missing: Sequence[tuple[str, str]]) -> str:
    """Ask back for what a tool must be told: its parameters, each with what it means."""
    if tool.name in _QUESTIONS:
        is_named = tool.name == "write_file" and [name for name, _ in missing] == ["content"]
        asked = "What shall I write to the file?" if is_named else _QUESTIONS[tool.name]
        return f"{asked} Please say it in one sentence, such as “{_EXAMPLES[tool.name]}”."
    named = tool.name.replace("_", " ")
    if not missing:
        return f"I could use “{named}” for that, but something is missing. Please say it in one sentence."
    asked = "; ".join(f"{name} ({meaning})" if meaning else name for name, meaning in missing)
    return f"For “{named}” I need to know: {asked}. Please tell me."


@cache
def _rows(table: str) -> list[tuple[str, re.Pattern[str], str]]:
    """The rows of a table of answers.toml: the name of each, its patterns as one, and its words."""
    text = files("oneclaw_smollm2").joinpath("answers.toml").read_text(encoding="utf-8")
    text = text.replace("{greeting}", _GREETING).replace("{fine}", _FINE).replace("{setup}", _SETUP)
    return [
        (row["name"], re.compile("|".join(row["patterns"])), row["words"])
        for row in tomllib.loads(text)[table]
    ]


def _plain(text: str) -> str:
    """A message in small letters, without polite words and signs at its ends."""
    said = _EDGES.sub("", " ".join(text.lower().replace("’", "'").split()))
    return re.sub(r",? (?:please|pls)\Z|, oneclaw\Z", "", said)


def _able(tools: Sequence[ToolDefinition]) -> str:
    """`I can work with files and tell the time; “help” shows examples, and `; empty without tools."""
    names = {tool.name for tool in tools}
    powers = [power for name, power in _POWERS.items() if name in names]
    return f"I can {_listed(powers)}; “help” shows examples, and " if powers else ""


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
