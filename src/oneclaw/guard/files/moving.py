"""Moves, copies, deletes and restores entries of the workspace; makes and removes folders.

Theory. The folder of the source and the folder of the destination are each reached by a descent of their own
and held open by a descriptor; the rename is between those two descriptors, so no exchanged link leads it
elsewhere. Both folders are locked meanwhile, always in the same order.
"""

import errno
import os
import stat
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from typing import BinaryIO

from oneclaw.core.errors import Kind, ToolError
from oneclaw.guard.files import replace
from oneclaw.guard.files.descent import Descent, Spot
from oneclaw.guard.files.effect import Effects
from oneclaw.guard.files.entry import (
    AlreadyThere,
    Moved,
    find_entry,
    find_target,
    look_again,
    real_path,
    refused,
)
from oneclaw.guard.files.links import Links
from oneclaw.guard.files.paths import open_checked, open_file
from oneclaw.guard.files.places import fold, identity
from oneclaw.guard.files.refusal import explained, need_write
from oneclaw.guard.files.rename import rename_new
from oneclaw.guard.files.route import parse, spell
from oneclaw.guard.files.state import CHUNK_BYTES


def make_folder(effects: Effects, path: str) -> bool:
    """Make a folder and those on the way to it; False when it is there already."""
    made: list[str] = []
    make_one = effects.maker(path)

    def make(descent: Descent, name: str) -> None:
        make_one(descent, name)
        made.append(name)

    route = parse(effects.workspace, path)
    effects.permit(real_path(effects.workspace, path), path)
    with Descent(effects.workspace) as descent, explained(descent, path, route, "write"):
        spot = descent.find(route.base, route.parts, is_folder=True, make=make)
        need_write(spot.access, path)
    return bool(made)


def remove_folder(effects: Effects, path: str) -> bool:
    """Remove an empty folder; False when it is not empty or not there."""
    route = parse(effects.workspace, path)
    with Descent(effects.workspace) as descent, explained(descent, path, route, "write"):
        spot = descent.find(route.base, route.parts, is_folder=False, follow=False)
        need_write(spot.access, path)
        if spot.status is None or not stat.S_ISDIR(spot.status.st_mode):
            return False
        effects.check()
        try:
            os.rmdir(spot.name, dir_fd=descent.fd)
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                return False
            raise
    return True


def move(
    effects: Effects, source: str, destination: str, *, overwrite: bool = False, is_exact: bool = False
) -> str:
    """Give an entry another path in one step; returns that path, absolute and without links.

    Unless `is_exact`, a folder at the destination takes it in.
    """
    with (
        find_entry(effects, source) as moved,
        find_target(effects, moved, destination, is_exact=is_exact) as (descent, spot),
    ):
        real = descent.path_of(spot.name)
        for inner in moved.inner:
            effects.permit(f"{real}/{inner}", f"{destination}/{inner}")
        with _locked(effects, moved.folder, descent.fd):
            spot = look_again(descent, spot.name)
            if spot.status is not None and not _is_respelled(moved, descent, spot, destination):
                with _replaced(effects, moved, descent, spot, destination, overwrite) as old:
                    if effects.keep is not None:
                        effects.keep.put(real, old, None)
            if effects.keep is not None:
                effects.keep.move(moved.real, real, moved.state)
            effects.check()
            _rename(effects, moved, descent.fd, spot.name, is_replaced=spot.status is not None)
        return real


def copy(effects: Effects, source: str, destination: str, *, overwrite: bool = False) -> str:
    """Copy a file, in one step, with its mode; returns the path of the copy."""
    route = parse(effects.workspace, source)
    with open_file(effects.workspace, source) as file, ExitStack() as stack:
        moved = Moved(-1, route.parts[-1], os.fstat(file.fileno()), source)
        descent, spot = stack.enter_context(find_target(effects, moved, destination))
        real, old, status = descent.path_of(spot.name), None, None
        folder = stack.enter_context(_locked(effects, descent.fd))
        spot = look_again(descent, spot.name)
        if spot.status is not None:
            old = stack.enter_context(_replaced(effects, moved, descent, spot, destination, overwrite))
            status = os.fstat(old.fileno())

        def keep(new: BinaryIO) -> None:
            if effects.keep is not None:
                effects.keep.put(real, old, new)

        def write(new: BinaryIO) -> None:
            _copy_content(file, new, effects.check)

        replace.replace(folder, spot.name, status, write, effects.check, keep, is_locked=True)
        return real


