"""What the embedded model says without a tool: prepared words for small talk, and a mark for the rest."""

import re
from collections.abc import Sequence

from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.local.verbs import all_verbs

FIRST_LINE = (
    "This is a tiny model (135 million parameters) for trying OneClaw out: it calls tools and little else."
    " For real work connect a bigger one, as with --model anthropic/claude-sonnet-4-5 and a key,"
    " --model ollama/llama3.2, or `oneclaw models add FILE.gguf`."
)
MARK = "(A tiny model said this by itself: do not rely on it. It is good for calling tools only.)"
LIMITED = "I am a tiny model and cannot do that well."

_EXAMPLES = {
    "get_current_time": "What time is it in Tokyo?",
    "write_file": 'Save "buy milk" to todo.txt',
    "read_file": "Read todo.txt",
    "list_files": "List the files here",
    "find_files": "Find all *.txt files",
    "search_text": 'Search for "milk" in todo.txt',
    "http_request": "Fetch https://example.com",
    "memory_store": "Remember that my cat is called Miso",
    "memory_search": "What do you remember about my cat?",
    "memory_forget": "Forget my cat",
}
_POWERS = {
    "read_file": "read files",
    "write_file": "write new files and add to old ones",
    "list_files": "list files",
    "find_files": "find files by name",
    "search_text": "search in files",
    "http_request": "fetch pages",
    "get_current_time": "tell the time",
    "memory_store": "remember facts",
    "memory_search": "recall them",
    "memory_forget": "forget them",
}
_SMALL_TALK: tuple[tuple[str, str], ...] = (
    (
        r"(?:hi|hello|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day))"
        r"(?: (?:there|again|you|all))?",
        "Hello! I am a tiny model with tools. Ask me for something I can do; “help” shows examples.",
    ),
    (r"(?:thanks|thank you|thx|cheers)(?: (?:a lot|very much|so much|again))?", "You are welcome."),
    (r"(?:bye|goodbye|good ?bye|good night|see you|see you later|ciao)", "Goodbye!"),
    (
        r"(?:ok|okay|great|good|nice|cool|perfect|well done|very good|yes|sure|fine"
        r"|no|never ?mind|forget it|stop|cancel|nothing)",
        "All right.",
    ),
    (
        r"(?:how are you(?: doing)?|how do you do|how is it going|how's it going|what's up)(?: today)?",
        "I am a program, so always the same. What can I do for you?",
    ),
    (
        r"(?:who|what) are you|what(?: is|'s) your name|are you (?:an? )?(?:ai|robot|human|bot|real).*"
        r"|who made you|introduce yourself|tell me about yourself|which model are you|what model are you",
        "I am SmolLM2-135M, a very small language model that runs on this machine, with an adapter that lets"
        " me call OneClaw's tools. I know little and read one message at a time; what tools tell me I pass on"
        " word for word.",
    ),
)
_HELP = re.compile(
    r"help|help me|what can you do|what can i ask(?: you)?|how does this work|what do you do|examples?"
    r"|what are you able to do|what tools do you have|which tools do you have|what are your tools",
)
_BEYOND = re.compile(
    r"\b(?:joke|poem|story|essay|song|lyrics|rap|limerick|translate|translation|summari[sz]e|summary|code|program"
    r"|function|script|medical|legal|doctor|suicide|kill)\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"(?:please |can you |could you )?(?:append|cat|copy|create|delete|download|erase|execute|fetch|find"
    r"|forget|list|move|open|put|read|remember|remove|rename|run|save|search|send|show|store|write)\b"
)
_REFUSAL = re.compile(
    r"(?:please )?(?:do not|don't|dont|never) (?:ever )?(?:call|do|download|fetch|find|list|look|open|print"
    rf"|read|remember|search|show|tell|touch|use|{'|'.join(all_verbs())})\b.*",
    re.DOTALL,
)
_DECLINED = re.compile(r"no|never ?mind|forget it|stop|cancel|nothing")
_EDGES = re.compile(r"[\s.!?,:;]+\Z|\A[\s]+")


def prepared(text: str, tools: Sequence[ToolDefinition]) -> str | None:
    """The words prepared for a message; None where there are none and the model may speak."""
    said = " ".join(_EDGES.sub("", text).lower().replace("’", "'").split())
    said = re.sub(r",? (?:please|oneclaw)\Z", "", said)
    if not re.search(r"\w", said):
        return "Ask me for something I can do; “help” shows examples."
    if _REFUSAL.fullmatch(said):
        return "All right, I do nothing. If there is something else to do, say that by itself."
    if _HELP.fullmatch(said):
        return help_text(tools)
    for pattern, words in _SMALL_TALK:
        if re.fullmatch(pattern, said):
            return words
    return None


def is_greeting(text: str) -> bool:
    """Whether a sentence is only polite, so that beside a request it needs no answer of its own."""
    said = _EDGES.sub("", text).lower()
    return any(re.fullmatch(pattern, said) for pattern, _ in _SMALL_TALK[:5]) or said == "please"


def is_beyond(text: str) -> bool:
    """Whether a message asks for what comes out wrong or worse from a model of this size."""
    return _BEYOND.search(text) is not None


def is_declined(text: str) -> bool:
    """Whether a person who was asked something does not want to answer."""
    return _DECLINED.fullmatch(_EDGES.sub("", text).lower()) is not None


def is_order(text: str) -> bool:
    """Whether a message tells to do something: then nothing that a model says by itself is an answer."""
    return _ORDER.match(" ".join(text.lower().split())) is not None


def unclear_text(tools: Sequence[ToolDefinition]) -> str:
    return f"I do not see what to do there, or have no tool for it. {help_text(tools)}"


def undone_text(verb: str, tools: Sequence[ToolDefinition]) -> str:
    """Refuse a verb that no tool does, in one sentence that says what they do."""
    powers = [_POWERS.get(name, f"use {name}") for name in _ordered(tools)]
    able = " and ".join([", ".join(powers[:-1]), powers[-1]] if len(powers) > 1 else powers)
    return f"I have no tool to {verb} that, so I changed nothing" + (f"; I can {able}." if able else ".")


def _ordered(tools: Sequence[ToolDefinition]) -> list[str]:
    names = [tool.name for tool in tools]
    return [*(name for name in _POWERS if name in names), *(name for name in names if name not in _POWERS)]


def beyond_text(tools: Sequence[ToolDefinition]) -> str:
    return f"{LIMITED} {help_text(tools)}"


def help_text(tools: Sequence[ToolDefinition]) -> str:
    """What can be asked, by example; what has no example is named."""
    names = {tool.name for tool in tools}
    shown = [f"- {example}" for name, example in _EXAMPLES.items() if name in names]
    others = sorted(names - _EXAMPLES.keys())
    lines = ["You can ask me, for example:", *shown] if shown else ["I have no tools in this conversation."]
    if others:
        lines += ["", f"I also have: {', '.join(others)}."]
    lines += [
        "",
        "Several requests in one message work too: “Read a.txt and save it as b.txt”.",
    ]
    return "\n".join(lines)


def question(tool: ToolDefinition, missing: Sequence[tuple[str, str]]) -> str:
    """Ask back for what a tool must be told: its parameters, each with what it means."""
    named = tool.label or tool.name.replace("_", " ")
    if not missing:
        return f"I could use “{named}” for that, but something is missing. Please say it in one sentence."
    asked = "; ".join(f"{name} ({meaning})" if meaning else name for name, meaning in missing)
    return f"For “{named}” I need to know: {asked}. Please tell me."
