"""What a command sees of this machine: a few places of the system to read, the roots of the workspace."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Workspace

Access = Literal["read", "write", "hidden"]

FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
"""Folders that are links into /usr on most systems, and real ones on others."""

PROGRAMS = ("/usr", "/nix/store")
SYSTEM = ("/usr", "/etc", "/proc", "/dev", "/sys", "/bin", "/lib", "/run", "/var", "/boot")


@dataclass(frozen=True, slots=True)
class Place:
    """A file or folder, where it is seen from inside, and what may be done with it."""

    source: Path
    path: str
    access: Access


def program_places() -> list[Place]:
    """Where programs and their libraries are; nothing there is secret or tells of other users."""
    return [Place(Path(path).resolve(), path, "read") for path in PROGRAMS if os.path.exists(path)]


def linked_folders() -> list[tuple[str, str | None]]:
    """The folders of the root that hold programs, each with where it links to, or None for a real one."""
    found: list[tuple[str, str | None]] = []
    for name in FOLDERS:
        path = f"/{name}"
        if os.path.islink(path):
            found.append((path, os.readlink(path)))
        elif os.path.isdir(path):
            found.append((path, None))
    return found


def workspace_places(workspace: Workspace) -> list[Place]:
    """The workspace and its roots, the narrower after the wider; what is closed is hidden where it shows."""
    folder = workspace.folder.absolute()
    if str(folder) == "/" or any(str(folder) == path or _is_inside(path, folder) for path in SYSTEM):
        raise ToolError(
            f"The workspace is {folder}, which holds the system itself; commands run only where the workspace"
            " is a folder of its own: set workspace.folder.",
            Kind.PERMISSION_DENIED,
        )
    access: dict[Path, Access] = {folder: "write"}
    for root in workspace.roots:
        access[root.folder.absolute()] = "hidden" if root.access == "none" else root.access
    shown: list[Place] = []
    for path in sorted(access, key=lambda path: len(path.parts)):
        if path.exists() and (access[path] != "hidden" or _shows(path, shown)):
            shown.append(Place(path.resolve(), str(path), access[path]))
    return shown


def _shows(path: Path, shown: Iterable[Place]) -> bool:
    return any(_is_inside(str(path), Path(place.path)) for place in shown if place.access != "hidden")


def _is_inside(path: str, folder: Path) -> bool:
    return path == str(folder) or path.startswith(f"{folder}/")
