"""Stored run events for late readers.

Pieces of an answer are not kept: the answer stands for them. An answer itself is a row of `messages`, and its
event is written into that row. A call with its result is a row of `calls`; the event says only which. The
calls that have finished since the last answer go into the row of the next one, or into one row of their own a
moment later. So a round adds no row for its events, and they are written together with the next row that must
be safe, see `Database.add_later`.
"""

import json
from asyncio import TimerHandle, get_running_loop
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, cast

from oneclaw.core.call import Image, ToolResult
from oneclaw.core.encoder import make_encoder
from oneclaw.core.envelope import Envelope
from oneclaw.core.event import ToolFinished, ToolStarted
from oneclaw.core.event_json import Json, UnknownEvent, fields_of, name_of, read_event
from oneclaw.core.message import AssistantMessage
from oneclaw.core.message_json import from_json
from oneclaw.core.run_event import AnswerFinished
from oneclaw.store.calls import CallRecord, Calls, result_of
from oneclaw.store.column import as_stored, bounded
from oneclaw.store.database import Database, Named
from oneclaw.store.messages import Messages

_ADD = """
INSERT INTO events (root, number, first, run, created, type, body) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING
"""
_LINE = """
WITH RECURSIVE line (id, session, parent) AS (
    SELECT id, session, parent FROM runs WHERE id = :root
    UNION SELECT runs.id, runs.session, runs.parent FROM runs JOIN line ON runs.parent = line.id
)
"""
"""A run, and the runs that it started."""
# Earlier versions kept the event of an answer in `events`, with the number of its message.
_READ = f"""
{_LINE}
SELECT events.number AS number, first, events.run, events.created, type, body, content, runs.session,
    runs.parent
FROM events JOIN runs ON runs.id = events.run
LEFT JOIN messages ON messages.session = runs.session AND messages.number = events.message
WHERE events.root = :root AND (:run IS NULL OR events.run = :run) AND events.number > :after
UNION ALL
SELECT event, event_first, run, created, 'answer_finished', finished, content, line.session, line.parent
FROM line CROSS JOIN messages ON messages.session = line.session AND messages.run = line.id
WHERE (:run IS NULL OR line.id = :run) AND event > :after
ORDER BY number LIMIT :page
"""  # noqa: S608  only our words
_LAST = f"""
{_LINE}
SELECT max(
    (SELECT coalesce(max(number), 0) FROM events WHERE root = :root),
    (SELECT coalesce(max(event), 0) FROM line CROSS JOIN messages
        ON messages.session = line.session AND messages.run = line.id)
)
"""  # noqa: S608  only our words
# All events of some runs at once: the messages of a session are gone through once, not once for each run.
_READ_RUNS = """
WITH RECURSIVE line (id, session, parent, root) AS (
    SELECT id, session, parent, id FROM runs WHERE id IN (SELECT value FROM json_each(:roots))
    UNION SELECT runs.id, runs.session, runs.parent, line.root FROM runs JOIN line ON runs.parent = line.id
)
SELECT events.number AS number, first, events.run, events.created, type, body, content, line.session,
    line.parent, line.root
FROM line CROSS JOIN events ON events.root = line.root AND events.run = line.id
LEFT JOIN messages ON messages.session = line.session AND messages.number = events.message
UNION ALL
SELECT event, event_first, run, messages.created, 'answer_finished', finished, content, line.session,
    line.parent, line.root
FROM (SELECT DISTINCT session FROM line) AS talk CROSS JOIN messages ON messages.session = talk.session
CROSS JOIN line ON line.id = messages.run
WHERE event > 0
ORDER BY number
"""
_PAGE = 500
_LONG_SECONDS = 0.25
_SOON_SECONDS = 0.05
_MOST_FINISHED = 500
_STARTED, _FINISHED = "tool_started", "tools_finished"
"""The row of calls that have finished; its body, as that of an answer, is a list of `_Finished`."""
_encode = make_encoder(default=str)
_Finished = tuple[int, int, float, str, str]
"""A call that has finished: its number, the number of its start, the time, its id, the label of its tool."""
_number = attrgetter("number")
_START_FIELDS = ("call_id", "tool", "session", "agent", "parent", "label")


