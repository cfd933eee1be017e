"""One message, several requests: where it can be taken apart, and what `it` means in the later ones."""

import re

from oneclaw_smollm2.verbs import all_verbs

MOST_STEPS = 10

_QUOTED = re.compile(
    r'"[^"\n]*"|“[^”]*”|‘[^’]*’|`[^`]*`|(?<![\w])\'(?:[^\'\n]|\'(?=\w))*\'(?!\w)|```.*?```', re.DOTALL
)
_VERBS = (
    "append|copy|create|delete|display|download|fetch|find|forget|list|look|open|print|put|read|recall|remember"
    "|save|search|show|store|tell|write"
)
_CHANGES = "|".join(all_verbs(beside="write_file"))
_BORDER = re.compile(
    rf"""\s*;\s+ | \s*\n\s*
      | (?<=[.!?])\s+(?=\S)
      | \s*,?\s+(?:and\s+)?then\s+
      | \s*,?\s+and\s+(?:also\s+)?(?=(?:please\s+)?(?:{_VERBS}|{_CHANGES})\b)
      | \s*,\s+(?=(?:{_VERBS})\b)
      | \s*,?\s+and\s+(?:also\s+)?(?=(?:what|what's|when|where|which|who)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_THING = r"(?:https?://[^\s,;]+|[\w~./-]*[\w~-]\.\w+)"
_ALL = re.compile(
    r"(?P<verb>(?:please\s+)?(?:cat|delete|display|download|fetch|open|print|read|remove|show(?:\s+me)?|view)\s+)"
    rf"(?P<things>{_THING}(?:\s*,\s*{_THING})*\s*,?\s+and\s+{_THING})[.!?]?",
    re.IGNORECASE,
)
_KEEP_IT = re.compile(
    r"(?:please\s+)?(?:remember|memori[sz]e|keep|store|note)\s+(?:it|that|this)"
    r"(?:\s+(?:please|for\s+me|for\s+later|in\s+mind))*[.!]*",
    re.IGNORECASE,
)
_PATH = re.compile(r"(?<![\w@:/.])(?:[\w~.-]*/)*[\w~-]+(?:\.[\w~-]+)+(?![\w@])|(?<!\S)[\w~.-]*/[\w~./-]*")
_IT = re.compile(
    r"(?P<before>\b(?:append|bring|change|delete|discard|display|edit|erase|open|print|read|recover|remove|restore"
    r"|see|show|show me|throw|trash|undelete|view|in|into|of|from|to)\s+)(?:it|that|this)\b"
    r"|\b(?:that|this|the)(?:\s+same)?\s+(?:file|note)\b",
    re.IGNORECASE,
)
_FILE_IT = re.compile(
    r"(?P<before>\b(?:renam(?:e|ing)|mov(?:e|ing)|copy(?:ing)?|duplicate|back ?up|a copy of)\s+)"
    r"(?:it|(?:that|this|the)\s+file|that|this)\b",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    r"(?:and|what about|how about|and what about|now)\s+(?P<in>(?:in|for|at)\s+)?(?P<thing>.{2,40}?)[?.!]*",
    re.IGNORECASE,
)
_QUOTE_FIRST = re.compile(r"(?:[\"“'`]).+(?:[\"”'`])\s+(?:to|into|in|as)\s+\S+", re.IGNORECASE)
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
_NOTHING = re.compile(
    r"(?:a|an|some|the|this|that)\s+(?:new\s+)?(?:file|line|memory|note|page|text|thing|word)s?"
    r"|(?:something|anything|stuff|it|that|this)(?:\s+for\s+me)?|(?:for\s+)?me",
    re.IGNORECASE,
)
_VERB_ALONE = re.compile(r"add|create|keep|make|note|put|remember|save|store|write", re.IGNORECASE)


def split_steps(text: str) -> list[str]:
    """The requests of a message, at most ten; what is quoted is never taken apart."""
    parts = _parts(text)
    steps = _with_facts([each for part in parts for each in _spelled_out(part)])
    is_changed = steps != parts or len(parts) > 1
    return steps if is_changed and len(steps) <= MOST_STEPS else [text.strip()]


def _parts(text: str) -> list[str]:
    hidden = _QUOTED.sub(lambda found: "\0" * len(found[0]), text)
    steps: list[str] = []
    start = 0
    for border in _BORDER.finditer(hidden):
        steps.append(text[start : border.start()])
        start = border.end()
    steps.append(text[start:])
    return _with_verbs([step.strip() for step in steps if re.search(r"\w", step)])


def _with_verbs(steps: list[str]) -> list[str]:
    """`Write "a" to b, then "c" to d`: what has no verb of its own has that of the step before it."""
    for at in range(1, len(steps)):
        verb = re.match(r"(?:please\s+)?(?:write|save|put|add|append|store)\b", steps[at - 1], re.IGNORECASE)
        if verb is not None and _QUOTE_FIRST.fullmatch(steps[at]):
            steps[at] = f"{verb[0]} {steps[at]}"
    return steps


def _spelled_out(step: str) -> list[str]:
    """`read a and b` is to read each."""
    several = _ALL.fullmatch(step)
    if several is None:
        return [step]
    return [several["verb"] + thing for thing in re.findall(_THING, several["things"])]


def _with_facts(steps: list[str]) -> list[str]:
    """`My cat is Miso, remember it` is one request: what is to be remembered stands before it."""
    found: list[str] = []
    for step in steps:
        if found and _KEEP_IT.fullmatch(step) and not is_request(found[-1]):
            found[-1] = f"Remember that {found[-1]}"
        else:
            found.append(step)
    return found


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

    One that names a file of its own is left, unless it moves or copies a file: there `it` is what is to go
    into that file.
    """
    if not path:
        return step
    step = _FILE_IT.sub(lambda found: found["before"] + path, step, count=1)
    if find_path(step):
        return step
    return _IT.sub(lambda found: (found["before"] or "") + path, step, count=1)


def same_again(step: str, tool: str) -> str:
    """`And in Paris?` after the time somewhere is `What time is it in Paris?`; any other step as it is."""
    found = _AGAIN.fullmatch(step.strip())
    if found is None:
        return step
    thing = found["thing"]
    if tool == "get_current_time" and not find_path(thing):
        return f"What time is it in {thing}?"
    is_path = find_path(thing) == thing
    return f"Read {thing}" if tool == "read_file" and is_path and not found["in"] else step


def is_request(text: str) -> bool:
    """Whether a message begins as one that stands for itself, and so is no answer to a question."""
    return _REQUEST.match(text.strip()) is not None


def means_before(value: object) -> bool:
    """Whether a value of a call is only a word for what the step before gave: `it`, `the result`."""
    return isinstance(value, str) and _MEANT.fullmatch(value.strip()) is not None


def says_nothing(value: object) -> bool:
    """Whether a value of a call only stands for one that was never given: `something`, `a file`."""
    if not isinstance(value, str):
        return False
    return any(each.fullmatch(value.strip()) is not None for each in (_NOTHING, _VERB_ALONE))


def join_answer(asked: str, answer: str) -> str:
    """What was said before a question of ours and the answer, as one request.

    `Save a file` and `todo.txt` is `Save todo.txt`.
    """
    kept = " ".join(re.sub(rf"\b(?:{_NOTHING.pattern})(?!\w|\.\w)", "", asked, flags=re.IGNORECASE).split())
    is_text = bool(find_path(kept)) and not find_path(answer) and '"' not in answer
    said = f'"{answer.strip()}"' if is_text else answer  # the file is named: all of this is for it
    return f"{kept.rstrip('.!? ')} {said}"
