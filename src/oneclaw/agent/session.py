"""Builds a session from the settings: workspace, network access and folder for long results."""

import os
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from oneclaw.config import WORKSPACE, Config, user_folder
from oneclaw.core.errors import InvalidConfig
from oneclaw.core.session import Network, Root, Session, UndoFolder, Workspace
from oneclaw.core.text.file_name import file_name
from oneclaw.guard.files.places import ProtectedPlaces, spell_root
from oneclaw.guard.files.protected import is_inside


def session_folder(config: Config, session_id: str) -> Path:
    """The folder for the long results of a session, in the data folder whatever its id is."""
    return config.home / "sessions" / file_name(session_id)


def make_session(config: Config, session_id: str, agent: str, like: Session | None = None) -> Session:
    """The session of this id and agent; makes the workspace where there is none.

    `like` is a session of the same settings, whose roots were worked out and pinned before.
    """
    folder = session_folder(config, session_id)
    if like is not None:
        own = Root(folder, "read")
        roots = tuple([own if root.folder is like.folder else root for root in like.workspace.roots])
        made = Workspace(like.workspace.folder, roots)
        network, undo = like.network, like.undo
        _make_workspace(made, config.tool_folders)
    else:
        made = Workspace(config.workspace_folder, roots_of(config, folder))
        network = Network(config.settings.network.proxy, config.settings.network.private_hosts)
        undo = undo_folder(config)
        _make_workspace(made, config.tool_folders)
        ProtectedPlaces(made)  # pins its roots before a tool of this program can exchange one
    return Session(session_id, agent, made, network, folder, undo=undo)


def _make_workspace(workspace: Workspace, tool_folders: Iterable[Path]) -> None:
    """Make the workspace, and those of our folders that lie where tools write.

    A sandbox can close only what is there.
    """
    folder = workspace.folder
    if not os.path.isdir(folder):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidConfig(
                f"The workspace {folder} cannot be made ({error.strerror}): name another folder with"
                " workspace.folder, ONECLAW_WORKSPACE or --workspace."
            ) from error
    writable = (folder, *[root.folder for root in workspace.roots if root.access == "write"])
    own = (*map(user_folder, ("config", "cache", "state", "data")), *tool_folders)
    for each in _within(tuple(map(os.fspath, writable)), tuple(map(os.fspath, own))):
        if not os.path.isdir(each):
            with suppress(OSError):
                Path(each).mkdir(mode=0o700, parents=True, exist_ok=True)


@lru_cache(16)
def _within(writable: tuple[str, ...], own: tuple[str, ...]) -> tuple[str, ...]:
    """Those of our folders that lie in a writable one."""
    opened = [spell_root(folder).real for folder in writable]
    return tuple(folder for folder in own if _is_within(spell_root(folder).real, opened))


def undo_folder(config: Config) -> UndoFolder:
    """Where earlier versions of files and deleted files are kept."""
    said = config.settings.undo
    return UndoFolder(config.home / "undo", said.file_mb << 20, said.total_mb << 20, said.keep_days)


def roots_of(config: Config, session_folder: Path) -> tuple[Root, ...]:
    """Workspace roots: our own files are closed, long results may be read."""
    opened = config.settings.workspace.write
    git = config.workspace_folder / ".git"
    own = _own_folders(config)
    return (
        *own,
        Root(config.secrets_file, "none"),
        Root(session_folder, "read"),
        *((Root(config.file, "read"),) if config.file else ()),
        # Tool files, and wherever links have them lie: what a tool wrote there would be run as a tool.
        *(Root(folder, "none") for folder in config.tool_folders),
        Root(config.project_folder, "read"),
        Root(config.project_folder / "tools", "read"),
        # What stands here names programs that the owner's own git runs, outside every sandbox.
        *(Root(place, "read") for place in (git / "config", git / "hooks") if place not in opened),
        *(Root(folder, "read") for folder in config.settings.workspace.read),
        *(Root(folder, "read" if _is_ours(folder, config, own) else "write") for folder in opened),
        *((Root(config.workspace_folder, "read"),) if _is_ours(config.workspace_folder, config, own) else ()),
    )


def _own_folders(config: Config) -> tuple[Root, ...]:
    """The folders of OneClaw itself. Whether they are there or not: what a tool put there would be obeyed."""
    return (
        Root(config.home, "none"),
        *(Root(folder, "none") for folder in (user_folder("data"),) if folder != config.home),
        *(Root(user_folder(kind), "read") for kind in ("config", "cache", "state")),
    )


def _is_ours(folder: Path, config: Config, own: tuple[Root, ...]) -> bool:
    """Whether a folder lies in one of our own, which no setting opens to writing; the workspace in it may."""
    real = _real(folder)
    if _is_within(real, [_real(data / WORKSPACE) for data in (config.home, user_folder("data"))]):
        return False
    return _is_within(real, [_real(root.folder) for root in own])


def _real(folder: Path) -> str:
    return spell_root(os.fspath(folder)).real


def _is_within(real: str, folders: Iterable[str]) -> bool:
    return any(is_inside(real, each) for each in folders)
