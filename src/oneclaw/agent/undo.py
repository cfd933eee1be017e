"""Undoes what a call or a run changed in the workspace."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from time import time
from typing import Any

from oneclaw.agent.session import make_session
from oneclaw.config import Config
from oneclaw.core.errors import NotFound, ToolError, UndoRefused
from oneclaw.core.session import Session, UndoFolder
from oneclaw.guard.files.kept import ChangeHead, KeptChange, new_change_id, read_changes
from oneclaw.guard.files.protected import opened_roots
from oneclaw.guard.files.undo import UndoneFile, take_back, undo_lock
from oneclaw.guard.files.undo_plan import make_plan
from oneclaw.store.calls import CallRecord
from oneclaw.store.store import Store

_SHOWN_CONFLICTS = 5
_SLACK_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class UndoResult:
    """The outcome of an undo: what it undid in words, each file, and its own id, so that it can be undone."""

    id: str
    what: str
    files: tuple[UndoneFile, ...]

    def to_json(self) -> dict[str, Any]:
        """The undo as plain data."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Changes to undo, the newest first, and what they are in words."""

    what: str
    changes: Sequence[KeptChange]


async def undo(
    config: Config,
    store: Store | None,
    name: int | str = "",
    *,
    session: str | None = None,
    force: bool = False,
) -> UndoResult:
    """Undo a call, a run or an undo; without a name the last run or call that changed files.

    name     a call's number or id, a run's id or its beginning, or the id of an undo
    session  without a name: of this session only
    force    also where files were changed since; what they hold now is kept, and can come back
    Raises `NotFound` for a name that nothing kept has, and `UndoRefused` where files stand in the way.
    """
    made = make_session(config, session or "undo", "default")
    assert made.undo is not None
    changes = await asyncio.to_thread(read_changes, made.undo)
    undone = _undone(changes)
    if str(name):
        wanted = await _named(store, changes, str(name))
        _check_not_undone(wanted, undone)
    else:
        wanted = await _last(store, changes, undone, made, session)
    left = [change for change in wanted.changes if change.head.id not in undone]
    wanted = _Wanted(wanted.what, left)
    return await asyncio.to_thread(_undo, made, made.undo, wanted, _undid(changes, undone), force)


def _undo(
    session: Session, undo: UndoFolder, wanted: _Wanted, undid: frozenset[str], force: bool
) -> UndoResult:
    newest = wanted.changes[0].head
    undoes = tuple(change.head.id for change in wanted.changes)
    head = ChangeHead(id=new_change_id(), session=newest.session, tool="undo", time=time(), undoes=undoes)
    steps = [each for change in wanted.changes for each in change.keyed if each[0] not in undid]
    try:
        with undo_lock(undo):
            plan = make_plan(session.workspace, undo, steps)
            stops = [each for each in plan.conflicts if each.is_final or not force]
            if stops:
                raise _refusal(wanted, list(map(str, stops)), any(each.is_final for each in stops))
            done = take_back(session.workspace, undo, head, plan.tasks)
    except ToolError as error:
        raise UndoRefused(f"{_capital(wanted.what)} cannot be undone: {error.message}") from None
    return UndoResult(head.id if done else "", wanted.what, tuple(done))


def _refusal(wanted: _Wanted, conflicts: list[str], is_final: bool) -> UndoRefused:
    shown = "; ".join(conflicts[:_SHOWN_CONFLICTS])
    more = len(conflicts) - _SHOWN_CONFLICTS
    told = f"{shown}; and {more:,} more" if more > 0 else shown
    hint = "" if is_final else " Use --force to undo it all the same; what is there now is kept."
    return UndoRefused(f"{_capital(wanted.what)} is not undone: {told}.{hint}", conflicts)


def _undone(changes: Iterable[KeptChange]) -> dict[str, str]:
    """The ids of changes that are undone, each with the id of its undo; `changes` are the newest first."""
    found: dict[str, str] = {}
    for change in changes:
        if change.is_done and change.head.id not in found:
            found |= dict.fromkeys(change.head.undoes, change.head.id)
    return found


