"""Takes kept changes back, step by step; each file is replaced or moved in one step.

Theory. An undo is a change as any other: each of its steps is kept on the disk before its effect, so an undo
can be undone. A step that was taken back is marked. Killed at any moment, an undo leaves whole files, and the
same undo done again goes on: marked steps are left out, and the one step that may be done without its mark is
seen by what stands at its path. What stands at a path is compared again under the lock of its folder,
so a change that another program makes meanwhile is never lost.
"""

import fcntl
import os
import shutil
import stat
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import BinaryIO, Literal

from oneclaw.core.errors import ToolError
from oneclaw.core.session import UndoFolder, Workspace
from oneclaw.guard.files import moving, paths
from oneclaw.guard.files.effect import Effects
from oneclaw.guard.files.entry import HASHED_BYTES
from oneclaw.guard.files.kept import TRASH, ChangeHead, ChangeKeeper, FileStep, open_content, place_of
from oneclaw.guard.files.route import name_in, spell
from oneclaw.guard.files.state import FileState, is_same, state_of
from oneclaw.guard.files.undo_plan import UndoTask

Did = Literal["restored", "removed", "moved", "made", "left"]


@dataclass(frozen=True, slots=True)
class UndoneFile:
    """The effect of an undo on one path; `moved_from` is the path it was moved back from.

    did  restored: has its earlier content or is back; removed: is gone, because a call had made it;
         moved: has its earlier path; made: the folder is there again; left: the folder is not empty
    """

    did: Did
    path: str
    moved_from: str = ""


@contextmanager
def undo_lock(undo: UndoFolder) -> Generator[None]:
    """One undo at a time, in all programs."""
    undo.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    fd = os.open(undo.folder / "undoing", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def take_back(
    workspace: Workspace, undo: UndoFolder, head: ChangeHead, tasks: Sequence[UndoTask]
) -> list[UndoneFile]:
    """Do the tasks of a plan, in order; raises `ToolError` where something was changed meanwhile."""
    # What is undone must not be removed to make room for what the undo itself keeps.
    keeper = ChangeKeeper(replace(undo, total_bytes=undo.total_bytes * 2), head)
    done: list[UndoneFile] = []
    passed: list[str] = []
    for task in tasks:
        passed.append(task.key)
        if task.is_empty:
            continue
        keeper.undid(*passed[:-1])
        del passed[:-1]
        try:
            _Reversal(workspace, keeper, task, done).run()
        except ToolError as error:
            if not done:
                raise
            told = f"{error.message} {len(done):,} of {_count(tasks):,} steps were undone before that."
            raise ToolError(told, error.kind) from error
    if done:
        keeper.undid(*passed, "")
    return done


def _count(tasks: Sequence[UndoTask]) -> int:
    return sum(not task.is_empty for task in tasks)


class _Reversal:
    """Takes one step back. It is the `Keep` of its effects, and refuses what is not as it was planned."""

    def __init__(
        self, workspace: Workspace, keeper: ChangeKeeper, task: UndoTask, done: list[UndoneFile]
    ) -> None:
        self._workspace = workspace
        self._keeper = keeper
        self._task = task
        self._done = done
        self._found = task.found
        # The person who undoes has agreed to it, also for files that programs obey.
        self._effects = Effects(workspace, _go_on, lambda need, reason: None, self)

    def run(self) -> None:
        step = self._task.step
        {"put": self._put_back, "make": self._unmake, "move": self._move_back}[step.do](step)

    def _put_back(self, step: FileStep) -> None:
        if step.before is None:
            self._trash(step.path)
            self._tell("removed", step.path)
            return
        before, found = step.before, self._task.found
        if found is not None and found.kind != "file":
            self._trash(step.path)
            self._found = None

        def write(old: BinaryIO | None, new: BinaryIO) -> None:
            content = open_content(self._keeper.undo, before)
            if content is None:
                raise ToolError(f"The earlier content of {spell(step.path)} is gone.")
            with content:
                shutil.copyfileobj(content, new)
            if old is None:
                os.fchmod(new.fileno(), before.mode & ~(stat.S_ISUID | stat.S_ISGID))

        paths.change_file(self._workspace, step.path, write, _go_on, lambda need, reason: None, self)
        self._tell("restored", step.path)

    def _unmake(self, step: FileStep) -> None:
        if step.before is not None:
            moving.make_folder(self._effects, step.path)
            self._tell("made", step.path)
            return
        self._keeper.unmake(step.path)
        is_removed = moving.remove_folder(self._effects, step.path)
        self._tell("removed" if is_removed else "left", step.path)

    def _move_back(self, step: FileStep) -> None:
        if self._task.blocking is not None:
            self._found = self._task.blocking
            self._trash(step.path)
            self._found = self._task.found
        if step.path.startswith(TRASH):
            self._trash(step.to, step.path)
            self._tell("removed", step.to)
        elif step.to.startswith(TRASH):
            kept = str(place_of(self._keeper.undo, step.to))
            moving.restore(self._effects, step.to, kept, step.path)
            self._tell("restored", step.path)
        else:
            moving.move(self._effects, step.to, step.path, is_exact=True)
            self._tell("moved", step.path, step.to)

    def _trash(self, path: str, named: str = "") -> None:
        """Move an entry to a new place in the trash, or back to the one where it was."""
        undo = self._keeper.undo

        def place(size: int) -> tuple[str, str]:
            return (named, str(place_of(undo, named))) if named else self._keeper.new_trash(size)

        moving.trash(self._effects, path, undo.total_bytes, place)

    def _tell(self, did: Did, path: str, moved_from: str = "") -> None:
        names = (name_in(self._workspace, each) if each else "" for each in (path, moved_from))
        self._done.append(UndoneFile(did, *names))

    # ------------------------------------------------------------------ before each effect

    def make(self, path: str) -> None:
        self._keeper.make(path)

    def put(self, path: str, old: BinaryIO | None, new: BinaryIO | None) -> None:
        self._check(path, None if old is None else state_of(old, HASHED_BYTES))
        self._keeper.put(path, old, new)

    def move(self, path: str, to: str, state: FileState | None) -> None:
        self._check(path, state)
        self._keeper.move(path, to, state)

    def _check(self, path: str, state: FileState | None) -> None:
        step = self._task.step
        if path not in (step.path, step.to) or not is_same(state, self._found):
            raise ToolError(f"{spell(name_in(self._workspace, path))} was changed while it was being undone.")


def _go_on() -> None:
    """Nothing stops an undo: it is short, and a half of it is no use."""
