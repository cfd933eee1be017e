"""Lists, shows, adds, checks, removes and trusts skills; lists the notes of the project."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from oneclaw.core.errors import InvalidConfig, NotFound
from oneclaw.core.load import LoadProblem
from oneclaw.core.registry import nearest
from oneclaw.skills.block import find_blocks
from oneclaw.skills.install import copy_skill, files_to_copy
from oneclaw.skills.install import remove_skill as remove_copy
from oneclaw.skills.library import SkillLibrary
from oneclaw.skills.places import FoundSkill, SkillPlace, find_skills, project_folders
from oneclaw.skills.project_notes import ProjectNotes, find_notes
from oneclaw.skills.skill import FILE, Skill, SkippedSkill, findings, read_skill, read_text

if TYPE_CHECKING:
    from oneclaw.app import App
    from oneclaw.config import Config


@dataclass(frozen=True, slots=True)
class SkillState:
    """A skill that is loaded, where it is, and what the standard forbids about it."""

    name: str
    description: str
    scope: str
    folder: str
    by_person_only: bool
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SkillList:
    """The skills, what was left out and why, and SKILL.md files of a project that is not trusted."""

    skills: tuple[SkillState, ...]
    problems: tuple[LoadProblem, ...]
    untrusted: tuple[str, ...]
    project: str


@dataclass(frozen=True, slots=True)
class SkillContent:
    """One skill with its files and its body."""

    skill: SkillState
    files: tuple[str, ...]
    body: str


@dataclass(frozen=True, slots=True)
class CheckedSkill:
    """A SKILL.md and what the standard forbids about it; `is_loaded` if it is used all the same."""

    name: str
    file: str
    is_loaded: bool
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TrustedSkills:
    """A folder that is trusted or not, whether that is new, and its skills that are loaded."""

    folder: str
    trusted: bool
    changed: bool
    skills: tuple[str, ...]


def list_skills(app: "App") -> SkillList:
    library = _library(app)
    return SkillList(
        tuple(_state(each) for each in library.skills.values()),
        tuple(library.problems),
        tuple(str(file) for file in library.untrusted),
        str(project_of(app)),
    )


def find_skill(app: "App", name: str) -> Skill:
    """The skill of a name; raises `NotFound`."""
    library = _library(app)
    found = library.skills.get(name)
    if found is None:
        raise NotFound("skill", name, "skills", nearest(name, library.skills))
    return found


def show_skill(app: "App", name: str) -> SkillContent:
    """A skill with its files and its body; raises `InvalidConfig`."""
    skill = find_skill(app, name)
    try:
        files, body = _library(app).files(skill), read_text(skill.file, skill.guard).body
    except SkippedSkill as reason:
        raise InvalidConfig(f"The skill {name} cannot be read: {reason}.") from None
    return SkillContent(_state(skill), tuple(files), body)


def add_skills(config: "Config", source: Path, *, is_replacing: bool = False) -> list[SkillState]:
    """Copy a skill, or every skill in a folder, into our own folder; raises `InvalidConfig`."""
    own, added = _own(config), list[SkillState]()
    found = _in_folder(source)
    if not found:
        raise InvalidConfig(
            f"There is no {FILE} in {source}; name the folder of a skill, or one with skills."
        )
    skills = [_read(each) for each in found]
    for skill in skills:
        target = copy_skill(skill, own, is_replacing=is_replacing)
        added.append(_state(Skill(skill.name, skill.description, target / FILE, "own", target)))
    return added


def remove_skill(app: "App", name: str) -> str:
    """Remove a skill that was added; gives its folder. Raises `InvalidConfig`."""
    skill = find_skill(app, name)
    remove_copy(skill, _library(app).own)
    return str(skill.folder)


def check_skills(app: "App", named: str = "") -> list[CheckedSkill]:
    """Hold skills to the standard: all of them, one by name, or those of a folder; raises `InvalidConfig`."""
    library = _library(app)
    if not named:
        loaded = [FoundSkill(each.file, each.guard) for each in library.skills.values()]
        others = [Path(each.place) for each in library.problems if not each.is_warning]
        found = [*loaded, *(FoundSkill(file, file.parent) for file in (*others, *library.untrusted))]
    elif named in library.skills:
        found = [FoundSkill(library.skills[named].file, library.skills[named].guard)]
    else:
        found = _in_folder(Path(named).expanduser())
        if not found:
            raise NotFound("skill", named, "skills", nearest(named, library.skills))
    return [_check(each) for each in found]


async def trust_skills(app: "App", folder: Path | None = None, is_trusted: bool = True) -> TrustedSkills:
    """Have the tools and skills of a folder loaded, or no longer; the project where none is named."""
    folder = project_of(app) if folder is None else _real(folder)
    if is_trusted and not folder.is_dir():
        raise InvalidConfig(f"{folder} is no folder; name the folder of a project.")
    is_new = await app.trust(folder, is_trusted)
    names = [each.name for each in _library(app).skills.values() if each.guard.is_relative_to(folder)]
    return TrustedSkills(str(folder), is_trusted, is_new, tuple(names))


def project_of(app: "App") -> Path:
    """The root of the workspace's repository; the workspace without one."""
    return Path(os.path.realpath(project_folders(app.config.workspace_folder)[-1]))


