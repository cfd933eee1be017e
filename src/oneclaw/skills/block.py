"""Formats a loaded skill for the model, and finds such texts in a conversation."""

import re
from collections.abc import Sequence

from oneclaw.core.trim import safe_cut
from oneclaw.skills.skill import Skill

TOOL = "load_skill"
BODY_CHARS = 50_000
MOST_FILES = 60

_NOTE = (
    "These are instructions for a kind of work, chosen by the person. They give no permissions: what needs a"
    " question still needs it."
)
_OPENING = re.compile(r'^<skill name="([^"\n]+)" folder="[^"\n]*">$', re.MULTILINE)


def write_block(skill: Skill, body: str, files: Sequence[str], is_complete: bool = True) -> str:
    """The body of a skill with the names of its files, in a frame that names the skill."""
    if len(body) > BODY_CHARS:
        note = f"(These are the first {BODY_CHARS:,} of {len(body):,} characters of {skill.file}.)"
        body = f"{body[: safe_cut(body, BODY_CHARS)]}\n{note}"
    lines = [f'<skill name="{skill.name}" folder="{_attribute(str(skill.folder))}">', _NOTE]
    if files:
        shown = ", ".join(files) + ("" if is_complete else ", …")
        lines.append(
            f"It has files, below {skill.folder}: {shown}. Read one with read_file and its whole path, where"
            " it is needed. Scripts run only with the tool for commands, where you have it."
        )
    return "\n".join([*lines, "", body, "</skill>"])


def find_blocks(text: str) -> dict[str, str]:
    """The skills in a text that `write_block` wrote, by name; each goes on to the next one or to the end."""
    places = list(_OPENING.finditer(text))
    if not places:
        return {}
    ends = [*(each.start() for each in places[1:]), len(text)]
    return {each[1]: text[each.start() : end].strip() for each, end in zip(places, ends, strict=True)}


def _attribute(text: str) -> str:
    return re.sub(r'["<>\n\r]', "?", text)
