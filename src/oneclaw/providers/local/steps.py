"""One message, several requests: where it can be taken apart, and what `it` means in the later ones."""

import re

MOST_STEPS = 5

_QUOTED = re.compile(
    r'"[^"\n]*"|“[^”]*”|‘[^’]*’|`[^`]*`|(?<![\w])\'(?:[^\'\n]|\'(?=\w))*\'(?!\w)|```.*?```', re.DOTALL
)
_VERBS = (
    "append|copy|create|delete|display|download|fetch|find|forget|list|look|open|print|put|read|recall|remember"
    "|save|search|show|store|tell|write"
)
_BORDER = re.compile(
    rf"""\s*;\s+ | \s*\n\s*
      | (?<=[.!?])\s+(?=\S)
      | \s*,?\s+(?:and\s+)?then\s+
      | \s*,?\s+and\s+(?:also\s+)?(?=(?:please\s+)?(?:{_VERBS})\b)
      | \s*,\s+(?=(?:{_VERBS})\b)
      | \s*,?\s+and\s+(?:also\s+)?(?=(?:what|what's|when|where|which|who)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_COPY = re.compile(r"(?:please\s+)?(?:copy|duplicate)\s+(\S+)\s+(?:to|into|as)\s+(\S+?)[.!]?", re.IGNORECASE)
_PATH = re.compile(r"(?<![\w@:/.])(?:[\w~.-]*/)*[\w~-]+(?:\.[\w~-]+)+(?![\w@])|(?<!\S)[\w~.-]*/[\w~./-]*")
_IT = re.compile(
    r"(?P<before>\b(?:append|change|delete|display|edit|open|print|read|remove|see|show|show me|view"
    r"|in|into|of|from|to)\s+)(?:it|that|this)\b"
    r"|\b(?:that|this|the)(?:\s+same)?\s+(?:file|note)\b",
    re.IGNORECASE,
)
_SAVE_IT = re.compile(
    r"(?:please\s+)?(?P<verb>append|add|copy|put|save|store|write)\s+(?P<it>it|that|this|them"
    r"|(?:the|its)\s+(?:answer|contents?|list|output|results?|text|time))\s+(?:also\s+)?"
    r"(?:as|in|into|to|under)\s+(?:(?:a|the)\s+)?(?:new\s+)?(?:file\s+)?(?:called\s+|named\s+)?(?P<path>\S+?)[.!]?",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    rf"(?:please\s+|can you\s+|could you\s+)?(?:{_VERBS}|add|ask|check|do|get|give|go|help|is|make|say|use"
    r"|how|what|what's|when|where|which|who|why)\b",
    re.IGNORECASE,
)
_MEANT = re.compile(
    r"(?:it|that|this|them|those|(?:the|its|their) (?:\w+ )?"
    r"(?:answer|contents?|copy|file|lines?|list|output|result|results|text|time))",
    re.IGNORECASE,
)


def split_steps(text: str) -> list[str]:
    """The requests of a message, at most five; what is quoted is never taken apart."""
    copied = _COPY.fullmatch(text.strip())
    if copied is not None:
        return [f"Read {copied[1]}", f"Save it as {copied[2]}"]
    hidden = _QUOTED.sub(lambda found: "\0" * len(found[0]), text)
    steps: list[str] = []
    start = 0
    for border in _BORDER.finditer(hidden):
        steps.append(text[start : border.start()])
        start = border.end()
    steps.append(text[start:])
    steps = [step.strip() for step in steps if re.search(r"\w", step)]
    return steps if 1 < len(steps) <= MOST_STEPS else [text.strip()]


def find_path(text: str) -> str:
    """The first thing in a text that looks like the path of a file; empty where there is none."""
    found = _PATH.search(re.sub(r"https?://\S+", "", text))
    return found[0].rstrip(".") if found else ""


def save_it(step: str) -> str | None:
    """A step that puts what came before into a file, in the plainest words; None for any other."""
    saved = _SAVE_IT.fullmatch(step.strip())
    if saved is None:
        return None
    verb = "Append" if saved["verb"].lower() in ("append", "add") else "Save"
    return f'{verb} "it" to {saved["path"]}'  # in quotes, so that the word itself is what is copied


def name_it(step: str, path: str) -> str:
    """A later step with the file in place of `it`: `read it back` after a.txt is `read a.txt back`.

    One that names a file of its own is left: there `it` is what is to go into that file.
    """
    if not path or find_path(step):
        return step
    return _IT.sub(lambda found: (found["before"] or "") + path, step, count=1)


def is_request(text: str) -> bool:
    """Whether a message begins as one that stands for itself, and so is no answer to a question."""
    return _REQUEST.match(text.strip()) is not None


def means_before(value: object) -> bool:
    """Whether a value of a call is only a word for what the step before gave: `it`, `the result`."""
    return isinstance(value, str) and _MEANT.fullmatch(value.strip()) is not None
