"""Lists, finds, reads and prunes runs."""

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from oneclaw.core.envelope import Envelope
from oneclaw.core.errors import InvalidConfig, NotFound
from oneclaw.store.runs import RunRecord, Spent, run_json
from oneclaw.store.store import Store

if TYPE_CHECKING:
    from oneclaw.app import App

__all__ = ["RunRecord", "Spent", "find_run", "list_runs", "prune_runs", "read_events", "run_json"]


async def list_runs(
    store: Store | None, *, session: str | None = None, state: str | None = None, limit: int = 20
) -> list[RunRecord]:
    """The latest runs, newest first; `session` is an id, the beginning of one, or `last`; raises `NotFound`
    for a session that is not there."""
    if store is None:
        if session is not None:
            raise NotFound("session", session, "sessions")
        return []
    record = None if session is None else await store.sessions.find(session)
    of = session if record is None else record.id
    found = await store.runs.list(session=of, state=state, limit=limit)
    if session is not None and record is None and not found:  # a run may be there before its session is
        raise NotFound("session", session, "sessions")
    return found


async def find_run(store: Store | None, name: str) -> RunRecord:
    """The run of an id or of the beginning of one; raises `NotFound`."""
    record = None if store is None else await store.runs.find(name)
    if record is None:
        raise NotFound("run", name, "runs")
    return record


async def read_events(store: Store, record: RunRecord, after: int = 0) -> AsyncGenerator[Envelope]:
    """The kept events of a run and of those it started, after a number, page by page."""
    while page := await store.events.read(record.root, after):
        for envelope in page:
            yield envelope
        after = page[-1].number


async def prune_runs(app: "App", days: float | None = None) -> int:
    """Forget the runs that ended so many days ago, or as many as the settings keep; returns how many."""
    kept = days or app.config.settings.store.keep_days
    if kept is None:
        raise InvalidConfig("store.keep_days is false: runs are kept forever; use --days N.")
    gone = 0
    while more := await app.store.runs.prune(kept):
        gone += more
    return gone
