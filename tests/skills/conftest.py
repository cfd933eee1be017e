"""A project, a home and a data folder with skills."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from oneclaw.skills.library import SkillLibrary

BODY = "# How\n\nDo it in three steps.\n"


def write_skill(place: Path, name: str, text: str | None = None, /, **fields: str) -> Path:
    """A skill in a folder of skills; `text` is the whole SKILL.md where it is given."""
    folder = place / name
    folder.mkdir(parents=True, exist_ok=True)
    said = {"name": name, "description": f"Work with {name} files.", **fields}
    front = "".join(f"{key}: {value}\n" for key, value in said.items())
    (folder / "SKILL.md").write_text(f"---\n{front}---\n\n{BODY}" if text is None else text, encoding="utf-8")
    return folder


@dataclass(frozen=True)
class Scene:
    """Folders of one person: the home, the data folder, and a project with its repository."""

    home: Path
    data: Path
    repository: Path
    workspace: Path

    def library(self, *trusted: Path) -> SkillLibrary:
        """What is found there now, with these folders trusted."""
        library = SkillLibrary(self.workspace, self.data / "skills", self.home)
        library.trust(lambda folder: folder in trusted)
        library.scan()
        return library


@pytest.fixture
def people(tmp_path: Path) -> Scene:
    made = Scene(tmp_path / "home", tmp_path / "data", tmp_path / "repo", tmp_path / "repo" / "part")
    for folder in (made.home, made.data, made.workspace):
        folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(made.repository)], check=True, timeout=60)
    return made
