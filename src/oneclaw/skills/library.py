"""SkillLibrary: all skills that can be loaded now."""

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from oneclaw.core.errors import ToolError
from oneclaw.core.load import LoadProblem
from oneclaw.core.session import Root
from oneclaw.guard.files import paths
from oneclaw.skills.block import MOST_FILES, write_block
from oneclaw.skills.places import FoundSkill, SkillPlace, find_skills, project_folders, skill_places
from oneclaw.skills.skill import Skill, SkippedSkill, only, read_skill, read_text

SkillsSeen = frozenset[tuple[str, int, int, int]]
"""Each SKILL.md with its inode, size and the time of its last change."""
_Found = list[tuple[SkillPlace, FoundSkill]]
_MOST_ENTRIES = 2_000


class SkillLibrary:
    """The skills of the project, of our own folder and of the home. Nothing is read before `scan`."""

    def __init__(self, workspace: Path, own: Path, home: Path) -> None:
        self.workspace = workspace
        self.own = own
        self.skills: dict[str, Skill] = {}
        self.problems: Sequence[LoadProblem] = ()
        self.untrusted: Sequence[Path] = ()
        """SKILL.md files of the project that are not loaded because its folder is not trusted."""
        self.roots: tuple[Root, ...] = ()
        """The folders of skills outside the workspace, which tools may read."""
        self.seen: SkillsSeen = frozenset()
        self._home = home
        self._is_trusted: Callable[[Path], bool] = lambda folder: False

    def trust(self, is_trusted: Callable[[Path], bool]) -> None:
        """Say which folders are trusted; takes effect with the next `scan`."""
        self._is_trusted = is_trusted

    def has_places(self) -> bool:
        """Whether there is a folder of skills."""
        return bool(skill_places(self.workspace, self.own, self._home))

    def look(self) -> SkillsSeen:
        """A mark of the files there are now."""
        return _seen(self._find())

    def scan(self) -> None:
        """Read the skills anew."""
        found = self._find()
        skills: dict[str, Skill] = {}
        problems: list[LoadProblem] = []
        untrusted: list[Path] = []
        for place, each in found:
            if not self._is_open(place):
                untrusted.append(each.file)
                continue
            try:
                skill = read_skill(each.file, place.scope, each.guard)
            except SkippedSkill as reason:
                problems.append(LoadProblem(str(each.file), f"{reason}."))
                continue
            first = skills.setdefault(skill.name, skill)
            if first is not skill:
                words = f"the skill {skill.name} in {first.folder} has the same name and goes first."
                problems.append(LoadProblem(str(skill.file), words, is_warning=True))
        self.skills, self.problems, self.untrusted = skills, problems, untrusted
        self.roots, self.seen = self._roots_of(found), _seen(found)

    def load(self, skill: Skill) -> str:
        """The text of a skill for a model, as it stands in its file now; raises `SkippedSkill`."""
        body, names = read_text(skill.file, skill.guard).body, self.files(skill)
        return write_block(skill, body, names[:MOST_FILES], len(names) <= MOST_FILES)

    def files(self, skill: Skill) -> list[str]:
        """The files beside the SKILL.md, from its folder on; links and hidden folders are left out."""
        try:
            with paths.open_folder(only(skill.guard), str(skill.folder)) as folder:
                walk = folder.walk(lambda entry: not entry.name.startswith("."), _MOST_ENTRIES)
                return [each.path for each in walk if each.kind == "file" and each.path != skill.file.name]
        except ToolError as error:
            raise SkippedSkill(error.message.rstrip(".")) from None

    def _is_open(self, place: SkillPlace) -> bool:
        """Whether the skills of a place are loaded: its folder or one above it in the project is trusted."""
        return place.project is None or any(map(self._is_trusted, project_folders(place.project)))

    def _find(self) -> _Found:
        places = skill_places(self.workspace, self.own, self._home)
        return [(place, each) for place in places for each in find_skills(place)]

    def _roots_of(self, found: _Found) -> tuple[Root, ...]:
        folders: list[str] = []
        inside = [os.path.realpath(self.workspace)]
        for place, each in found:
            for folder in (os.path.realpath(place.folder), str(each.guard)):
                if self._is_open(place) and not _is_in(folder, (*inside, *folders)):
                    folders.append(folder)
        return tuple(Root(Path(each), "read") for each in folders)


def _is_in(folder: str, others: Iterable[str]) -> bool:
    return any(f"{folder}/".startswith(f"{each.rstrip('/')}/") for each in others)


def _seen(found: _Found) -> SkillsSeen:
    marks: set[tuple[str, int, int, int]] = set()
    for _, each in found:
        try:
            status = os.stat(each.file)
        except OSError:
            continue
        marks.add((str(each.file), status.st_ino, status.st_size, status.st_mtime_ns))
    return frozenset(marks)
