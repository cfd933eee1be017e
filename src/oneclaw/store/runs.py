"""Stored runs: origin, state, limits and spending."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from time import time
from typing import Any, Literal

from oneclaw.core.encoder import make_encoder
from oneclaw.core.errors import InvalidConfig
from oneclaw.core.message import Usage
from oneclaw.store.column import NAME_CHARS, as_stored, bounded
from oneclaw.store.database import Database
from oneclaw.store.questions import waited

RunState = Literal["running", "done", "stopped", "failed", "interrupted"]
RunOrigin = Literal["person", "schedule", "parent", "api"]
"""Origins of runs: a person, a schedule, another run, or a program through the API."""

_COLUMNS = (
    "id, session, number, root, parent, agent, model, origin, reason, owner, state, process, created, ended,"
    " limits, finished"
)
# The index `runs_going` lets one run of a session be running: of two that begin at once, one is refused.
_START = f"""
INSERT INTO runs ({_COLUMNS})
VALUES (?, ?, (SELECT coalesce(max(number), 0) + 1 FROM runs WHERE session = ?), ?, ?, ?, ?, ?, ?, ?,
    'running', ?, ?, NULL, ?, NULL)
ON CONFLICT DO NOTHING
"""  # noqa: S608  only our words
_GO_ON = """
UPDATE runs SET state = 'running', process = ?, ended = NULL, finished = NULL
WHERE id = ? AND state IN ('interrupted', 'stopped')
    AND NOT EXISTS (SELECT 1 FROM runs AS one WHERE one.session = runs.session AND one.state = 'running')
"""
_FINISH = "UPDATE runs SET state = ?, ended = ?, model = ?, finished = ? WHERE id = ? AND state = 'running'"
_LINE = (
    "WITH RECURSIVE line (id, session) AS (SELECT id, session FROM runs WHERE id = ?"
    " UNION SELECT runs.id, runs.session FROM runs JOIN line ON runs.parent = line.id)"
)
_PRUNE = "DELETE FROM runs WHERE id IN (SELECT id FROM runs WHERE ended < ? AND state != 'running' LIMIT ?)"
_encode = make_encoder(default=str)
_MOST_NAMED = 5
_MOST_PRUNED = 1_000
_DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A run. Times are seconds since 1970; `finished` holds the fields of its last event, once it is over."""

    id: str
    session: str
    number: int = 0
    root: str
    parent: str | None = None
    agent: str
    model: str
    origin: RunOrigin = "person"
    reason: str = ""
    owner: str = ""
    state: RunState = "running"
    process: str = ""
    created: float = 0.0
    ended: float | None = None
    limits: Mapping[str, Any]
    finished: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Spent:
    """Spending of a run by messages and calls; `cost` is in US dollars, if prices are known.

    The time that it waited for people is not in `seconds`.
    """

    rounds: int
    calls: int
    usage: Usage
    cost: float | None
    seconds: float