class StoredEvents:
    """The events of a store."""

    def __init__(
        self, database: Database, calls: Calls, messages: Messages, redact: Callable[[str], str]
    ) -> None:
        """`redact` takes known secrets out of what was said before it is kept."""
        self._database = database
        self._calls = calls
        self._messages = messages
        self._redact = redact
        self._starts: dict[tuple[str, str], tuple[str, Envelope]] = {}
        self._timer: TimerHandle | None = None
        self._finished: dict[str, tuple[str, list[_Finished]]] = {}
        self._soon: TimerHandle | None = None

    def add(self, root: str, envelope: Envelope) -> None:
        """Keep an event, with the next row that is written or a moment later.

        The start of a call is kept only where the call takes a while: its end stands for both. The event of
        an answer is added before its message, which takes it along.
        """
        event = envelope.event
        kind = event.__class__
        if kind is ToolStarted:
            self._starts[envelope.run, event.call_id] = (root, envelope)
            if self._timer is None:
                self._timer = get_running_loop().call_later(_LONG_SECONDS, self._add_starts)
            return
        if kind is ToolFinished:
            self._starts.pop((envelope.run, event.call_id), None)
            self._finish(root, envelope, event.call_id, event.label)
            return
        self._add(root, envelope)

    def _add_starts(self) -> None:
        """Keep the start of each call that still runs."""
        starts, self._starts, self._timer = self._starts, {}, None
        for root, envelope in starts.values():
            self._add(root, envelope)

    def _finish(self, root: str, envelope: Envelope, call_id: str, label: str) -> None:
        """Have a call that has finished go with the next row of its run, or with others a moment later."""
        held = self._finished.get(root)
        if held is None or held[0] != envelope.run or len(held[1]) >= _MOST_FINISHED:
            self._add_finished(root)
            held = self._finished[root] = (envelope.run, [])
        held[1].append((envelope.number, envelope.first, envelope.time, as_stored(call_id), label))
        if self._soon is None:
            self._soon = get_running_loop().call_later(_SOON_SECONDS, self._add_all_finished)

    def _add_all_finished(self) -> None:
        self._soon = None
        for root in list(self._finished):
            self._add_finished(root)

    def _add_finished(self, root: str) -> None:
        if root in self._finished:
            self._add_row(root, *self._finished.pop(root))

    def _add_row(self, root: str, run: str, finished: list[_Finished]) -> None:
        number, first, time, *_ = finished[-1]
        row = (root, number, first, run, time, _FINISHED, self._redact(_encode(finished)))
        self._database.add_later(_ADD, row)

    def _add(self, root: str, envelope: Envelope) -> None:
        event = envelope.event
        if event.__class__ is AnswerFinished:
            if root in self._finished and self._finished[root][0] != envelope.run:
                self._add_finished(root)
            finished = self._finished.pop(root, None)
            said = "" if finished is None else self._redact(_encode(finished[1]))
            self._messages.tell_event(event.message, envelope, said)
        else:
            self._add_finished(root)
            row = (root, envelope.number, envelope.first, envelope.run, envelope.time, name_of(event))
            self._database.add_later(_ADD, (*row, bounded(self._redact(_body(event)))))

    async def read(self, root: str, after: int = 0, *, run: str | None = None) -> list[Envelope]:
        """The events of up to 500 rows after a number; those of one run only, where `run` says so."""
        wanted: Named = {"root": root, "run": run, "after": after, "page": _PAGE}
        rows = await self._database.select(_READ, wanted)
        # Calls with lower numbers than a start may stand in the next row: a page does not end with a start.
        while len(rows) > _PAGE // 2 and rows[-1][4] == _STARTED:
            rows.pop()
        read = [(row, _finished(row)) for row in rows]
        calls = await self._calls_of(read)
        envelopes = [each for row, finished in read for each in _envelopes(row, finished, calls)]
        return sorted((each for each in envelopes if each.number > after), key=_number)

    async def read_runs(self, roots: Sequence[str]) -> dict[str, list[Envelope]]:
        """All events of runs, and of those they started, by run."""
        rows = await self._database.select(_READ_RUNS, {"roots": json.dumps(list(roots))})
        read = [(row, _finished(row)) for row in rows]
        calls = await self._calls_of(read)
        found: dict[str, list[Envelope]] = {root: [] for root in roots}
        for row, finished in read:
            found[row[9]] += _envelopes(row[:9], finished, calls)
        return {root: sorted(each, key=_number) for root, each in found.items()}

    async def last(self, root: str) -> int:
        """The highest number kept of a run; 0 where there is none."""
        return (await self._database.select(_LAST, {"root": root}))[0][0]

    async def _calls_of(self, read: list[tuple[Any, list[_Finished]]]) -> dict[tuple[str, str], CallRecord]:
        wanted = [(row[2], call_id) for row, finished in read for *_, call_id, _ in finished]
        wanted += [(row[2], json.loads(row[5])["call_id"]) for row, _ in read if row[4] == _STARTED]
        return await self._calls.of_runs(wanted) if wanted else {}


