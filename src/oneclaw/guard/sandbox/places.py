"""Lists the files and folders a sandboxed command can see."""

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Workspace
from oneclaw.guard.files.protected import is_inside

SandboxAccess = Literal["read", "write", "hidden"]
_NARROW: tuple[SandboxAccess, ...] = ("hidden", "read", "write")

FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
"""Folders that are links into /usr on most systems, and real ones on others."""

PROGRAMS = ("/usr", "/nix/store")
SYSTEM = ("/usr", "/etc", "/proc", "/dev", "/sys", "/bin", "/lib", "/run", "/var", "/boot")


@dataclass(frozen=True, slots=True)
class SandboxPath:
    """A file or folder, where it is seen from inside, and what may be done with it."""

    source: Path
    path: str
    access: SandboxAccess


def program_places() -> list[SandboxPath]:
    """Where programs and their libraries are; nothing there is secret or tells of other users."""
    return [SandboxPath(Path(path).resolve(), path, "read") for path in PROGRAMS if os.path.exists(path)]


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


def workspace_places(workspace: Workspace, beside: Sequence[Collection[str]] = ()) -> list[SandboxPath]:
    """The workspace and its roots, the narrower after the wider; what is closed is hidden where it shows.

    Commands write in the workspace, so a root in there is what stands at its path, and not what a link leads
    to: it would have us show any folder of this machine. The folders that hold one are places as well, for
    a place cannot be moved away; the next sandbox would not find what is in it. For the same reason the
    workspace is always a place of its own.

    `beside` is what other sandboxes that run see of the workspace, each as the paths of its places. What is
    no place there can be exchanged from there until it is shown here; so it is not shown as one here either.
    """
    folder = workspace.folder.absolute()
    if str(folder) == "/" or any(is_inside(path, str(folder)) for path in SYSTEM):
        raise ToolError(
            f"The workspace is {folder}, which holds the system itself; commands run only where the workspace"
            " is a folder of its own: set workspace.folder.",
            Kind.PERMISSION_DENIED,
        )
    shown: list[SandboxPath] = []
    for path, access in _accesses(folder, workspace):
        holder = covering(shown, str(path))
        if holder is not None and holder.access != "hidden":
            found = _places_inside(path, access, holder, shown, is_pinned=path == folder)
            shown += [one for one in found if one.access == "hidden" or _is_fixed(one.path, beside)]
        elif access != "hidden" and path.exists():
            shown.append(SandboxPath(path.resolve(), str(path), access))
    return shown


def _accesses(folder: Path, workspace: Workspace) -> list[tuple[Path, SandboxAccess]]:
    """Access by path from the workspace and its roots; the narrower of two wins."""
    said: dict[Path, SandboxAccess] = {}
    for root in workspace.roots:
        access: SandboxAccess = "hidden" if root.access == "none" else root.access
        earlier = said.get(root.folder.absolute(), access)
        is_narrower = _NARROW.index(earlier) < _NARROW.index(access)
        said[root.folder.absolute()] = earlier if is_narrower else access
    said.setdefault(folder, "write")
    return sorted(said.items(), key=lambda item: len(item[0].parts))


def _places_inside(
    path: Path,
    access: SandboxAccess,
    holder: SandboxPath,
    shown: Sequence[SandboxPath],
    *,
    is_pinned: bool = False,
) -> list[SandboxPath]:
    """A root inside of a place, after the folders that lead to it; none if what is there is not shown."""
    try:
        real = Path(os.path.realpath(path))
    except OSError:
        return []  # it is being exchanged
    if real != holder.source / path.relative_to(holder.path):  # a link leads elsewhere
        if is_pinned and holder.access == "write":
            raise ToolError(
                f"Commands cannot run: the workspace {path} leads through a link inside {holder.path}, where"
                f" they could exchange it; name the folder itself ({real}) in workspace.folder.",
                Kind.PERMISSION_DENIED,
                effects="none",
            )
        target = _holder(str(real), [(str(place.source), place) for place in shown])
        if target is None or target.access == "hidden":
            return []
        if any(is_inside(str(place.source), str(real)) for place in shown):
            return []  # it would cover that place
        holder = target
    if (access == holder.access and not is_pinned) or not real.exists():
        return []
    step = real.relative_to(holder.source)
    folders = [] if holder.access == "read" else [*step.parents][-2::-1]
    found = [
        SandboxPath(holder.source / one, os.path.join(holder.path, one), holder.access) for one in folders
    ]
    known = {place.path for place in shown}
    return [
        *(place for place in found if place.path not in known),
        SandboxPath(real, os.path.join(holder.path, step), access),
    ]


def covering(places: Iterable[SandboxPath], path: str) -> SandboxPath | None:
    """The innermost of the places that a path lies in."""
    return _holder(path, ((place.path, place) for place in places))


def is_wider(place: SandboxPath, other: SandboxPath) -> bool:
    """Whether more may be done with a place than with another."""
    return _NARROW.index(place.access) > _NARROW.index(other.access)


def _is_fixed(path: str, beside: Sequence[Collection[str]]) -> bool:
    return all(path in at or not any(is_inside(path, one) for one in at) for at in beside)


def _holder(path: str, places: Iterable[tuple[str, SandboxPath]]) -> SandboxPath | None:
    """The place that a path lies in, the innermost of several; each is given with where it is looked for."""
    holding = [(at, place) for at, place in places if is_inside(path, at)]
    return max(holding, key=lambda one: len(one[0]))[1] if holding else None
