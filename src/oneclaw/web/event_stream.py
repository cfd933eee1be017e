"""Server-sent events for programs: the events of a session after a number, then those to come.

    id: RUN/NUMBER
    data: {"event": "text_added", …}

The id is the cursor to go on from, by `run` and `after` or by the header Last-Event-ID; `after` alone is a
number of the last run. A comment comes every few seconds, so that a line that is lost is noticed.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from typing import TYPE_CHECKING, Any

from starlette.responses import StreamingResponse

from oneclaw.core.event_json import envelope_json
from oneclaw.operations.runs import list_runs
from oneclaw.operations.sessions import find_session
from oneclaw.operations.watching import watch_session
from oneclaw.web.endpoint import Endpoint

if TYPE_CHECKING:
    from oneclaw.app import App

HEARTBEAT_SECONDS = 15.0
_BEAT = ": here\n\n"
_WORD = {"type": "string", "maxLength": 200, "default": ""}
_NUMBER = {"type": "integer", "minimum": 0, "maximum": 1 << 53, "default": 0}


async def stream_events(app: "App", given: Mapping[str, Any]) -> StreamingResponse:
    record = await find_session(app.store, given["session"])
    run, after = given["run"], given["after"]
    last, _, number = given["last_event_id"].rpartition("/")
    if last and number.isdecimal():
        run, after = last, int(number[:15])
    elif after and not run:  # a number of the run that is going, or was last
        latest = await list_runs(app.store, session=record.id, limit=1)
        run = latest[0].id if latest else ""
    pieces = _pieces(app, record.id, run, after)
    return StreamingResponse(pieces, media_type="text/event-stream")


async def _pieces(app: "App", session: str, run: str, after: int) -> AsyncGenerator[str]:
    """The stream. Its reader is read one step ahead, and waits where the program that reads is slow."""
    found = watch_session(app.store, session, run, after, app.runs)
    reading: asyncio.Task[Any] | None = None
    try:
        yield _BEAT
        while True:
            reading = reading or asyncio.ensure_future(anext(found))
            done, _ = await asyncio.wait((reading,), timeout=HEARTBEAT_SECONDS)
            if not done:
                yield _BEAT
                continue
            envelopes, reading = reading.result(), None
            yield "".join(
                f"id: {each.run}/{each.number}\ndata: {json.dumps(envelope_json(each), default=str)}\n\n"
                for each in envelopes
            )
    finally:
        if reading is not None:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
        await found.aclose()


STREAM_ENDPOINTS = (
    Endpoint(
        "GET", "/sessions/{session}/events", "Read the events of a session as they come", stream_events,
        query={"run": _WORD, "after": _NUMBER}, gives="text/event-stream",
    ),
)  # fmt: skip