def _undid(changes: Iterable[KeptChange], undone: dict[str, str]) -> frozenset[str]:
    """The steps that undos took back which never came to their end."""
    cut = [each.undid for each in changes if not each.is_done and each.head.id not in undone]
    return frozenset[str]().union(*cut)


def _check_not_undone(wanted: _Wanted, undone: dict[str, str]) -> None:
    by = {undone.get(change.head.id) for change in wanted.changes}
    if None not in by:
        back = " and ".join(sorted(f"`oneclaw undo {short_change(each)}`" for each in by if each))
        raise UndoRefused(f"{_capital(wanted.what)} is undone already; {back} brings the changes back.")


async def _last(
    store: Store | None,
    changes: Sequence[KeptChange],
    undone: dict[str, str],
    made: Session,
    session: str | None,
) -> _Wanted:
    for change in changes:
        head = change.head
        is_asked = session is None or head.session == session
        if not is_asked or head.undoes or head.id in undone or not _is_inside(change, made):
            continue
        if not head.run:
            return _Wanted(f"the call of {head.tool}", [change])
        record = None if store is None else await store.runs.get(head.run)
        return await _of_run(store, changes, head.run if record is None else record.root)
    raise UndoRefused("There is nothing to undo: no change of files is kept that is not undone already.")


def _is_inside(change: KeptChange, session: Session) -> bool:
    """Whether the files of a change lie in this workspace; another one may use the same data folder."""
    return any(opened_roots(session.workspace, step.path) for step in change.steps)


async def _named(store: Store | None, changes: Sequence[KeptChange], name: str) -> _Wanted:
    if store is not None and name.isascii() and name.isdigit():
        record = await store.calls.get(int(name))
        if record is not None:
            return await _of_call(store, changes, record)
    by_id = [change for change in changes if name in (change.head.id, short_change(change.head.id))]
    if by_id:
        return _Wanted(f"the undo {name}" if by_id[0].head.undoes else f"the change {name}", by_id)
    run = None if store is None else await store.runs.find(name)
    if run is not None:
        return await _of_run(store, changes, run.id)
    by_call = [change for change in changes if change.head.call_id == name]
    if by_call:
        last = by_call[0].head.session
        return _Wanted(f"the call {name}", [each for each in by_call if each.head.session == last])
    hint = "`oneclaw log` lists the calls, `oneclaw runs` the runs."
    raise NotFound("call or run", name, "log", hint=hint)


async def _of_run(store: Store | None, changes: Iterable[KeptChange], run_id: str) -> _Wanted:
    record = None if store is None else await store.runs.get(run_id)
    if record is not None and record.state == "running":
        raise UndoRefused(f"The run {short_change(run_id)} is still going; stop it first.")
    line = {run_id} if store is None else {run_id, *await store.runs.line(run_id)}
    found = [change for change in changes if change.head.run in line and not change.head.undoes]
    return _some(f"the run {short_change(run_id)}", found)


async def _of_call(store: Store, changes: Iterable[KeptChange], record: CallRecord) -> _Wanted:
    """The changes of a call, and of the calls that it made."""
    calls = [record]
    for call in calls:
        calls += await store.calls.made_by(call)
    found = [change for change in changes if any(_is_of(change.head, call) for call in calls)]
    return _some(f"the call {record.key} ({record.tool})", found)


def _is_of(head: ChangeHead, call: CallRecord) -> bool:
    """Whether a call made a change; a model may use one id twice, so the time must fit as well."""
    if (head.session, head.call_id) != (call.session, call.call_id) or head.undoes:
        return False
    end = None if call.seconds is None else call.started + call.seconds + _SLACK_SECONDS
    return call.started - _SLACK_SECONDS <= head.time and (end is None or head.time <= end)


def _some(what: str, found: Sequence[KeptChange]) -> _Wanted:
    if not found:
        raise UndoRefused(
            f"{_capital(what)} has nothing to undo: no change of files is kept. Only the file tools keep what"
            " they change; what commands and other programs changed cannot be undone."
        )
    return _Wanted(what, found)


def short_change(name: str) -> str:
    """The part of an id of a change or a run that is enough to name it."""
    return name.rpartition("-")[2][:8]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