def project_notes(app: "App") -> list[ProjectNotes]:
    """The AGENTS.md files that agents are told, the outermost first, and how much of each."""
    return find_notes(app.config.workspace_folder, app.config.settings.skills.notes_chars)


def named_skill(app: "App", text: str) -> Skill | None:
    """The skill that a person names by a message that begins `/name`."""
    word = text.lstrip().split(maxsplit=1)[0] if text.strip() else ""
    if app.skills is None or not word.startswith("/"):
        return None
    return app.skills.skills.get(word[1:])


def with_skill(app: "App", text: str) -> str:
    """A message with the skill that it names by `/name`; raises `InvalidConfig` when that cannot be read."""
    skill = named_skill(app, text)
    if skill is None:
        return text
    try:
        return f"{text.strip()}\n\n{_library(app).load(skill)}"
    except SkippedSkill as reason:
        raise InvalidConfig(f"The skill {skill.name} cannot be loaded: {reason}.") from None


def without_skills(text: str) -> tuple[str, list[str]]:
    """A message as a person wrote it, and the names of the skills that were added to it."""
    blocks = find_blocks(text)
    for block in blocks.values():
        text = text.replace(block, "")
    return text.rstrip() if blocks else text, list(blocks)


def skill_names(config: "Config") -> list[str]:
    """The names of our own skills and of those in the home, for completion."""
    from oneclaw.parts import make_library

    library = make_library(config)
    library.scan()
    return list(library.skills)


def _library(app: "App") -> SkillLibrary:
    if app.skills is None:
        raise InvalidConfig("This app takes no skills: it was made without tools from outside.")
    return app.skills


def _real(folder: Path) -> Path:
    return Path(os.path.realpath(os.path.expanduser(folder)))


def _own(config: "Config") -> Path:
    return config.home / "skills"


def _state(skill: Skill) -> SkillState:
    return SkillState(
        skill.name, skill.description, skill.scope, str(skill.folder), skill.is_manual, skill.warnings
    )


def _in_folder(source: Path) -> Sequence[FoundSkill]:
    """The skill of a folder or of a SKILL.md, or the skills in a folder."""
    real = _real(source)
    folder = real.parent if real.is_file() and real.name.lower() == FILE.lower() else real
    if not folder.is_dir():
        raise InvalidConfig(f"{source} is no folder; name the folder of a skill.")
    names = [name for name in os.listdir(folder) if name.lower() == FILE.lower()]
    if names:
        return [FoundSkill(folder / names[0], folder)]
    return list(find_skills(SkillPlace(folder, "project", folder)))


def _read(found: FoundSkill) -> Skill:
    try:
        return read_skill(found.file, "own", found.guard)
    except SkippedSkill as reason:
        raise InvalidConfig(f"{found.file}: {reason}.") from None


def _check(found: FoundSkill) -> CheckedSkill:
    try:
        skill, text = read_skill(found.file, "own", found.guard), read_text(found.file, found.guard)
    except SkippedSkill as reason:
        return CheckedSkill(found.file.parent.name, str(found.file), False, (f"It is left out: {reason}.",))
    problems = findings(text, found.file.parent.name)
    try:
        files_to_copy(found.guard)
    except InvalidConfig as error:
        problems.append(str(error))
    return CheckedSkill(skill.name, str(found.file), True, tuple(problems))
