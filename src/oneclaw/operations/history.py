"""Reads a session backwards for a page: the events of its latest runs, then of the runs before them."""

from dataclasses import dataclass

from oneclaw.core.envelope import Envelope
from oneclaw.operations.watching import read_older
from oneclaw.store.store import Store


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """The events of some runs of a session, in order.

    before       the number of the first of these runs: the next page ends before it; 0 when there is no more
    run          the last of these runs; `after` is its last kept event: a reader goes on from there
    interrupted  those of these runs that were cut off and can go on
    """

    events: tuple[Envelope, ...]
    before: int
    run: str
    after: int
    interrupted: tuple[str, ...]


async def read_history(
    store: Store, session: str, before: int = 0, limit: int = 30, live: str = ""
) -> HistoryPage:
    """The latest runs of a session, or those before the run of a number.

    live  a run of this program that is going on: its reader follows it from its beginning, and so gets the
          pieces and the progress that the store does not keep
    """
    found = await store.runs.before(session, before, limit + 1)
    has_more, records = len(found) > limit, list(reversed(found[:limit]))
    events = [] if has_more else await read_older(store, session)
    run, after = (events[-1].run, events[-1].number) if events else ("", 0)
    by_run = await store.events.read_runs([each.id for each in records if each.id != live])
    for record in records:
        read = by_run.get(record.id, [])
        run, after = record.id, read[-1].number if read else 0
        events += read
    interrupted = tuple(each.id for each in records if each.state == "interrupted")
    return HistoryPage(tuple(events), records[0].number if has_more else 0, run, after, interrupted)
