"""The change of files that one call makes: kept so that it can be undone, and told with its result."""

import os
from collections.abc import Callable
from time import time
from typing import BinaryIO

from oneclaw.core.call import Output
from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.permit.need import OVERWRITE
from oneclaw.core.session import Workspace
from oneclaw.core.text.diff import BYTES, Diff, compare
from oneclaw.core.tool import Context
from oneclaw.guard.files.effect import Effects
from oneclaw.guard.files.entry import AlreadyThere
from oneclaw.guard.files.kept import ChangeHead, ChangeKeeper, new_change_id
from oneclaw.guard.files.paths import open_file
from oneclaw.guard.files.route import name_in, spell
from oneclaw.guard.files.state import FileState


class FileChange:
    """The file changes of one call. Functions that change files take `effects`; `output` adds the diff."""

    __slots__ = ("_context", "_keeper", "diff", "effects")

    def __init__(self, context: Context) -> None:
        undo = context.session.undo
        self._context = context
        self.diff: Diff | None = None
        """The diff of the change to a file's text."""
        self._keeper = None if undo is None else ChangeKeeper(undo, _head(context))
        self.effects = Effects(context.workspace, context.check, context.require_in_thread, self)

    @property
    def keeper(self) -> ChangeKeeper:
        """The record of the change; raises if it cannot be kept."""
        if self._keeper is None:
            raise ToolError("There is no trash here to delete anything to; run the tool in an app.")
        return self._keeper

    def make(self, path: str) -> None:
        if self._keeper is not None:
            self._keeper.make(path)

    def put(self, path: str, old: BinaryIO | None, new: BinaryIO | None) -> None:
        self.diff = compare(_content(old), _content(new), name_in(self.effects.workspace, path))
        if self._keeper is not None:
            self._keeper.put(path, old, new)

    def move(self, path: str, to: str, state: FileState | None) -> None:
        if self._keeper is not None:
            self._keeper.move(path, to, state)

    def overwriting(self, work: Callable[[bool], str], overwrite: bool) -> str:
        """Do work that may replace a file only if it is told so; a person is asked before it is."""
        try:
            return work(False)
        except AlreadyThere as there:
            if not overwrite:
                raise
            reason = f"{there.path} is there already; what it holds would be replaced."
            self._context.require_in_thread(OVERWRITE, reason)
        return work(True)

    def name(self, real: str) -> str:
        """A path for people and models."""
        return spell(name_in(self.effects.workspace, real))

    def output(self, text: str) -> Output:
        """The result of the call, with the diff beside the text."""
        is_shown = self.diff is not None and self.diff.text
        return Output(text, details={"diff": self.diff.to_json()} if self.diff and is_shown else {})


def preview_of(workspace: Workspace, path: str, change: Callable[[bytes | None], bytes | None]) -> Diff:
    """The diff of a change of a file's bytes; None means no file."""
    old = None
    try:
        with open_file(workspace, path) as file:
            old = _content(file)
    except ToolError as error:
        if error.kind is not Kind.FILE_NOT_FOUND:
            raise
    return compare(old, change(old), path)


def _content(file: BinaryIO | None) -> bytes | None:
    """The bytes of a file, and one more where they are too many to be compared."""
    if file is None:
        return None
    file.seek(0)
    return file.read(min(os.fstat(file.fileno()).st_size, BYTES) + 1)


def _head(context: Context) -> ChangeHead:
    session = context.session
    return ChangeHead(
        id=new_change_id(),
        session=session.id,
        run=session.run,
        call_id=context.call_id,
        tool=context.tool,
        time=time(),
    )
