"""Follows runs and sessions of any program: stored events first, then new ones."""

import asyncio
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from oneclaw.core.envelope import Envelope
from oneclaw.operations.replay import RUN as HISTORY
from oneclaw.operations.replay import replay
from oneclaw.store.runs import RunRecord
from oneclaw.store.store import Store

if TYPE_CHECKING:
    from oneclaw.agent.runs import Runs

LOOK_SECONDS = 0.3
"""How often the store is looked at for what another program does."""


async def watch_run(
    store: Store, record: RunRecord, after: int = 0, runs: "Runs | None" = None
) -> AsyncGenerator[list[Envelope]]:
    """The events of a run after a number, some at a time, until the run is over."""
    handle = None if runs is None else runs.get(record.id)
    if handle is not None:
        with handle.follow(after) as read_on:
            while found := await read_on():
                yield found
        return
    while True:
        is_over = record.state != "running"
        while page := await store.events.read(record.root, after):
            after = page[-1].number
            yield page
        if is_over:
            return
        await asyncio.sleep(LOOK_SECONDS)
        record = await store.runs.get(record.id) or record


async def watch_session(
    store: Store,
    session: str,
    run: str = "",
    after: int = 0,
    runs: "Runs | None" = None,
    look_seconds: float = LOOK_SECONDS,
) -> AsyncGenerator[list[Envelope]]:
    """The events of a session after the cursor `run` and `after`; it goes on with the runs to come.

    A run of this program is seen at once, one of another program within `look_seconds`.
    """
    number, ended = 0, None
    begun = await store.runs.get(run) if run else None
    if begun is not None:
        number = begun.number - 1
    elif run != HISTORY and (older := await read_older(store, session)):
        yield older
    while True:
        for record in await store.runs.of_session(session, number):
            after = after if record.id == run else 0
            async for found in watch_run(store, record, after, runs):
                after = found[-1].number
                yield found
            run, number, ended = record.id, record.number, record.ended
        if runs is None:
            await asyncio.sleep(look_seconds)
        else:
            await runs.next_begin(session, look_seconds)
        last = await store.runs.get(run) if number else None
        if last is not None and last.ended != ended:  # it ended later, or went on after it was cut off
            number, ended = number - 1, last.ended


async def read_older(store: Store, session: str) -> list[Envelope]:
    """The messages before the first run of a session, for example of an imported one."""
    record, first = await store.sessions.get(session), await store.runs.of_session(session, limit=1)
    if record is None:
        return []
    messages = await store.messages.load(session)
    return replay(record, [each for each in messages if not first or each.created < first[0].created])