def trash(effects: Effects, path: str, most_bytes: int, place: Callable[[int], tuple[str, str]]) -> Moved:
    """Move an entry out of the workspace; returns what was moved.

    `place` is given its size and returns where it goes: the name in the record, and the path on the disk.
    """
    with find_entry(effects, path) as moved:
        if moved.bytes > most_bytes:
            raise ToolError(
                f"{spell(path)} has {moved.bytes >> 20:,} MB, more than the trash holds"
                f" ({most_bytes >> 20:,} MB, see undo.total_mb); ask the user to delete it.",
                Kind.FILE_TOO_LARGE,
                effects="none",
            )
        named, kept = place(moved.bytes)
        with _opened(os.path.dirname(kept)) as folder:
            if effects.keep is not None:
                effects.keep.move(moved.real, named, moved.state)
            effects.check()
            _rename(effects, moved, folder, os.path.basename(kept), is_replaced=False)
        return moved


def restore(effects: Effects, named: str, kept: str, path: str) -> None:
    """Move what lies outside the workspace at `kept`, in the record `named`, to a path where nothing is."""
    folder, name = os.path.split(kept)
    with _opened(folder) as fd:
        moved = Moved(fd, name, os.stat(name, dir_fd=fd, follow_symlinks=False), path, named)
        with find_target(effects, moved, path, is_exact=True) as (descent, spot):
            if spot.status is not None:
                raise refused(f"{spell(path)} is there again; move it away first.")
            if effects.keep is not None:
                effects.keep.move(named, descent.path_of(spot.name), moved.state)
            effects.check()
            _rename(effects, moved, descent.fd, spot.name, is_replaced=False)


def _is_respelled(moved: Moved, descent: Descent, spot: Spot, path: str) -> bool:
    """Whether only the letter case of a name is to change, where the system takes both names for one."""
    if spot.status is None or identity(spot.status) != identity(moved.status):
        return False
    is_here = descent.here.identity == identity(os.fstat(moved.folder))
    if is_here and spot.name != moved.name and fold(spot.name) == fold(moved.name):
        return True
    raise refused(f"{spell(moved.path)} and {spell(path)} are the same; nothing would change.")


def _replaced(
    effects: Effects, moved: Moved, descent: Descent, spot: Spot, path: str, overwrite: bool
) -> BinaryIO:
    """The file that is to be replaced, open; raises for a destination that may not be."""
    assert spot.status is not None
    if identity(spot.status) == identity(moved.status):
        raise refused(f"{spell(moved.path)} and {spell(path)} are the same file; nothing would change.")
    if moved.is_folder or stat.S_ISDIR(spot.status.st_mode):
        raise refused(f"{spell(path)} is there already, and folders are not replaced; choose another path.")
    if not overwrite:
        raise AlreadyThere(path)
    return os.fdopen(open_checked(descent, spot, path, os.O_RDWR, Links(effects.workspace)), "rb")


def _rename(effects: Effects, moved: Moved, folder: int, name: str, *, is_replaced: bool) -> None:
    try:
        if is_replaced:
            os.rename(moved.name, name, src_dir_fd=moved.folder, dst_dir_fd=folder)
        else:
            rename_new(moved.folder, moved.name, folder, name)
    except FileExistsError:
        raise AlreadyThere(name) from None
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        _move_to_disk(effects, moved, folder, name)
    for fd in (moved.folder, folder):
        with _folder(fd) as flushed:
            replace.flush_folder(flushed)


def _move_to_disk(effects: Effects, moved: Moved, folder: int, name: str) -> None:
    """Move a file to another disk: it is whole there before it goes here."""
    if not stat.S_ISREG(moved.status.st_mode):
        raise refused(
            f"{spell(moved.path)} would be moved to another disk, which works for files only; ask the user to"
            " do it."
        )
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with os.fdopen(os.open(moved.name, flags, dir_fd=moved.folder), "rb") as file:

        def write(new: BinaryIO) -> None:
            _copy_content(file, new, effects.check)

        with _folder(folder) as target:
            replace.replace(target, name, None, write, effects.check, is_locked=True)
    os.unlink(moved.name, dir_fd=moved.folder)


def _copy_content(file: BinaryIO, new: BinaryIO, check: replace.CheckBefore) -> None:
    """Copy the bytes of a file and its mode; a program that runs with its owner's rights loses them."""
    file.seek(0)
    while chunk := file.read(CHUNK_BYTES):
        new.write(chunk)
        check()
    mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
    os.fchmod(new.fileno(), mode & ~(stat.S_ISUID | stat.S_ISGID))


@contextmanager
def _locked(effects: Effects, *folders: int) -> Generator[int]:
    """Hold the locks of folders, taken in one order everywhere; gives the last of their descriptors."""
    with ExitStack() as stack:
        held = -1
        for _, fd in sorted({identity(os.fstat(fd)): fd for fd in folders}.items()):
            held = stack.enter_context(_folder(fd))
            replace.lock(held, effects.check)
        yield held


@contextmanager
def _folder(fd: int) -> Generator[int]:
    """A descriptor of the same folder that can be locked and flushed."""
    folder = replace.open_folder(fd)
    try:
        yield folder
    finally:
        os.close(folder)


@contextmanager
def _opened(path: str) -> Generator[int]:
    """A folder of our own, open."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield fd
    finally:
        os.close(fd)
