"""On-disk list of background jobs, so that jobs of a dead program are reported as lost."""

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

LOST = "the program that ran it has ended"
"""Why a job is lost."""

JobState = Literal["running", "finished", "killed", "lost"]


@dataclass(frozen=True, slots=True)
class JobRecord:
    """A recorded job.

    owner  the program that runs it, by its number and the time it started
    why    why it did not end by itself, or could not do what it was to
    note   what every result about it says
    has_network  whether it can reach the network
    """

    id: str
    agent: str
    command: str
    started: float
    state: JobState = "running"
    code: int | None = None
    ended: float | None = None
    owner: str = ""
    why: str = ""
    note: str = ""
    has_network: bool = False


class Ledger:
    """A JSON file that only its owner reads, changed under a lock and replaced in one step.

    It holds the jobs, and the number of the last one: an id that was removed never stands for another job.
    """

    def __init__(self, file: Path) -> None:
        self._file = file

    def all(self) -> list[JobRecord]:
        """Every job; one whose program is gone is lost."""
        return [_checked(record) for record in self._read()[1]]

    def add(
        self, agent: str, command: str, started: float, note: str = "", *, has_network: bool = False
    ) -> JobRecord:
        """A new job with an id that none has had."""
        made: list[JobRecord] = []

        def change(records: list[JobRecord], number: int) -> list[JobRecord]:
            record = JobRecord(f"job{number}", agent, command, started, owner=_me(), note=note)
            made.append(replace(record, has_network=has_network))
            return [*records, made[0]]

        self._change(change, is_new=True)
        return made[0]

    def update(self, job: str, **fields: Any) -> None:
        self._change(lambda all, _: [replace(one, **fields) if one.id == job else one for one in all])

    def remove(self, job: str) -> None:
        self._change(lambda all, _: [one for one in all if one.id != job])

    def _change(
        self, change: Callable[[list[JobRecord], int], list[JobRecord]], *, is_new: bool = False
    ) -> None:
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(self._file.with_suffix(".lock"), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            last, records = self._read()
            last += is_new
            records = _fewer(change([_checked(record) for record in records], last))
            new = self._file.with_suffix(".new")
            with open(os.open(new, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_CLOEXEC, 0o600), "w") as file:
                json.dump({"last": last, "jobs": [asdict(record) for record in records]}, file)
            os.replace(new, self._file)
        finally:
            os.close(lock)

    def _read(self) -> tuple[int, list[JobRecord]]:
        """The number of the last job and those that are listed; none where the file cannot be read."""
        with suppress(OSError, ValueError, TypeError, KeyError):
            document = json.loads(self._file.read_text("utf-8"))
            return int(document["last"]), [JobRecord(**each) for each in document["jobs"]]
        return 0, []


def _fewer(records: list[JobRecord]) -> list[JobRecord]:
    over = len(records) - MOST
    ended = [record.id for record in records if record.state != "running"][: max(0, over)]
    return [record for record in records if record.id not in ended]


def _checked(record: JobRecord) -> JobRecord:
    if record.state != "running" or record.owner == _me():
        return record
    number = record.owner.partition(":")[0]
    is_there = number.isdigit() and _known_as(int(number)) == record.owner
    return record if is_there else replace(record, state="lost", why=LOST)


def _me() -> str:
    return _known_as(os.getpid())


def _known_as(pid: int) -> str:
    """A process by its number and when it started; numbers alone are given again."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return f"{pid}:{file.read().rpartition(b')')[2].split()[19].decode()}"
    except OSError:
        return ""
