"""Undoes what a call or a run changed, with no more of the app than it needs."""

from oneclaw.agent.undo import UndoResult, short_change
from oneclaw.agent.undo import undo as undo_in
from oneclaw.config import Config
from oneclaw.core.errors import UndoRefused
from oneclaw.operations.reading import reading
from oneclaw.operations.workspace import choose_workspace, in_workspace

__all__ = ["UndoResult", "short_change", "undo", "undo_here"]


async def undo(config: Config, name: int | str = "", *, force: bool = False) -> UndoResult:
    """As `App.undo`, without opening an app: works beside other programs, and needs no store to write."""
    with reading(config) as store:
        return await undo_in(config, store, name, force=force)


async def undo_here(config: Config, name: int | str = "", *, force: bool = False) -> UndoResult:
    """Undo in the workspace that the current folder leads to, or else in the private one."""
    choice = await choose_workspace(config)
    try:
        return await undo(in_workspace(config, choice), name, force=force)
    except UndoRefused as refused:
        if choice.reason in ("named", "private") or refused.conflicts:
            raise
        try:
            return await undo(config, name, force=force)
        except UndoRefused as also:
            raise also if also.conflicts else refused from None
