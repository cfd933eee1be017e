"""The list of jobs on disk: what ran when the program ended is found there, and said to be lost."""

import fcntl
import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

MOST = 200
"""The most jobs listed; the oldest that have ended go first."""

JobState = Literal["running", "finished", "killed", "lost"]


@dataclass(frozen=True, slots=True)
class JobRecord:
    """What is known of a job. `owner` is the program that runs it, by its number and the time it started."""

    id: str
    agent: str
    command: str
    started: float
    state: JobState = "running"
    code: int | None = None
    ended: float | None = None
    owner: str = ""
    why: str = ""


class Ledger:
    """A JSON file that only its owner reads, changed under a lock and replaced in one step."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def all(self) -> list[JobRecord]:
        """Every job; one whose program is gone is lost."""
        return [_checked(record) for record in self._read()]

    def add(self, agent: str, command: str, started: float) -> JobRecord:
        """A new job with an id that none has had."""
        made: list[JobRecord] = []

        def change(records: list[JobRecord]) -> list[JobRecord]:
            taken = [int(record.id.removeprefix("job")) for record in records]
            made.append(JobRecord(f"job{max(taken, default=0) + 1}", agent, command, started, owner=_me()))
            return [*records, made[0]]

        self._change(change)
        return made[0]

    def update(self, job: str, **fields: Any) -> None:
        self._change(lambda all: [replace(one, **fields) if one.id == job else one for one in all])

    def remove(self, job: str) -> None:
        self._change(lambda all: [one for one in all if one.id != job])

    def _change(self, change: Callable[[list[JobRecord]], list[JobRecord]]) -> None:
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(self._file.with_suffix(".lock"), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            records = _fewer(change([_checked(record) for record in self._read()]))
            new = self._file.with_suffix(".new")
            with open(os.open(new, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_CLOEXEC, 0o600), "w") as file:
                json.dump([asdict(record) for record in records], file, ensure_ascii=True)
            os.replace(new, self._file)
        finally:
            os.close(lock)

    def _read(self) -> list[JobRecord]:
        found: list[JobRecord] = []
        with suppress(OSError, ValueError, TypeError):
            found += [JobRecord(**document) for document in json.loads(self._file.read_text("utf-8"))]
        return found


def _fewer(records: list[JobRecord]) -> list[JobRecord]:
    over = len(records) - MOST
    ended = [record.id for record in records if record.state != "running"][: max(0, over)]
    return [record for record in records if record.id not in ended]


def _checked(record: JobRecord) -> JobRecord:
    if record.state != "running" or record.owner == _me():
        return record
    number = record.owner.partition(":")[0]
    is_there = number.isdigit() and _known_as(int(number)) == record.owner
    return record if is_there else replace(record, state="lost", why="the program that ran it has ended")


def _me() -> str:
    return _known_as(os.getpid())


def _known_as(pid: int) -> str:
    """A process by its number and when it started; numbers alone are given again."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return f"{pid}:{file.read().rpartition(b')')[2].split()[19].decode()}"
    except OSError:
        return ""
