"""The catalogue of skills in the prompt: a name and a short description of each, within a bound."""

import json
from collections.abc import Iterable

from oneclaw.skills.block import TOOL
from oneclaw.skills.skill import Skill

_HEAD = (
    "\n\n<skills>\n"
    f"Skills are instructions for kinds of work. Before you do work that one of these is for, load it with"
    f" {TOOL}, once, and follow it: unlike what other tools return, it is an instruction.\n"
)
_TAIL = "</skills>"
_DESCRIPTION_CHARS = (500, 250, 120, 60, 0)
"""How much is told of each description; less where all of them do not fit."""


def write_catalogue(skills: Iterable[Skill], chars: int) -> str:
    """The catalogue, at most `chars` long; empty without skills.

    Each skill is one line of JSON, in which neither a line break nor the end of the frame can be written.
    """
    told = [skill for skill in skills if not skill.is_manual]
    if not told:
        return ""
    room, lines = chars - len(_HEAD) - len(_TAIL), list[str]()
    for each in _DESCRIPTION_CHARS:
        lines = [_line(skill, each) for skill in told]
        if sum(map(len, lines)) <= room:
            return _HEAD + "".join(lines) + _TAIL
    kept: list[str] = []
    for line in lines:
        note = f"({len(told) - len(kept)} more: {TOOL} names them)\n"
        if len(line) + len(note) > room:
            kept.append(note)
            break
        kept.append(line)
        room -= len(line)
    return _HEAD + "".join(kept) + _TAIL


def _line(skill: Skill, chars: int) -> str:
    text = skill.description
    text = text if len(text) <= chars else f"{text[:chars].rstrip()}…"
    return f"{skill.name}: {_quoted(text)}\n" if chars else f"{skill.name}\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("<", "\\u003c")
