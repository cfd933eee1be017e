"""Copies a skill into our own folder, and removes it again."""

import os
import shutil
import stat
import tempfile
from pathlib import Path

from oneclaw.core.errors import InvalidConfig
from oneclaw.skills.skill import Skill

MOST_FILES = 2_000
MOST_BYTES = 64 << 20
_LEFT_OUT = (".git", "node_modules", "__pycache__")


def copy_skill(skill: Skill, own: Path, *, is_replacing: bool) -> Path:
    """Copy the folder of a skill under its name, whole or not at all; raises `InvalidConfig`."""
    target = own / skill.name
    if os.path.lexists(target) and not is_replacing:
        raise InvalidConfig(f"There is a skill {skill.name} in {own} already; add --replace to replace it.")
    files = files_to_copy(skill.guard)
    try:
        own.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=own, prefix=".adding-") as waiting:
            made = Path(waiting) / "new"
            for name in files:
                (made / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(skill.guard / name, made / name)
            if os.path.lexists(target):
                os.rename(target, Path(waiting) / "old")
            os.rename(made, target)
    except OSError as error:
        raise InvalidConfig(f"The skill {skill.name} cannot be copied to {own} ({error.strerror}).") from None
    return target


def remove_skill(skill: Skill, own: Path) -> None:
    """Remove a skill from our own folder; raises `InvalidConfig` for one that lies elsewhere."""
    if skill.guard == own or not skill.guard.is_relative_to(os.path.realpath(own)):
        raise InvalidConfig(
            f"The skill {skill.name} is not one that `oneclaw skills add` copied; remove {skill.folder}."
        )
    try:
        shutil.rmtree(skill.guard)
    except OSError as error:
        raise InvalidConfig(f"{skill.guard} cannot be removed ({error.strerror}).") from None


def files_to_copy(folder: Path) -> list[str]:
    """The files of a folder, from there on; raises `InvalidConfig` for too many, and for what is no file."""
    found: list[str] = []
    size = 0
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT)
        for name in (*(each for each in folders if os.path.islink(os.path.join(here, each))), *sorted(names)):
            path = os.path.join(here, name)
            size += _size(path, folder)
            found.append(os.path.relpath(path, folder))
        if len(found) > MOST_FILES or size > MOST_BYTES:
            raise InvalidConfig(
                f"{folder} has more than {MOST_FILES:,} files or {MOST_BYTES >> 20} MiB; that is no skill."
            )
    return found


def _size(path: str, folder: Path) -> int:
    status = os.lstat(path)
    if stat.S_ISLNK(status.st_mode):
        inside = os.path.join(os.path.realpath(folder), "")
        if not os.path.realpath(path).startswith(inside):
            raise InvalidConfig(f"{path} is a link that leads out of the skill; it is not copied.")
        status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise InvalidConfig(f"{path} is no regular file; take it out of the skill.")
    return status.st_size
