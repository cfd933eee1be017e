"""Plans an undo: the steps to reverse, and the files that conflict.

Theory. The steps are gone through from the newest to the oldest, each against what would stand at its path
after the steps before it were taken back. A path that is as the step left it is to be restored. A path that
is as before the step needs nothing: the effect never happened, or an undo was killed right after it took the
step back. Any other path was changed since, by a person or another program, and is a conflict. Steps that an
undo which was killed took back before are left out. Nothing is changed here.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import UndoFolder, Workspace
from oneclaw.guard.files.descent import Descent
from oneclaw.guard.files.entry import HASHED_BYTES
from oneclaw.guard.files.kept import TRASH, FileStep, open_content, place_of
from oneclaw.guard.files.refusal import explained
from oneclaw.guard.files.route import name_in, parse, spell
from oneclaw.guard.files.state import FileState, is_same, state_at


@dataclass(frozen=True, slots=True)
class UndoTask:
    """A step to take back.

    found     what stood at the path that is changed
    blocking  what stood where it is moved to
    is_empty  whether the path is as it was before the step, so that there is nothing to do
    """

    key: str
    step: FileStep
    found: FileState | None = None
    blocking: FileState | None = None
    is_empty: bool = False


@dataclass(frozen=True, slots=True)
class UndoConflict:
    """A path that cannot be restored as it is now; `is_final` where no force helps."""

    path: str
    reason: str
    is_final: bool = False

    def __str__(self) -> str:
        return f"{spell(self.path)} {self.reason}"


@dataclass(frozen=True, slots=True)
class UndoPlan:
    """The steps of an undo in order, and its conflicts."""

    tasks: tuple[UndoTask, ...]
    conflicts: tuple[UndoConflict, ...]


def make_plan(workspace: Workspace, undo: UndoFolder, steps: Iterable[tuple[str, FileStep]]) -> UndoPlan:
    """The plan for taking back `steps`, the newest first; raises `ToolError` for a path that is closed."""
    planner = _Planner(workspace, undo)
    for planner.key, step in steps:
        task = {"put": planner.put, "make": planner.make, "move": planner.move}[step.do](step)
        planner.tasks.append(task or UndoTask(planner.key, step, is_empty=True))
    return UndoPlan(tuple(planner.tasks), tuple(planner.conflicts))


class _Planner:
    def __init__(self, workspace: Workspace, undo: UndoFolder) -> None:
        self.key = ""
        self.tasks: list[UndoTask] = []
        self.conflicts: list[UndoConflict] = []
        self._workspace = workspace
        self._undo = undo
        self._done: list[tuple[str, str, FileState | None]] = []
        """Paths changed by the planned tasks, with the earlier path or the new state of each."""

    def put(self, step: FileStep) -> UndoTask | None:
        now = self._look(step.path)
        if is_same(now, step.before):
            return None
        if not is_same(now, step.after):
            self._refuse(step.path, "is gone" if now is None else "was changed since")
        if step.before is not None and not self._is_kept(step.before):
            reason = "is not kept in its earlier form: it was too large (undo.file_mb) or is too old"
            self._refuse(step.path, reason, is_final=True)
        self._done.append((step.path, "", step.before))
        return UndoTask(self.key, step, now)

    def make(self, step: FileStep) -> UndoTask | None:
        now = self._look(step.path)
        if is_same(now, step.before) or not is_same(now, step.after):
            return None
        self._done.append((step.path, "", step.before))
        return UndoTask(self.key, step, now)

    def move(self, step: FileStep) -> UndoTask | None:
        there, here = self._look(step.to), self._look(step.path)
        is_there = there is not None and is_same(there, step.after)
        if here is not None and is_same(here, step.before) and not is_there:
            return None
        if there is None:
            where = "the trash" if step.to.startswith(TRASH) else spell(self._name(step.to))
            self._refuse(step.path, f"cannot come back: it is not in {where} any more", is_final=True)
            return None
        if here is not None:
            self._refuse(step.path, "is there again")
        elif not is_there:
            self._refuse(step.to, "was changed since")
        self._done.append((step.path, step.to, None))
        return UndoTask(self.key, step, there, here)

    def _look(self, path: str) -> FileState | None:
        """The state of a path after the planned tasks."""
        for changed, source, state in reversed(self._done):
            if path == changed or (source and path.startswith(f"{changed}/")):
                if not source:
                    return state
                path = source + path[len(changed) :]
            elif source and (path == source or path.startswith(f"{source}/")):
                return None
        return look(self._workspace, self._undo, path)

    def _is_kept(self, state: FileState) -> bool:
        content = open_content(self._undo, state)
        if content is not None:
            content.close()
        return content is not None

    def _refuse(self, path: str, reason: str, *, is_final: bool = False) -> None:
        self.conflicts.append(UndoConflict(self._name(path), reason, is_final))

    def _name(self, path: str) -> str:
        return name_in(self._workspace, path)


def look(workspace: Workspace, undo: UndoFolder, path: str) -> FileState | None:
    """The current state of a path in the workspace or the trash; links are not followed."""
    most_bytes = max(undo.file_bytes, HASHED_BYTES)
    if path.startswith(TRASH):
        folder, name = os.path.split(place_of(undo, path))
        try:
            fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            return state_at(fd, name, most_bytes)
        finally:
            os.close(fd)
    route = parse(workspace, path)
    try:
        with Descent(workspace) as descent, explained(descent, path, route, "read"):
            spot = descent.find(route.base, route.parts, is_folder=False, follow=False)
            if descent.path_of(spot.name) != path:
                raise ToolError(f"{spell(path)} leads through a link now, so it is left as it is.")
            return state_at(descent.fd, spot.name, most_bytes)
    except ToolError as error:
        if error.kind is Kind.FILE_NOT_FOUND:
            return None
        raise
