"""Envelope: an event with its number, time, run, session and parent run."""

from typing import Any, NamedTuple


class Envelope(NamedTuple):
    """One event of a run.

    number   counts within the run that a person started, and within all runs that it started in turn: the
             events of a sub-agent have numbers of the same row. Gaps are normal.
    time     seconds since 1970
    run      the run it happened in, and its `session`
    parent   the run that started that one; empty when a person, a schedule or a program did
    first    the number of the first event that this one stands for, where it stands for several: an answer
             for its pieces, a finished call for its start. Otherwise the same as `number`.
    """

    number: int
    time: float
    run: str
    session: str
    parent: str
    event: Any
    first: int
