"""Chooses the workspace of a chat or a run, and keeps the folders that a person confirmed.

Theory. A folder that is named (`--workspace`, ONECLAW_WORKSPACE, `workspace.folder`) is taken. Else the
current folder is taken if it lies in a git repository of the same user, or in a folder that a person
confirmed. Else it is the private folder in the data folder. A folder that is too wide is never taken unless
it is named: the root, the home, all above the home, folders of the system and OneClaw's own. A repository
that begins in such a folder makes no project of what lies below.

To confirm a folder is not to trust it. In a confirmed folder tools may work; the tools and skills that lie in
a folder are loaded only where it is trusted (`oneclaw tools trust`, `App.is_trusted`).
"""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from oneclaw.config import Config, user_folder
from oneclaw.core.errors import InvalidConfig
from oneclaw.operations.reading import reading
from oneclaw.store.store import Store

CONFIRMED = "workspace."
"""How the settings of the store name a folder that a person was asked about: this, and its real path."""

SYSTEM = tuple(
    Path("/", name)
    for name in ("bin", "boot", "dev", "etc", "lib", "lib64", "proc", "run", "sbin", "sys", "usr", "var")
)
"""Folders of the system, which may be repositories too, as /etc with etckeeper."""

Reason = Literal["named", "repository", "confirmed", "private"]


@dataclass(frozen=True, slots=True)
class WorkspaceChoice:
    """The workspace, and why it is this one.

    current   the current folder, where it is not the workspace and could be: nobody was asked about it
    too_wide  the current folder, where it is never taken unless it is named
    """

    folder: Path
    reason: Reason
    current: Path | None = None
    too_wide: Path | None = None


async def choose_workspace(config: Config, current: Path | None = None) -> WorkspaceChoice:
    """The workspace of a program that is started in the current folder."""
    if config.workspace is not None:
        return WorkspaceChoice(config.workspace, "named")
    private = WorkspaceChoice(config.workspace_folder, "private")
    here = _real(current)
    if here is None:
        return private
    if is_too_wide(here, config) or not os.access(here, os.W_OK):
        return replace(private, too_wide=here)
    said = _nearest(here, await confirmed_folders(config))
    if said is None and is_in_repository(here, config):
        return WorkspaceChoice(here, "repository")
    if said is None:
        return replace(private, current=here)
    return WorkspaceChoice(here, "confirmed") if said else private


def in_workspace(config: Config, choice: WorkspaceChoice) -> Config:
    """The settings with the workspace that was chosen."""
    if choice.reason in ("named", "private"):
        return config
    return replace(config, values={**config.values, "workspace.folder": str(choice.folder)})


async def confirmed_folders(config: Config) -> dict[Path, bool]:
    """The folders a person was asked about, and whether tools may work there."""
    with reading(config) as store:
        kept: Mapping[str, bool] = {} if store is None else await store.settings.all(CONFIRMED)
    return {Path(key.removeprefix(CONFIRMED)): bool(is_yes) for key, is_yes in kept.items()}


async def confirm_folder(config: Config, folder: Path, is_confirmed: bool | None = True) -> Path:
    """Keep that tools may work in a folder, that they may not, or (None) that nobody was asked.

    Gives the real path of the folder. Raises `InvalidConfig` for one that is too wide.
    """
    real = _real(folder) or folder
    if is_confirmed:
        _check(real, config)
    with Store(config.store_file) as store:
        if is_confirmed is None:
            await store.settings.delete(f"{CONFIRMED}{real}")
        else:
            await store.settings.set(f"{CONFIRMED}{real}", is_confirmed)
    return real


def is_too_wide(folder: Path, config: Config) -> bool:
    """Whether a folder must be named to be taken: the home, all above it, the system's and our own."""
    home = Path(os.path.realpath(Path.home()))
    if not _is_text(folder) or folder == Path(folder.anchor) or home.is_relative_to(folder):
        return True
    kinds = (user_folder("config"), user_folder("data"), user_folder("cache"), user_folder("state"))
    own = [Path(os.path.realpath(each)) for each in (config.home, *kinds, *config.tool_folders)]
    return any(folder.is_relative_to(each) for each in (*SYSTEM, *own))


def is_in_repository(folder: Path, config: Config) -> bool:
    """Whether a folder lies in a git repository that belongs to this user.

    As git has it, what another user made says nothing, as a .git in a folder where all may write. Hidden
    folders of the home say nothing either: they hold what programs obey.
    """
    home = Path(os.path.realpath(Path.home()))
    if folder.is_relative_to(home) and folder.relative_to(home).parts[0].startswith("."):
        return False
    for each in (folder, *folder.parents):
        if is_too_wide(each, config):
            return False
        git = each / ".git"
        if git.is_file() or (git / "HEAD").is_file():
            return all(map(_is_mine, (folder, each, git)))
    return False


def _is_mine(place: Path) -> bool:
    try:
        status = os.stat(place)
    except OSError:
        return False
    return status.st_uid == os.geteuid() and not status.st_mode & stat.S_IWOTH


def _check(folder: Path, config: Config) -> None:
    """Raise `InvalidConfig` for a folder that cannot be confirmed."""
    if not _is_text(folder):
        raise InvalidConfig(f"{os.fsencode(folder)!r} is no text; rename the folder, or use --workspace.")
    if not folder.is_dir():
        raise InvalidConfig(f"{folder} is no folder; name the folder of a project.")
    if is_too_wide(folder, config):
        raise InvalidConfig(
            f"{folder} is no project: it is your home, above it, or a folder of the system or of OneClaw."
            " Name another folder, or use --workspace for one start."
        )


def _real(folder: Path | None) -> Path | None:
    """The real path of a folder, or of the current one; None where that is gone."""
    try:
        return Path(os.path.realpath((folder or Path.cwd()).expanduser()))
    except OSError:
        return None


def _nearest(folder: Path, said: Mapping[Path, bool]) -> bool | None:
    """Whether a person confirmed a folder, or the nearest one above it."""
    return next((said[each] for each in (folder, *folder.parents) if each in said), None)


def _is_text(folder: Path) -> bool:
    text = str(folder)
    return text.encode("utf-8", "ignore").decode() == text
