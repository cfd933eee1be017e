"""The events of runs, as far as a reader needs them who comes late.

Pieces of an answer are not kept: the answer stands for them. An answer itself is a row of `messages`, and a
call with its result a row of `calls`; an event of either says only which. So an event costs one small row,
and it is written together with the next row that must be safe, see `Database.add_later`.
"""

import json
from asyncio import TimerHandle, get_running_loop
from collections.abc import Callable
from typing import Any

from oneclaw.core.answer import ArgumentsAdded, CallBegun, TextAdded, ThoughtAdded
from oneclaw.core.call import ToolResult
from oneclaw.core.envelope import Envelope
from oneclaw.core.event import ToolFinished, ToolProgressed, ToolStarted
from oneclaw.core.event_json import UnknownEvent, fields_of, name_of, read_event
from oneclaw.core.message import AssistantMessage
from oneclaw.core.message_json import from_json
from oneclaw.core.run_event import AnswerFinished, RoundFinished, UsageCounted
from oneclaw.store.calls import CallRecord, Calls, result_of
from oneclaw.store.column import bounded
from oneclaw.store.database import Database, Values

_PASSING = frozenset(
    (TextAdded, ThoughtAdded, CallBegun, ArgumentsAdded, ToolProgressed, RoundFinished, UsageCounted)
)
"""Events that are not kept: others tell what they told, or they no longer matter when they are over."""
_ADD = """
INSERT INTO events (root, number, first, run, created, type, body) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING
"""
_ADD_ANSWER = """
INSERT INTO events (root, number, first, run, created, type, message)
SELECT ?, ?, ?, ?, ?, ?, max(number) FROM messages WHERE session = ?
ON CONFLICT DO NOTHING
"""
_READ = """
SELECT events.number, first, events.run, events.created, type, body, content, runs.session, runs.parent
FROM events JOIN runs ON runs.id = events.run
LEFT JOIN messages ON messages.session = runs.session AND messages.number = events.message
WHERE root_is AND events.number > ? ORDER BY events.number LIMIT ?
"""
_PAGE = 500
_LONG_SECONDS = 0.25
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str).encode


class StoredEvents:
    """The events of a store."""

    def __init__(self, database: Database, calls: Calls, redact: Callable[[str], str]) -> None:
        """`redact` takes known secrets out of what was said before it is kept."""
        self._database = database
        self._calls = calls
        self._redact = redact
        self._starts: dict[tuple[str, str], tuple[str, Envelope]] = {}
        self._timer: TimerHandle | None = None

    def add(self, root: str, envelope: Envelope) -> None:
        """Keep an event, with the next row that is written or a moment later.

        The start of a call is kept only where the call takes a while: its end stands for both.
        """
        event = envelope.event
        kind = event.__class__
        if kind in _PASSING:
            return
        if kind is ToolStarted:
            self._starts[envelope.run, event.call_id] = (root, envelope)
            if self._timer is None:
                self._timer = get_running_loop().call_later(_LONG_SECONDS, self._add_starts)
            return
        if kind is ToolFinished:
            self._starts.pop((envelope.run, event.call_id), None)
        self._add(root, envelope)

    def _add_starts(self) -> None:
        """Keep the start of each call that still runs."""
        starts, self._starts, self._timer = self._starts, {}, None
        for root, envelope in starts.values():
            self._add(root, envelope)

    def _add(self, root: str, envelope: Envelope) -> None:
        event = envelope.event
        head = (root, envelope.number, envelope.first, envelope.run, envelope.time, name_of(event))
        if event.__class__ is AnswerFinished:
            self._database.add_later(_ADD_ANSWER, (*head, envelope.session))
        else:
            self._database.add_later(_ADD, (*head, bounded(self._redact(_body(event)))))

    async def read(self, root: str, after: int = 0, *, run: str | None = None) -> list[Envelope]:
        """Up to 500 events after a number; those of one run among them only, where `run` says so."""
        where = "events.root = ?" if run is None else "events.root = ? AND events.run = ?"
        values: Values = (root, *(() if run is None else (run,)), after, _PAGE)
        rows = await self._database.select(_READ.replace("root_is", where), values)
        calls = await self._calls_of(rows)
        return [_envelope(row, calls) for row in rows]

    async def last(self, root: str) -> int:
        """The highest number kept of a run; 0 where there is none."""
        rows = await self._database.select(
            "SELECT coalesce(max(number), 0) FROM events WHERE root = ?", (root,)
        )
        return rows[0][0]

    async def _calls_of(self, rows: list[Any]) -> dict[tuple[str, str], CallRecord]:
        wanted = [(row[2], json.loads(row[5])["call_id"]) for row in rows if row[4] in _CALL_EVENTS]
        return await self._calls.of_runs(wanted) if wanted else {}


_CALL_EVENTS = ("tool_started", "tool_finished")


def _body(event: Any) -> str:
    if isinstance(event, ToolStarted | ToolFinished):
        fields = {name: getattr(event, name) for name in ("call_id", "tool", "session", "agent", "parent")}
    else:
        fields = fields_of(event)
    return _encode(fields)


def _envelope(row: tuple[Any, ...], calls: dict[tuple[str, str], CallRecord]) -> Envelope:
    number, first, run, created, name, body, content, session, parent = row
    return Envelope(
        number,
        created,
        run,
        session,
        parent or "",
        _event(name, run, body, content, calls),
        first,
    )


def _event(name: str, run: str, body: str | None, content: str | None, calls: Any) -> Any:
    try:
        if name == "answer_finished":
            message = from_json(content or "")
            return AnswerFinished(message if isinstance(message, AssistantMessage) else AssistantMessage(()))
        fields = json.loads(body or "{}")
        if name not in _CALL_EVENTS:
            return read_event(name, fields)
        record: CallRecord | None = calls.get((run, fields["call_id"]))
        arguments: Any = None if record is None else record.arguments
        fields["arguments"] = arguments if isinstance(arguments, dict) else {}
        if name == "tool_started":
            return ToolStarted(**fields)
        forgotten = ToolResult(fields["call_id"], fields["tool"])
        return ToolFinished(**fields, result=forgotten if record is None else result_of(record))
    except (ValueError, KeyError, TypeError):
        return UnknownEvent(name, {})
