"""Finds SKILL.md files: in the project, in our own folder, and in the person's home."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from oneclaw.guard.files.protected import is_inside
from oneclaw.skills.skill import FILE, SkillScope

FOLDERS = (".agents/skills", ".claude/skills")
DEEPEST = 4
MOST_FOLDERS = 2_000
_PASSED_OVER = ("node_modules", "__pycache__")


@dataclass(frozen=True, slots=True)
class SkillPlace:
    """A folder of skills. `project` is the folder whose trust decides about it; None where it is ours."""

    folder: Path
    scope: SkillScope
    project: Path | None = None


@dataclass(frozen=True, slots=True)
class FoundSkill:
    """A SKILL.md and the real folder that reading it may not leave."""

    file: Path
    guard: Path


def project_folders(workspace: Path) -> list[Path]:
    """The workspace and its parents up to the root of its repository; the workspace alone without one."""
    found: list[Path] = []
    for folder in (workspace, *workspace.parents):
        found.append(folder)
        if _is_repository(folder, workspace):
            return found
    return found[:1]


def skill_places(workspace: Path, own: Path, home: Path) -> list[SkillPlace]:
    """The folders of skills that are there; of two skills of one name the first one holds."""
    ours = [SkillPlace(own, "own"), *(SkillPlace(home / name, "home") for name in FOLDERS)]
    projects = [
        SkillPlace(folder / name, "project", folder)
        for folder in project_folders(workspace)
        if folder != home
        for name in FOLDERS
    ]
    there = {real: place for place in reversed((*projects, *ours)) if (real := _real_folder(place.folder))}
    mine = {real for place in ours if (real := _real_folder(place.folder))}
    return [
        place
        for real, place in reversed(there.items())
        if place.project is None or (real not in mine and is_inside(real, os.path.realpath(place.project)))
    ]


def find_skills(place: SkillPlace) -> Iterator[FoundSkill]:
    """The skills of a place, in order of their paths. What lies below a skill is part of it.

    Links are followed in folders of the person's own, and only where they stand for one skill.
    """
    real = Path(os.path.realpath(place.folder))
    waiting, left = [(real, 0)], MOST_FOLDERS
    while waiting and left:
        folder, depth = waiting.pop()
        left -= 1
        names, links = _folders_in(folder) if depth < DEEPEST else ([], [])
        file = _skill_file(folder) if depth else None
        if file is not None:
            yield FoundSkill(file, folder)
            continue
        if depth == 0 and place.project is None:
            yield from _linked(folder, links)
        waiting += [(folder / name, depth + 1) for name in reversed(names)]


def _is_repository(folder: Path, workspace: Path) -> bool:
    """Whether a folder is the root of a repository of ours: others may make one above, as in /tmp."""
    try:
        owner = os.lstat(folder / ".git").st_uid
        return owner in (os.geteuid(), os.stat(workspace).st_uid)
    except OSError:
        return False


def _linked(folder: Path, links: list[str]) -> Iterator[FoundSkill]:
    """Skills that a link in a folder of the person's own stands for."""
    for name in links:
        target = Path(os.path.realpath(folder / name))
        file = _skill_file(target)
        if file is not None and not is_inside(str(folder), os.path.realpath(target)):
            yield FoundSkill(file, target)


def _folders_in(folder: Path) -> tuple[list[str], list[str]]:
    """The names of the folders that are not hidden, and of the links, in a folder, sorted."""
    with suppress(OSError), os.scandir(folder) as entries:
        found = sorted((each for each in entries), key=lambda each: each.name)
        folders = [each.name for each in found if each.is_dir(follow_symlinks=False)]
        links = [each.name for each in found if each.is_symlink()]
        return [name for name in folders if name not in _PASSED_OVER and name[:1] != "."], links
    return [], []


def _skill_file(folder: Path) -> Path | None:
    for name in (FILE, FILE.lower()):
        if os.path.lexists(folder / name):
            return folder / name
    return None


def _real_folder(folder: Path) -> str:
    return os.path.realpath(folder) if os.path.isdir(folder) else ""
