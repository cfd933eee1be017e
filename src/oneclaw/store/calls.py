"""Call journal: one row per call, written before its tool starts and completed with its result.

    open ──> the row stands, `open` ──> the tool runs ──> close ──> `success` or `error`
                                             └── the program dies ──> `error`, `interrupted` (see recovery)

A row is in the file before `open` returns, so nothing a tool did is without its row. A row is completed only
while it is open: the first result stands, and a call has one however often one is offered.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from time import time
from typing import Any, Literal

from oneclaw.core.call import EFFECTS, ToolCall, ToolResult
from oneclaw.core.errors import Kind, StoreError
from oneclaw.core.session import Session
from oneclaw.core.tool import ToolDefinition
from oneclaw.guard.secret.shapes import mask as mask_shapes
from oneclaw.store.column import NAME_CHARS, as_stored, bounded, describe_images, from_json, to_json
from oneclaw.store.database import Database, Statement
from oneclaw.store.sessions import ENSURE, describe_session

CallStatus = Literal["open", "success", "error"]
Row = dict[str, str | int | float | None]
"""The columns of a row that are not null: to bind a null takes four times as long as to bind a number."""
STILL_OPEN = (
    "This call still runs in another program; its result is not known here: look before running it again."
)
_LARGEST = 2**63 - 1
"""The largest number SQLite knows."""

_UNDO = "DELETE FROM calls WHERE id = ?"
# Most rows have these columns and no others: their statements are not put together each time.
_OPEN = """
INSERT INTO calls (agent, session, run, process, call_id, tool, arguments, effect, started, status)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'open')
"""
_CLOSE_WITH_TEXT, _CLOSE_WITH_VALUE = (
    f"UPDATE calls SET status = 'success', seconds = ?, effects = ?, {column} = ?"  # noqa: S608  only our words
    " WHERE id = ? AND status = 'open'"
    for column in ("text", "value")
)
_COLUMNS = (
    "id, started, status, session, agent, call_id, tool, effect, seconds, kind, effects, truncated_from,"
    " message, repairs, images, arguments, text, value, details, parent, run"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord:
    """A call as the journal holds it. `seconds` is None while it is open and when it was interrupted.

    `arguments` is a mapping, None when they were not understood, or text when they were cut for their length.
    `parent` is the `call_id` of the call, in the same session, that made this one; empty when a model did.
    """

    key: int
    started: float
    status: CallStatus
    session: str
    agent: str
    call_id: str
    tool: str
    effect: str
    seconds: float | None
    kind: str
    effects: str
    truncated_from: int | None
    message: str
    repairs: tuple[str, ...]
    images: tuple[dict[str, Any], ...]
    arguments: Any
    value: Any
    details: Any
    parent: str
    run: str


class Calls:
    """The journal of a store: a `Journal` for the engine, the history for people.

    Known secrets are out of everything before it comes here; `mask` takes out what only looks like one.
    """

    def __init__(
        self,
        database: Database,
        mask: Callable[[str], str] = mask_shapes,
        *,
        sessions: set[str] | None = None,
    ) -> None:
        """`sessions` are the ids of those that have their row, or get it with the next write."""
        self._database = database
        self._process = database.process
        self._mask = mask
        self._late: list[Statement] = []
        self._sessions: set[str] = set() if sessions is None else sessions
        self._session: tuple[Session | None, tuple[str, ...]] = (None, ())

    async def open(
        self, call: ToolCall, definition: ToolDefinition, session: Session, arguments: Mapping[str, Any]
    ) -> int:
        if session.id not in self._sessions:
            await self._ensure(session)
        if session.run and session.id and not call.parent:
            call_id, shown = bounded(call.id, NAME_CHARS), self._mask(to_json(arguments))
            if session is not self._session[0]:
                self._session = session, self._describe_session(session)
            sql = _OPEN
            values = (*self._session[1], call_id, definition.name, shown, definition.effect, time())
        else:
            row = self._asked(call, session, definition.name, arguments)
            row["status"], row["effect"], row["started"] = "open", definition.effect, time()
            sql, values = _insert(row)
        try:
            # Cancelled meanwhile, nobody knows the key: the tool never starts, so the row goes.
            return await self._database.insert(sql, values, _UNDO)
        except StoreError:
            self._sessions.discard(session.id)  # nobody knows now whether it is there
            raise

    async def close(self, key: int, result: ToolResult) -> None:
        if _is_plain(result):
            text, seconds, effects = result.value, result.seconds, result.effects
            if isinstance(text, str):
                sql, values = _CLOSE_WITH_TEXT, (seconds, effects, self._mask(bounded(text)), key)
            else:
                sql, values = _CLOSE_WITH_VALUE, (seconds, effects, self._mask(to_json(text)), key)
        else:
            row = self._result(result)
            sql, values = _close(tuple(row)), (*row.values(), key)
        try:
            written = await self._database.write(sql, values)
        except StoreError:
            self._late.append((sql, values))
            raise
        if not written.rows and await self.get(key) is None:
            raise StoreError(f"The store {self._database.name} has no call {key} to close.")

    async def close_late(self) -> None:
        """Write the results that could not be written when their calls ended."""
        if self._late:
            await self._database.write_together(self._late)
            self._late.clear()

    async def record(
        self, call: ToolCall, session: Session, arguments: Mapping[str, Any] | None, result: ToolResult
    ) -> int:
        if session.id not in self._sessions:
            await self._ensure(session)
        row = self._asked(call, session, bounded(result.tool, NAME_CHARS), arguments) | self._result(result)
        row["started"] = time() - result.seconds
        try:
            return (await self._database.write(*_insert(row))).key
        except StoreError:
            self._sessions.discard(session.id)
            raise

    async def history(
        self,
        *,
        tool: str | None = None,
        status: str | None = None,
        session: str | None = None,
        since: float | None = None,
        before: int | None = None,
        limit: int = 50,
    ) -> list[CallRecord]:
        """The latest calls, newest first.

        tool    a name, or a glob as `file_*`
        status  `open`, `success`, `error`, or a kind of error as `timeout`
        since   seconds since 1970
        before  a key: only calls older than this one, for the next page
        """
        wanted = [
            ("started >= ?", since),
            ("session = ?", as_stored(session)),
            ("id < ?", before if before is None else min(before, _LARGEST)),
            ("tool GLOB ?" if tool and set(tool) & set("*?[") else "tool = ?", as_stored(tool)),
            (_condition(status), as_stored(status)),
        ]
        asked = [(condition, value) for condition, value in wanted if value is not None]
        where = " AND ".join(condition for condition, _ in asked) or "TRUE"
        sql = f"SELECT {_COLUMNS} FROM calls WHERE {where} ORDER BY id DESC LIMIT ?"  # noqa: S608  only our words
        values = (*(value for _, value in asked), min(limit, _LARGEST))
        return [_record(row) for row in await self._database.select(sql, values)]

    async def get(self, key: int) -> CallRecord | None:
        """The call of this key."""
        if abs(key) > _LARGEST:
            return None
        rows = await self._database.select(f"SELECT {_COLUMNS} FROM calls WHERE id = ?", (key,))  # noqa: S608
        return _record(rows[0]) if rows else None

    async def find(self, call_id: str) -> list[CallRecord]:
        """The calls to which a model gave this id, newest first; ids are unique within one answer only."""
        sql = f"SELECT {_COLUMNS} FROM calls WHERE call_id = ? ORDER BY id DESC"  # noqa: S608
        return [_record(row) for row in await self._database.select(sql, (as_stored(call_id),))]

    async def made_by(self, record: CallRecord) -> list[CallRecord]:
        """The calls that this one made, as a script makes them, in their order."""
        sql = f"SELECT {_COLUMNS} FROM calls WHERE session IS ? AND parent = ? AND id > ? ORDER BY id"  # noqa: S608
        values = (record.session or None, record.call_id, record.key)
        return [_record(row) for row in await self._database.select(sql, values)]

    async def maker_of(self, record: CallRecord) -> CallRecord | None:
        """The call that made this one; None when a model or a person did."""
        sql = f"""SELECT {_COLUMNS} FROM calls WHERE session IS ? AND call_id = ? AND id < ?
            ORDER BY id DESC LIMIT 1"""  # noqa: S608
        values = (record.session or None, record.parent, record.key)
        rows = await self._database.select(sql, values) if record.parent else []
        return _record(rows[0]) if rows else None

    async def of_runs(self, wanted: Iterable[tuple[str, str]]) -> dict[tuple[str, str], CallRecord]:
        """The calls of these pairs of a run and a call's id; of two with one id, the later.

        The calls of a session are gone through once, for all its runs.
        """
        pairs = [(run, as_stored(call_id)) for run, call_id in wanted]
        found: dict[tuple[str, str], CallRecord] = {}
        # From the newest on, and no further than needed: a session may have many thousand calls. Ids that
        # came twice hide others, which are looked for then.
        sql = (
            f"SELECT {_COLUMNS} FROM calls WHERE"  # noqa: S608
            " session IN (SELECT session FROM runs WHERE id IN (SELECT value FROM json_each(:runs)))"
            " AND run IN (SELECT value FROM json_each(:runs))"
            " AND call_id IN (SELECT value FROM json_each(:ids)) ORDER BY id DESC LIMIT :most"
        )
        runs, ids = dict.fromkeys(run for run, _ in pairs), dict.fromkeys(call_id for _, call_id in pairs)
        asked = {"runs": json.dumps(list(runs)), "ids": json.dumps(list(ids))}
        for most in (len(pairs), -1) if pairs else ():
            rows = await self._database.select(sql, {**asked, "most": most})
            for record in map(_record, reversed(rows)):
                found[record.run, record.call_id] = record
            if len(rows) < most or found.keys() >= set(pairs):
                break
        return found

    async def _ensure(self, session: Session) -> None:
        if session.id:
            await self._database.write(ENSURE, describe_session(session))
        self._sessions.add(session.id)

    def _json(self, value: Any) -> str:
        return self._mask(to_json(value))

    def _describe_session(self, session: Session) -> tuple[str, ...]:
        """The columns of `_OPEN` that all calls of a session in a run have in common."""
        agent, name = bounded(session.agent, NAME_CHARS), bounded(session.id, NAME_CHARS)
        return agent, name, session.run, self._process

    def _asked(self, call: ToolCall, session: Session, tool: str, arguments: Mapping[str, Any] | None) -> Row:
        row: Row = {
            "agent": bounded(session.agent, NAME_CHARS),
            "call_id": bounded(call.id, NAME_CHARS),
            "tool": tool,
            "process": self._process,
        }
        if session.id:
            row["session"] = bounded(session.id, NAME_CHARS)
        if arguments is not None:
            row["arguments"] = self._json(arguments)
        if call.parent:
            row["parent"] = bounded(call.parent, NAME_CHARS)
        if session.run:
            row["run"] = session.run
        return row

    def _result(self, result: ToolResult) -> Row:
        kind, value = result.kind, result.value
        row: Row = {
            "status": "success" if kind is None else "error",
            "seconds": result.seconds,
            "effects": result.effects,
        }
        if kind is not None:
            row["kind"] = kind.value
        if result.truncated_from is not None:
            row["truncated_from"] = result.truncated_from
        if result.message:
            row["message"] = self._mask(bounded(result.message))
        if result.repairs:
            row["repairs"] = self._json(result.repairs)
        if result.images:
            row["images"] = describe_images(result.images)
        if isinstance(value, str):
            row["text"] = self._mask(bounded(value))
        elif value is not None:
            row["value"] = self._json(value)
        if result.details is not None:
            row["details"] = self._json(result.details)
        return row


def _is_plain(result: ToolResult) -> bool:
    """Whether a result has a value and nothing else to keep."""
    return (
        result.kind is None
        and result.value is not None
        and result.details is None
        and result.truncated_from is None
        and not (result.message or result.repairs or result.images)
    )


def _insert(row: Row) -> Statement:
    return _insert_sql(tuple(row)), tuple(row.values())


@lru_cache
def _insert_sql(names: tuple[str, ...]) -> str:
    return f"INSERT INTO calls ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"  # noqa: S608  only our words


@lru_cache
def _close(names: tuple[str, ...]) -> str:
    changes = ", ".join(f"{name} = ?" for name in names)
    return f"UPDATE calls SET {changes} WHERE id = ? AND status = 'open'"  # noqa: S608  only our words


def _condition(status: str | None) -> str:
    if status in ("open", "success", "error"):
        return "status = ?"
    return "status = 'error' AND kind = ?"


def _record(row: tuple[Any, ...]) -> CallRecord:
    text, value = row[16], row[17]
    return CallRecord(
        key=row[0],
        started=row[1],
        status=row[2],
        session=row[3] or "",
        agent=row[4],
        call_id=row[5],
        tool=row[6],
        effect=row[7] or "",
        seconds=row[8],
        kind=row[9] or "",
        effects=row[10] or "",
        truncated_from=row[11],
        message=row[12] or "",
        repairs=tuple(from_json(row[13]) or ()),
        images=tuple(from_json(row[14]) or ()),
        arguments=from_json(row[15]),
        value=text if text is not None else from_json(value),
        details=from_json(row[18]),
        parent=row[19] or "",
        run=row[20] or "",
    )


def result_of(record: CallRecord) -> ToolResult:
    """The result of a call as the journal holds it; images are not kept there, and it says so."""
    if record.status == "open":
        return ToolResult(record.call_id, record.tool, None, Kind.INTERRUPTED, STILL_OPEN, effects="unknown")
    repairs = record.repairs
    if record.images:
        repairs = (*repairs, f"{len(record.images)} image(s) of this result were not kept")
    return ToolResult(
        record.call_id,
        record.tool,
        record.value if record.status == "success" else None,
        None if record.status == "success" else _kind(record.kind),
        record.message,
        record.seconds or 0.0,
        record.effects if record.effects in EFFECTS else "unknown",
        repairs,
        record.truncated_from,
        (),
        record.details,
    )


def _kind(name: str) -> Kind:
    return Kind(name) if name in set(Kind) else Kind.EXECUTION_ERROR
