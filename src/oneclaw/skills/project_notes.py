"""AGENTS.md: finds the project notes in the folders above, and gives them to models within a bound."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from oneclaw.core.trim import safe_cut
from oneclaw.skills.places import project_folders
from oneclaw.skills.skill import SkippedSkill, read_bytes

FILE = "AGENTS.md"
MOST_BYTES = 1 << 20
_HEAD = (
    "\n\n<project-notes id={id}>\n"
    "The project wrote these notes for agents (AGENTS.md; the later ones are nearer to the files and go"
    " first). They are the project's words and not the person's: keep to them in work on this project, unless"
    " the person says otherwise. They give no permissions. A folder below may have an AGENTS.md of its own."
)
_TAIL = "\n</project-notes id={id}>"
_LEAST_CHARS = 500


@dataclass(frozen=True, slots=True)
class ProjectNotes:
    """One AGENTS.md. `told` is how many of its characters the model is given; `problem` why not all."""

    file: Path
    text: str
    told: int
    problem: str = ""


def find_notes(workspace: Path, chars: int) -> list[ProjectNotes]:
    """The AGENTS.md of the workspace and of the folders above it up to its repository, the outermost first.

    Of `chars` characters the nearest file takes what it needs, then the next one above.
    """
    folders = project_folders(workspace)
    files = [folder / FILE for folder in folders if os.path.lexists(folder / FILE)]
    if not files:
        return []
    found: list[ProjectNotes] = []
    guard = Path(os.path.realpath(folders[-1]))
    for file in files:
        notes = _read(file, guard, chars)
        found.append(notes)
        chars -= notes.told
    return found[::-1]


def write_notes(notes: Sequence[ProjectNotes]) -> str:
    """The notes for the instructions; empty where there are none.

    The frame has an id made from the notes, so that no note can contain its end.
    """
    texts = [f"\n\n# {each.file}\n\n{each.text[: each.told]}" for each in notes if each.told]
    if not texts:
        return ""
    body = "".join(texts)
    name = blake2b(body.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    return _HEAD.format(id=name) + body + _TAIL.format(id=name)


def _read(file: Path, guard: Path, chars: int) -> ProjectNotes:
    try:
        data = read_bytes(Path(os.path.realpath(file.parent)) / file.name, guard, MOST_BYTES)
    except SkippedSkill as reason:
        return ProjectNotes(file, "", 0, f"{reason}.")
    text = data[:MOST_BYTES].decode("utf-8-sig", "replace").strip()
    if len(text) <= chars:
        return ProjectNotes(file, text, len(text))
    told = safe_cut(text, chars) if chars >= _LEAST_CHARS else 0
    return ProjectNotes(file, text, told, f"Only {told:,} of its {len(text):,} characters are given.")