def _body(event: Any) -> str:
    if isinstance(event, ToolStarted):
        fields = {name: getattr(event, name) for name in _START_FIELDS}
    else:
        fields = fields_of(event)
    return _encode(fields)


def _finished(row: tuple[Any, ...]) -> list[_Finished]:
    """The calls that have finished by a row, or before it."""
    if row[5] is None or row[4] not in (_FINISHED, "answer_finished"):
        return []
    try:
        rows: list[Any] = json.loads(row[5])
        # Earlier versions kept no label.
        return [(one[0], one[1], one[2], one[3], one[4] if len(one) > 4 else "") for one in rows]
    except (ValueError, TypeError, LookupError):
        return []


def _envelopes(
    row: tuple[Any, ...], finished: list[_Finished], calls: dict[tuple[str, str], CallRecord]
) -> Iterator[Envelope]:
    number, first, run, created, name, body, content, session, parent = row
    for own, start, time, call_id, label in finished:
        event = _tool_finished(call_id, label, session, calls.get((run, call_id)))
        yield Envelope(own, time, run, session, parent or "", event, start)
    if name != _FINISHED:
        event = _event(name, run, body, content, calls)
        yield Envelope(number, created, run, session, parent or "", event, first)


def _tool_finished(call_id: str, label: str, session: str, record: CallRecord | None) -> ToolFinished:
    if record is None:
        return ToolFinished(call_id, "", session, "", ToolResult(call_id, ""))
    result = result_of(record)
    if record.images:  # their bytes are in the stored conversation
        kept = tuple(Image(b"", str(one.get("type", "")), int(one.get("bytes", 0))) for one in record.images)
        result = replace(result, images=kept, repairs=record.repairs)
    said = (result, record.parent, _arguments(record), label, record.key)
    return ToolFinished(call_id, record.tool, session, record.agent, *said)


def _arguments(record: CallRecord | None) -> Json:
    """The arguments of a call, unless they were cut for their length."""
    arguments: Any = None if record is None else record.arguments
    return cast(Json, arguments) if isinstance(arguments, dict) else {}


def _event(name: str, run: str, body: str | None, content: str | None, calls: Any) -> Any:
    try:
        if name == "answer_finished":
            message = from_json(content or "")
            return AnswerFinished(message if isinstance(message, AssistantMessage) else AssistantMessage(()))
        fields = json.loads(body or "{}")
        if name != _STARTED:
            return read_event(name, fields)
        return ToolStarted(**fields, arguments=_arguments(calls.get((run, fields["call_id"]))))
    except (ValueError, KeyError, TypeError):
        return UnknownEvent(name, {})