class StoredRuns:
    """The runs of a store."""

    def __init__(self, database: Database, redact: Callable[[str], str]) -> None:
        """`redact` takes known secrets out of what was said before it is kept."""
        self._database = database
        self._redact = redact

    async def start(self, record: RunRecord) -> RunRecord | None:
        """Keep a run that begins now; None when another one is running in its session."""
        now = time()
        row = (
            record.id,
            as_stored(record.session),
            as_stored(record.session),
            record.root,
            record.parent,
            bounded(record.agent, NAME_CHARS),
            bounded(record.model, NAME_CHARS),
            record.origin,
            bounded(self._redact(record.reason)),
            record.owner,
            self._database.process,
            now,
            _encode(dict(record.limits)),
        )
        if not (await self._database.write(_START, row)).rows:
            return None
        return replace(record, created=now, process=self._database.process)

    async def go_on(self, run_id: str) -> bool:
        """Have an interrupted or stopped run be running again, in this program; False when it cannot be."""
        return (await self._database.write(_GO_ON, (self._database.process, run_id))).rows == 1

    async def finish(self, run_id: str, state: RunState, model: str, finished: Mapping[str, Any]) -> None:
        """Keep how a run ended; the first end stands."""
        text = self._redact(_encode(finished))
        row = (state, time(), bounded(model, NAME_CHARS), bounded(text), run_id)
        await self._database.write(_FINISH, row)

    async def get(self, run_id: str) -> RunRecord | None:
        found = await self._select("id = ?", (as_stored(run_id),), 1)
        return found[0] if found else None

    async def find(self, start: str) -> RunRecord | None:
        """The run whose id, or its second half, begins with `start`; raises `InvalidConfig` for several."""
        exact = await self.get(start)
        if exact is not None or not start:
            return exact
        begun = as_stored(start)
        begins = "substr(id, 1, ?) = ? OR substr(id, instr(id, '-') + 1, ?) = ?"
        found = await self._select(begins, (len(begun), begun, len(begun), begun), _MOST_NAMED + 1)
        if len(found) > 1:
            named = ", ".join(each.id for each in found[:_MOST_NAMED])
            raise InvalidConfig(f"More than one run begins with {start[:100]!r}: {named}; give more letters.")
        return found[0] if found else None

    async def list(
        self, *, session: str | None = None, state: str | None = None, limit: int = 50
    ) -> "list[RunRecord]":
        """The latest runs, newest first; those that other runs started are left out."""
        wanted = [("session = ?", as_stored(session)), ("state = ?", state)]
        asked = [(condition, value) for condition, value in wanted if value is not None]
        where = " AND ".join(["parent IS NULL", *(condition for condition, _ in asked)])
        return await self._select(where, tuple(value for _, value in asked), limit)

    async def of_session(self, session: str, after: int = 0, limit: int = 100) -> "list[RunRecord]":
        """The runs of a session after a number, oldest first; those that other runs started are left out."""
        where = "session = ? AND number > ? AND parent IS NULL"
        return await self._select(where, (as_stored(session), after), limit, "number")

    async def before(self, session: str, number: int = 0, limit: int = 30) -> "list[RunRecord]":
        """The runs of a session before a number, or the latest for 0, newest first, without those of runs."""
        where = "session = ? AND (? = 0 OR number < ?) AND parent IS NULL"
        return await self._select(where, (as_stored(session), number, number), limit, "number DESC")

    async def running(self, session: str) -> RunRecord | None:
        """The run that is running in a session, in whatever program."""
        found = await self._select("session = ? AND state = 'running'", (as_stored(session),), 1)
        return found[0] if found else None

    async def line(self, run_id: str) -> "list[str]":
        """The ids of a run and of those it started, and they."""
        rows = await self._database.select(f"{_LINE} SELECT id FROM line", (as_stored(run_id),))  # noqa: S608
        return [row[0] for row in rows]

    async def spent(self, record: RunRecord) -> Spent:
        """Spending of a run, including runs it started."""
        messages = await self._database.select(
            f"{_LINE} SELECT sum(role = 'assistant' AND run = ?), coalesce(sum(input), 0),"  # noqa: S608
            " coalesce(sum(output), 0), coalesce(sum(cached), 0), coalesce(sum(cache_written), 0),"
            " coalesce(sum(reasoning), 0), sum(cost), max(created)"
            " FROM line CROSS JOIN messages ON messages.session = line.session AND messages.run = line.id",
            (record.id, record.id),
        )
        calls = await self._database.select(
            f"{_LINE} SELECT count(*), max(started) FROM line"  # noqa: S608
            " CROSS JOIN calls ON calls.session = line.session AND calls.run = line.id",
            (record.id,),
        )
        rounds, *tokens, cost, written = messages[0]
        count, started = calls[0]
        last = max(record.created, written or 0.0, started or 0.0)
        seconds = last - record.created - await waited(self._database, record.id, last)
        return Spent(rounds or 0, count, Usage(*tokens), cost, seconds)

    async def prune(self, days: float) -> int:
        """Forget runs that ended so many days ago, with their events; at most 1,000 of them at once.

        Their conversations stay. Returns how many are gone.
        """
        old = time() - days * _DAY_SECONDS
        return (await self._database.write(_PRUNE, (old, _MOST_PRUNED))).rows

    async def _select(
        self, where: str, values: tuple[Any, ...], limit: int, order: str = "id DESC"
    ) -> "list[RunRecord]":
        sql = f"SELECT {_COLUMNS} FROM runs WHERE {where} ORDER BY {order} LIMIT ?"  # noqa: S608
        return [_record(row) for row in await self._database.select(sql, (*values, limit))]


def run_json(record: RunRecord) -> dict[str, Any]:
    """A run as plain data."""
    return asdict(record)


def _record(row: tuple[Any, ...]) -> RunRecord:
    names = (name.strip() for name in _COLUMNS.split(","))
    fields: dict[str, Any] = dict(zip(names, row, strict=True))
    fields["limits"] = json.loads(fields["limits"])
    fields["finished"] = None if fields["finished"] is None else _json(fields["finished"])
    return RunRecord(**fields)


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:  # it was cut for its length
        return {}
