"""Undoes what a call or a run changed, with no more of the app than it needs."""

from oneclaw.agent.undo import UndoResult, short_change
from oneclaw.agent.undo import undo as undo_in
from oneclaw.config import Config
from oneclaw.operations.reading import reading

__all__ = ["UndoResult", "short_change", "undo"]


async def undo(config: Config, name: int | str = "", *, force: bool = False) -> UndoResult:
    """As `App.undo`, without opening an app: works beside other programs, and needs no store to write."""
    with reading(config) as store:
        return await undo_in(config, store, name, force=force)
