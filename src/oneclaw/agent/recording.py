"""The numbered events of a run, for any number of readers, each from any point.

Theory of operation. A run tells each event once; it gets the next number of the row that the run shares with
all runs it started, and stands in one list. A reader keeps the number of the last event it has seen and asks
for those after it; one that has caught up waits for the bell. So readers cost the run nothing, and leave when
they like.

An answer comes in pieces. Once it is whole, one event stands for all of them: its `first` is the number of
the first piece, and the pieces leave the list as soon as no reader is behind. A reader that saw some of them
gets the whole answer next and puts it in their place, so that all readers build the same state.

    1 run_started   2 text_added   3 text_added   4 answer_finished (first 2)   5 run_finished
    after it is whole:             1 run_started   4 answer_finished (first 2)   5 run_finished

The store keeps what a reader needs who comes when the program is gone, see `store/events`.
"""

import asyncio
from bisect import bisect_right
from collections.abc import AsyncGenerator, Callable
from operator import attrgetter
from time import time
from typing import Any, Protocol

from oneclaw.core.answer import AnswerRestarted, ArgumentsAdded, CallBegun, TextAdded, ThoughtAdded
from oneclaw.core.envelope import Envelope
from oneclaw.core.event import ToolFinished, ToolStarted
from oneclaw.core.run_event import AnswerFinished

PIECES = frozenset((TextAdded, ThoughtAdded, CallBegun, ArgumentsAdded))
_WHOLE = frozenset((AnswerFinished, AnswerRestarted))
"""Events that stand for the pieces before them."""
MOST_HELD = 20_000
"""Events held in memory; the oldest half of more is read from the store."""
MOST_BEHIND = 5_000
"""Pieces held for a reader that is behind; with more, it gets whole answers in place of their pieces."""
_PIECES_AT_ONCE = 500
"""Pieces of whole answers leave the list so many at a time: each pass costs a little."""
_number = attrgetter("number")


class EventBook(Protocol):
    """Where events are kept beyond the program."""

    def add(self, root: str, envelope: Envelope) -> None: ...

    async def read(self, root: str, after: int = 0, *, run: str | None = None) -> list[Envelope]: ...


class Recording:
    """The events of one run. Those of a run that another started are told to the readers of both."""

    __slots__ = (
        "_bells",
        "_book",
        "_dropped",
        "_events",
        "_foldable",
        "_folds",
        "_last",
        "_parent",
        "_piece",
        "_readers",
        "_root",
        "_starts",
        "began_after",
        "run",
        "session",
    )

    def __init__(
        self,
        run: str,
        session: str,
        parent: "Recording | None" = None,
        book: EventBook | None = None,
        last: int = 0,
    ) -> None:
        """`last` is the highest number there is already, as of a run that goes on."""
        self.run = run
        self.session = session
        self._parent = "" if parent is None else parent.run
        self._root: Recording = self if parent is None else parent._root
        self._book = book if parent is None else self._root._book
        self._piece = 0
        self._starts: dict[str, int] = {}
        self._events: list[Envelope] = []
        self._last = self._dropped = self.began_after = last
        self._bells: list[asyncio.Future[None]] = []
        self._readers: set[_Reader] = set()
        self._folds: list[tuple[str, int, int]] = []
        self._foldable = 0

    @property
    def root(self) -> str:
        """The run whose row the numbers belong to."""
        return self._root.run

    def tell(self, event: Any) -> None:
        """Give an event its number, and wake the readers."""
        root = self._root
        first = number = root._last = root._last + 1
        kind: type[Any] = event.__class__
        if kind in PIECES:
            self._piece = self._piece or number
            root._events.append(Envelope(number, time(), self.run, self.session, self._parent, event, number))
            if root._bells:
                root.ring()
            return
        if kind is ToolStarted:
            self._starts[event.call_id] = number
        elif kind is ToolFinished:
            first = self._starts.pop(event.call_id, number)
        elif kind in _WHOLE and self._piece:
            first, self._piece = self._piece, 0
            root._folds.append((self.run, first, number))
            root._foldable += number - first
        envelope = Envelope(number, time(), self.run, self.session, self._parent, event, first)
        root._events.append(envelope)
        if self._book is not None:
            self._book.add(root.run, envelope)
            if len(root._events) > MOST_HELD:
                root._drop()
        if root._foldable > _PIECES_AT_ONCE or root._foldable > MOST_BEHIND:
            root._fold()
        if root._bells:
            root.ring()

    def ring(self) -> None:
        """Wake the readers that have caught up."""
        root = self._root
        if root._bells:
            bells, root._bells = root._bells, []
            for bell in bells:
                if not bell.done():
                    bell.set_result(None)

    async def read(self, after: int, is_over: Callable[[], bool]) -> AsyncGenerator[Envelope]:
        """The events after a number, then those to come, until `is_over` and none is left."""
        root, reader = self._root, _Reader(after)
        if root._folds:
            root._fold()
        root._readers.add(reader)
        try:
            while True:
                ended = is_over()
                found = await root._after(reader)
                for envelope in found:
                    reader.after = envelope.number
                    if self is root or envelope.run == self.run:
                        yield envelope
                if found:
                    continue
                if ended:
                    return
                bell = asyncio.get_running_loop().create_future()
                root._bells.append(bell)
                await bell
        finally:
            root._readers.discard(reader)

    async def _after(self, reader: "_Reader") -> list[Envelope]:
        """The events that a reader has not seen: from the store, where the list begins later."""
        while reader.after < self._dropped and self._book is not None:
            found = await self._book.read(self.run, reader.after)
            if found:
                return found
            reader.after = self._dropped
        return self._events[bisect_right(self._events, reader.after, key=_number) :]

    def _fold(self) -> None:
        """Take the pieces of whole answers out of the list, unless a reader is still reading them."""
        reached = min([reader.after for reader in self._readers], default=self._last)
        through: dict[str, int] = {}
        begin, end = self._folds[0][1], 0
        while self._folds and (self._folds[0][2] <= reached or self._foldable > MOST_BEHIND):
            run, first, last = self._folds.pop(0)
            self._foldable -= last - first
            begin, end = min(begin, first), last
            through[run] = last
        if through:
            begin = bisect_right(self._events, begin - 1, key=_number)
            end = bisect_right(self._events, end, key=_number)
            self._events[begin:end] = [
                each
                for each in self._events[begin:end]
                if type(each.event) not in PIECES or each.number > through.get(each.run, 0)
            ]

    def _drop(self) -> None:
        """Leave the older half to the store, which has all that counts of it."""
        half = len(self._events) // 2
        self._dropped = self._events[half - 1].number
        del self._events[:half]


class _Reader:
    """How far a reader is."""

    __slots__ = ("after",)

    def __init__(self, after: int) -> None:
        self.after = after
