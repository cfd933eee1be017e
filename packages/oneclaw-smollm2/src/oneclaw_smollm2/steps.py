"""One message, several requests: where it can be taken apart, and what answers a question of ours."""

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
      | \s*,?\s+(?:and\s+)?(?:then|after(?:\s+that|wards)|next|finally),?\s+
      | \s*,?\s+and\s+(?:also\s+)?(?=(?:please\s+)?(?:{_VERBS}|{_CHANGES})\b)
      | \s*,\s+(?=(?:{_VERBS}|rename|move|add|make)\b)
      | \s*,?\s+and\s+(?:also\s+)?(?=(?:what|what's|when|where|which|who)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_THING = r"(?:https?://[^\s,;]+|[\w~./-]*[\w~-]\.\w+)"
_ALL = re.compile(
    r"(?P<verb>(?:please\s+)?(?:cat|delete|display|download|erase|fetch|open|print|read|remove|show(?:\s+me)?|trash|view|what(?:'s|s|\s+is)\s+in)\s+)(?:both\s+|the\s+files\s+|files\s+)?"
    rf"(?P<things>{_THING}(?:\s*,\s*{_THING})*\s*,?\s+and\s+{_THING})[.!?]?"
    r"|(?P<verb2>(?:please\s+)?(?:move|copy|put)\s+)(?:both\s+|the\s+files\s+)?"
    rf"(?P<things2>{_THING}(?:\s*,\s*{_THING})*\s*,?\s+and\s+{_THING})(?P<rest2>\s+(?:in|into|to|inside)\s+.+?)[.!?]?",
    re.IGNORECASE,
)
_KEEP_IT = re.compile(
    r"(?:please\s+)?(?:remember|memori[sz]e|keep|store|note)\s+(?:it|that|this)"
    r"(?:\s+(?:please|for\s+me|for\s+later|in\s+mind))*[.!]*",
    re.IGNORECASE,
)
_PATH = re.compile(r"(?<![\w@:/.])(?:[\w~.-]*/)*[\w~-]+(?:\.[\w~-]+)+(?![\w@])|(?<!\S)[\w~.-]*/[\w~./-]*")
_QUOTE_FIRST = re.compile(r"(?:[\"“'`]).+(?:[\"”'`])\s+(?:to|into|in|as)\s+\S+", re.IGNORECASE)
_REQUEST = re.compile(
    rf"(?:please\s+|can you\s+|could you\s+)?(?:{_VERBS}|add|ask|check|do|get|give|go|help|is|make|say|use"
    r"|how|what|what's|when|where|which|who|why)\b",
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
    verb, things = several["verb"] or several["verb2"], several["things"] or several["things2"]
    return [f"{verb}{thing}{several['rest2'] or ''}" for thing in re.findall(_THING, things)]


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


def is_request(text: str) -> bool:
    """Whether a message begins as one that stands for itself, and so is no answer to a question."""
    return _REQUEST.match(text.strip()) is not None


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
