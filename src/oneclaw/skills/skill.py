"""Skill: a folder with a SKILL.md, read leniently.

A skill is left out only where it has no description or its front matter cannot be read. Everything else that
the standard (agentskills.io) forbids is a warning. Nothing in a skill gives it rights.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from oneclaw.core.errors import ToolError
from oneclaw.core.session import Root, Workspace
from oneclaw.guard.files import paths
from oneclaw.skills import front_matter

SkillScope = Literal["project", "own", "home"]
"""Where a skill is from: the project, `oneclaw skills add`, or the home folder."""

FILE = "SKILL.md"
MOST_BYTES = 256 * 1024
NAME_CHARS = 64
DESCRIPTION_CHARS = 1_024
COMPATIBILITY_CHARS = 500
BODY_LINES = 500
FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
MANUAL = "disable-model-invocation"
"""The field of a skill that only a person may load; other programs know it too."""

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")
_NO_RIGHTS = ("The field allowed-tools gives no rights here: permissions decide as always.",)
_UNFIT = re.compile(r"[^\w.:-]+")


class SkippedSkill(Exception):
    """Why a skill was left out, in one sentence."""


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill.

    file         its SKILL.md
    guard        the real folder that reading it may not leave
    is_manual    whether only a person may load it
    warnings     what the standard forbids, and what it asks for and does not get; one sentence each
    """

    name: str
    description: str
    file: Path
    scope: SkillScope
    guard: Path
    is_manual: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        return self.file.parent


@dataclass(frozen=True, slots=True)
class SkillText:
    """The front matter and the body of a SKILL.md."""

    fields: Mapping[str, Any]
    body: str
    is_utf8: bool = True


def read_skill(file: Path, scope: SkillScope, guard: Path) -> Skill:
    """The skill of a SKILL.md; raises `SkippedSkill`."""
    text = read_text(file, guard)
    description = one_line(text.fields.get("description"))
    if not description:
        raise SkippedSkill("it has no description; write one in its front matter")
    return Skill(
        _name_of(text.fields, file.parent.name),
        description,
        file,
        scope,
        guard,
        str(text.fields.get(MANUAL)).lower() == "true",
        (*findings(text, file.parent.name), *(_NO_RIGHTS if text.fields.get("allowed-tools") else ())),
    )


def read_text(file: Path, guard: Path) -> SkillText:
    """A SKILL.md, read through the file guard; raises `SkippedSkill`."""
    data = read_bytes(file, guard, MOST_BYTES)
    if len(data) > MOST_BYTES:
        raise SkippedSkill(f"it is larger than {MOST_BYTES // 1024} KiB; move long texts to files beside it")
    text = data.decode("utf-8-sig", "replace")
    front, body = front_matter.split(text)
    if front is None:
        raise SkippedSkill("it has no front matter, so no description; begin it with a line ---")
    try:
        fields = front_matter.read(front)
    except front_matter.UnreadableFrontMatter as error:
        raise SkippedSkill(f"its front matter cannot be read: {error}") from None
    return SkillText(fields, body.strip("\r\n"), "\ufffd" not in text)


def read_bytes(file: Path, guard: Path, most: int) -> bytes:
    """At most `most` bytes of a file, and one more where it has more; no link leads out of `guard`."""
    if os.path.realpath(guard) != str(guard):
        raise SkippedSkill("its folder was exchanged for a link")
    try:
        with paths.open_file(only(guard), str(file)) as opened:
            return opened.read(most + 1)
    except ToolError as error:
        raise SkippedSkill(error.message.rstrip(".")) from None


def only(folder: Path) -> Workspace:
    """A workspace in which nothing but this folder can be read, and nothing written.

    A folder in a closed one is not pinned: whoever installs a skill again makes its folder anew.
    """
    return Workspace(folder.parent, (Root(folder.parent, "none"), Root(folder, "read")))


def findings(text: SkillText, folder: str) -> list[str]:
    """Violations of the standard, one sentence each."""
    fields, found = text.fields, list[str]()
    found += _name_findings(fields.get("name"), folder)
    if len(one_line(fields.get("description"))) > DESCRIPTION_CHARS:
        found.append(f"The description has more than {DESCRIPTION_CHARS:,} characters.")
    if len(one_line(fields.get("compatibility"))) > COMPATIBILITY_CHARS:
        found.append(f"The field compatibility has more than {COMPATIBILITY_CHARS} characters.")
    metadata = fields.get("metadata")
    if metadata is not None and not _is_text_map(metadata):
        found.append("The field metadata is no map of texts.")
    unknown = sorted(name for name in fields if name not in FIELDS)
    if unknown:
        shown = ", ".join(name[:40] for name in unknown[:5]) + (", …" if len(unknown) > 5 else "")
        found.append(f"The standard does not know: {shown}.")
    if text.body.count("\n") >= BODY_LINES:
        found.append(f"The body has more than {BODY_LINES} lines; move parts to files beside it.")
    if not text.body.strip():
        found.append("The body is empty.")
    if not text.is_utf8:
        found.append("The file is not UTF-8.")
    return found


def one_line(value: object) -> str:
    """A text on one line, without what does not print; empty for anything but a text."""
    if not isinstance(value, str):
        return ""
    if value.isprintable():
        return " ".join(value.split())
    return " ".join("".join(char if char.isprintable() else " " for char in value).split())


def _name_of(fields: Mapping[str, Any], folder: str) -> str:
    """The name as it is written, or made from the folder's: one word of at most 64 characters."""
    written = one_line(fields.get("name")) or folder
    return _UNFIT.sub("-", written).strip("-")[:NAME_CHARS] or "skill"


def _name_findings(written: object, folder: str) -> list[str]:
    name = one_line(written)
    if not name:
        return ["The field name is missing; the folder's name is taken."]
    found: list[str] = []
    if len(name) > NAME_CHARS or not _NAME.match(name):
        found.append(
            f"The name {name[:80]!r} must have 1 to {NAME_CHARS} lower-case letters and digits, with single"
            " hyphens between them."
        )
    if name != folder:
        found.append(f"The name {name[:80]!r} is not that of its folder, {folder[:80]!r}.")
    return found


def _is_text_map(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    return all(isinstance(each, str) for each in cast("dict[str, object]", value).values())
