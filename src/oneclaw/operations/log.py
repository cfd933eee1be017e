"""Queries the call journal and token usage."""

import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import starmap
from typing import TYPE_CHECKING, Any

from oneclaw.core.errors import InvalidConfig, Kind, NotFound
from oneclaw.core.message import Usage
from oneclaw.guard.outside_mark import unmarked
from oneclaw.operations.sessions import find_session
from oneclaw.store.calls import CallRecord
from oneclaw.store.messages import Round

if TYPE_CHECKING:
    from oneclaw.store.store import Store

STATUSES = ("open", "success", "error", *(kind.value for kind in Kind))
SUMMARY_CHARS = 120
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFilter:
    """Which calls or answers are asked for, the newest of them first. Raises `InvalidConfig` for a wrong one.

    tool     a name, or a glob as `file_*`
    status   one of `STATUSES`
    session  an id, the beginning of one, or `last`
    since    seconds since 1970
    before   a call's number: only calls older than this one, for the next page
    """

    tool: str | None = None
    status: str | None = None
    session: str | None = None
    since: float | None = None
    before: int | None = None
    limit: int = 50

    def __post_init__(self) -> None:
        if self.status is not None and self.status not in STATUSES:
            known = ", ".join(STATUSES)
            raise InvalidConfig(f"There is no status {self.status!r}; use one of: {known}.")


@dataclass(frozen=True, slots=True)
class CallDetails:
    """A call and the calls it made."""

    call: CallRecord
    made: Sequence[CallRecord]


@dataclass(frozen=True, slots=True)
class AnswerUsage:
    """Answers of models and what they took together; `cost` is in US dollars where prices are known.

    The total is that of the whole session where one is asked for without a time, else of these answers.
    """

    rounds: Sequence[Round]
    usage: Usage
    cost: float | None
    answers: int


def read_since(text: str, now: float | None = None) -> float:
    """A moment from `30m`, `2h`, `3d` or a date; raises `InvalidConfig`."""
    ago = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhdw])", text.strip())
    if ago:
        return (time.time() if now is None else now) - float(ago[1]) * _UNITS[ago[2]]
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        raise InvalidConfig(
            f"{text!r} is not a time: write 30m, 2h, 3d, or a date such as 2026-01-31."
        ) from None


async def list_calls(store: "Store", wanted: LogFilter, *, with_makers: bool = False) -> list[CallRecord]:
    """The calls that fit; `with_makers`, also the script behind a call where the list would end between."""
    session = None if wanted.session is None else (await find_session(store, wanted.session)).id
    records = await store.calls.history(
        tool=wanted.tool,
        status=wanted.status,
        session=session,
        since=wanted.since,
        before=wanted.before,
        limit=wanted.limit,
    )
    if not with_makers:
        return records
    known = {(record.session, record.call_id) for record in records}
    for record in list(records):
        if record.parent and (record.session, record.parent) not in known:
            known.add((record.session, record.parent))
            maker = await store.calls.maker_of(record)
            records += [] if maker is None else [maker]
    return sorted(records, key=lambda record: record.key, reverse=True)


async def find_call(store: "Store | None", key: int) -> CallDetails:
    """A call by its number; raises `NotFound`."""
    found = None if store is None else await store.calls.get(key)
    if found is None or store is None:
        raise NotFound("call", key, "log")
    return CallDetails(found, await store.calls.made_by(found))


async def list_answers(store: "Store", wanted: LogFilter) -> AnswerUsage:
    """The last answers of models that fit, and their total."""
    session = None if wanted.session is None else (await find_session(store, wanted.session)).id
    since = wanted.since
    rounds = [
        each
        for each in await store.messages.rounds(session, wanted.limit)
        if since is None or each.created >= since
    ]
    if session is not None and since is None:
        return AnswerUsage(rounds, *await store.messages.usage(session))
    known = [each.cost for each in rounds if each.cost is not None]
    usage = sum((each.usage for each in rounds), Usage())
    return AnswerUsage(rounds, usage, sum(known) if known else None, len(rounds))


def summary(record: CallRecord) -> str:
    """One line about a call: the message of an error, else the arguments."""

    def word(name: str, value: Any) -> str:
        return f"{name}={value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"

    given: Any = record.arguments or ""  # a text where they were cut for their length
    said = given if isinstance(given, str) else " ".join(starmap(word, given.items()))
    line = unmarked(record.message).split("\n")[0] or said
    return line if len(line) <= SUMMARY_CHARS else line[: SUMMARY_CHARS - 1] + "…"
