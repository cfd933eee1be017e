"""Undoes the changes of a call or a run without opening the whole app."""

from typing import TYPE_CHECKING

from oneclaw.agent.undo import UndoResult, short_change
from oneclaw.agent.undo import undo as undo_in
from oneclaw.config import Config
from oneclaw.core.errors import UndoRefused
from oneclaw.core.message import UserMessage
from oneclaw.operations.reading import reading
from oneclaw.operations.workspace import choose_workspace, in_workspace

if TYPE_CHECKING:
    from oneclaw.app import App
    from oneclaw.core.session import Session

__all__ = ["UndoResult", "short_change", "tell_undone", "undo", "undo_here"]

_MOST_NAMED = 20


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


async def tell_undone(app: "App", session: "Session", done: UndoResult) -> None:
    """Have the model of a conversation read with the next message that its changes were undone."""
    if not done.files or await app.store.sessions.find(session.id) is None:
        return
    lines = [f"- {each.path}: {each.did}" for each in done.files[:_MOST_NAMED]]
    if len(done.files) > _MOST_NAMED:
        lines.append(f"- and {len(done.files) - _MOST_NAMED} more")
    text = f"The person undid {done.what}. The files are as they were before it:\n" + "\n".join(lines)
    await app.runs.tell(session, UserMessage(text, origin="guard"))
