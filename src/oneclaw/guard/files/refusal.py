"""One-sentence reasons for refused paths."""

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Literal

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import RootAccess, Workspace
from oneclaw.guard.files.descent import LINKS, Descent, Exchanged, OutsideRoots
from oneclaw.guard.files.places import identity, pin
from oneclaw.guard.files.route import Route, spell

Verb = Literal["read", "write"]

_STUCK = (errno.ENOENT, errno.ENOTDIR, errno.EACCES)

_ODD = {stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}


@contextmanager
def explained(descent: Descent, path: str, route: Route, verb: Verb) -> Generator[None]:
    """Turn what the system says on the way down `path` into a `ToolError`."""
    try:
        yield
    except OutsideRoots:
        raise outside(path) from None
    except Exchanged as root:
        raise exchanged(str(root)) from None
    except OSError as error:
        if descent.access == "none":  # where tools may not look, they do not learn what is there either
            raise protected(path) from None
        # A path that was on its way out is told that, wherever it got stuck.
        if error.errno in _STUCK and descent.is_outside_by_text(route.base, route.parts):
            raise outside(path) from None
        raise _explain(error, path, verb) from None


def outside(path: str) -> ToolError:
    return ToolError(f"Access denied: {spell(path)} is outside the workspace.", Kind.PATH_NOT_ALLOWED)


def exchanged(root: str) -> ToolError:
    return ToolError(
        f"Access denied: the folder {spell(root)} was exchanged for another one since OneClaw started; if you"
        " did that, restart OneClaw.",
        Kind.PATH_NOT_ALLOWED,
        effects="none",
    )


def check_workspace(workspace: Workspace) -> None:
    """Raise `ToolError` when another folder stands where the workspace was at the start."""
    spelling = pin(os.fspath(workspace.folder))
    with suppress(OSError):
        if spelling.identity not in (None, identity(os.stat(spelling.real))):
            raise exchanged(spelling.real)


def protected(path: str) -> ToolError:
    return ToolError(f"Access denied: {spell(path)} is closed to tools.", Kind.PATH_NOT_ALLOWED)


def refuse(need: str, reason: str) -> None:
    """The answer where nobody can be asked."""
    raise ToolError(f"{reason} This needs the permission {need}.", Kind.PERMISSION_DENIED, effects="none")


def need_write(access: RootAccess, path: str) -> None:
    if access == "none":
        raise protected(path)
    if access != "write":
        message = f"Access denied: {spell(path)} may be read but not written."
        raise ToolError(message, Kind.PATH_NOT_ALLOWED)


def need_write_bit(mode: int, path: str) -> None:
    """Refuse a file that nobody may write; the system itself would let root replace it."""
    if not mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        raise ToolError(
            f"Permission denied: {spell(path)} is read-only; leave it as it is, or ask the user to make it"
            " writable.",
            Kind.PERMISSION_DENIED,
            effects="none",
        )


def need_regular(mode: int, path: str) -> None:
    if stat.S_ISREG(mode):
        return
    if stat.S_ISDIR(mode):
        message = f"Path is a directory, not a file: {spell(path)}; see what is in it with list_files."
    else:
        what = _ODD.get(stat.S_IFMT(mode), "not a regular file")
        message = f"{spell(path)} is {what}; only regular files can be read and written."
    raise ToolError(message, Kind.VALIDATION_ERROR)


def _explain(error: OSError, path: str, verb: Verb) -> ToolError:
    shown, code = spell(path), error.errno
    if code == errno.ENOENT and verb == "write":
        message = f"Folder not found on the way to {shown}; write it without .. and without a / at its end."
        return ToolError(message, Kind.FILE_NOT_FOUND)
    if code == errno.ENOENT:
        return ToolError(f"File not found: {shown}", Kind.FILE_NOT_FOUND)
    if code in (errno.EACCES, errno.EPERM):
        to = "" if verb == "read" else "to "
        return ToolError(f"Permission denied: cannot {verb} {to}{shown}", Kind.PERMISSION_DENIED)
    if code == errno.ENOTDIR:
        return ToolError(f"Part of {shown} is a file, not a folder.", Kind.VALIDATION_ERROR)
    if code == errno.EISDIR:
        return ToolError(f"Path is a directory, not a file: {shown}", Kind.VALIDATION_ERROR)
    if code == errno.ELOOP:
        message = f"Access denied: {shown} leads through more than {LINKS} links."
        return ToolError(message, Kind.PATH_NOT_ALLOWED)
    if code == errno.ENAMETOOLONG:
        return ToolError(f"{shown} contains a name that is too long here.", Kind.VALIDATION_ERROR)
    if code in (errno.ENOSPC, errno.EDQUOT):
        return ToolError(f"Failed to write {shown}: the disk is full; nothing was changed.")
    reason = error.strerror or (os.strerror(code) if code else str(error))
    return ToolError(f"Failed to {verb} {shown}: {reason}.")
