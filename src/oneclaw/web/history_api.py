"""The request that reads a session backwards."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from oneclaw.core.event_json import envelope_json
from oneclaw.operations import history, sessions
from oneclaw.web.endpoint import Endpoint

if TYPE_CHECKING:
    from oneclaw.app import App

_NUMBER = {"type": "integer", "minimum": 0, "maximum": 1 << 53, "default": 0}
_RUNS = {"type": "integer", "minimum": 1, "maximum": 200, "default": 30}


async def show_history(app: "App", given: Mapping[str, Any]) -> Any:
    session = given["session"]
    going = app.runs.running_in(session)
    if going is None:  # one that begins now may not be stored yet
        session = (await sessions.find_session(app.store, session)).id
    live = "" if going is None else going.id
    page = await history.read_history(app.store, session, given["before"], given["runs"], live)
    events = [envelope_json(each) for each in page.events]
    cursor = {"run": page.run, "after": page.after}
    found = {**cursor, "events": events, "before": page.before, "interrupted": page.interrupted}
    return Response(json.dumps(found, default=str), media_type="application/json")  # encoded once: it is long


HISTORY_ENDPOINTS = (
    Endpoint(
        "GET", "/sessions/{session}/history", "Read the events of the latest runs, or of those before a run",
        show_history, query={"before": _NUMBER, "runs": _RUNS},
    ),
)  # fmt: skip
