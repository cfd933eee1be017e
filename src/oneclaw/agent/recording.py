"""Numbered events of a run, for any number of readers, each from any point.

Theory of operation. A run tells each event once; it gets the next number of the row that the run shares with
all runs it started, and stands in one list. A reader keeps the number of the last event it has read and asks
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
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import contextmanager
from functools import partial
from operator import attrgetter
from time import time
from typing import Any, Protocol, cast

from oneclaw.core.answer import AnswerRestarted, ArgumentsAdded, CallBegun, TextAdded, ThoughtAdded
from oneclaw.core.call import ToolResult
from oneclaw.core.envelope import Envelope
from oneclaw.core.event import ToolFinished, ToolProgressed, ToolStarted
from oneclaw.core.run_event import AnswerFinished, RoundFinished, UsageCounted

PIECES = frozenset((TextAdded, ThoughtAdded, CallBegun, ArgumentsAdded))
_PASSING = PIECES | {ToolProgressed, RoundFinished, UsageCounted}
"""Events that are not kept: others tell what they told, or they no longer matter when they are over."""
_WHOLE = frozenset((AnswerFinished, AnswerRestarted))
"""Events that stand for the pieces before them."""
MOST_HELD = 20_000
"""Events held in memory; the oldest half of more is read from the store."""
MOST_BEHIND = 5_000
"""Pieces held for a reader that is behind; with more, it gets whole answers in place of their pieces."""
_PIECES_AT_ONCE = 500
"""Pieces of whole answers leave the list so many at a time: each pass costs a little."""
ReadOn = Callable[[], Awaitable[list[Envelope]]]
"""Waits for events that were not read yet, and gives as many as there are."""
_number = attrgetter("number")
_make: Callable[[type[Envelope], tuple[Any, ...]], Envelope] = cast(Any, tuple).__new__


class EventBook(Protocol):
    """Where events are kept beyond the program."""

    def add(self, root: str, envelope: Envelope) -> None: ...

    async def read(self, root: str, after: int = 0, *, run: str | None = None) -> list[Envelope]: ...


class Recording:
    """The events of one run. Those of a run that another started are told to the readers of both."""

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
        # A run that no other started is its own root, but does not hold itself: a cycle would keep its events
        # until the garbage collector comes by.
        self._above: Recording | None = None if parent is None else parent._root
        self._book = book if parent is None else parent._root._book
        self._piece = 0
        self._starts: dict[str, int] = {}
        self._events: list[Envelope] = []
        self._append = self._root._events.append
        self._last = self._dropped = self.began_after = last
        self._wakeups: list[asyncio.Future[None]] = []
        self._readers: set[_ReaderPosition] = set()
        self._folds: list[tuple[str, int, int]] = []
        self._foldable = 0

    @property
    def _root(self) -> "Recording":
        return self._above or self

    @property
    def root(self) -> str:
        """The run whose row the numbers belong to."""
        return self._root.run

    def tell(self, event: Any) -> None:
        """Give an event its number, keep it, and wake the readers."""
        root = self._above or self
        first = number = root._last = root._last + 1
        kind: type[Any] = event.__class__
        is_kept = kind not in _PASSING
        if is_kept:
            if kind is ToolStarted:
                self._starts[event.call_id] = number
            elif kind is ToolFinished:
                first = self._starts.pop(event.call_id, number)
            elif self._piece and kind in _WHOLE:
                first, self._piece = self._piece, 0
                root._note_whole(self.run, first, number)
        elif not self._piece and kind in PIECES:
            self._piece = number
        # By position and past `__new__`: this is the hottest line of a run.
        envelope = _make(Envelope, (number, time(), self.run, self.session, self._parent, event, first))
        self._append(envelope)
        if is_kept and self._book is not None:
            self._book.add(root.run, envelope)
            if len(root._events) > MOST_HELD:
                root._drop()
        if root._wakeups:
            root.wake()

    def wake(self, _: object = None) -> None:
        """Wake the readers that have caught up."""
        root = self._root
        wakeups, root._wakeups = root._wakeups, []
        for wakeup in wakeups:
            if not wakeup.done():
                wakeup.set_result(None)

    async def read(self, after: int, is_over: Callable[[], bool]) -> AsyncGenerator[Envelope]:
        """The events after a number, then those to come, until `is_over` and none is left."""
        with self.reader(after, is_over) as read_on:
            while found := await read_on():
                for envelope in found:
                    yield envelope

    def result_of(self, call_id: str) -> ToolResult | None:
        """The result of a call of this run, as long as its event is held."""
        for each in reversed(self._root._events):
            if type(each.event) is ToolFinished and each.event.call_id == call_id and each.run == self.run:
                return each.event.result
        return None

    @contextmanager
    def reader(self, after: int, is_over: Callable[[], bool]) -> Generator[ReadOn]:
        """`read` in steps: each gives as many events as there are, the last none."""
        root, reader = self._root, _ReaderPosition(after, is_over)
        if root._folds:
            root._fold()
        root._readers.add(reader)
        try:
            yield partial(self._read_on, reader)
        finally:
            root._readers.discard(reader)

    async def _read_on(self, reader: "_ReaderPosition") -> list[Envelope]:
        root = self._root
        while True:
            ended = reader.is_over()
            found = await root._after(reader)
            if found:
                reader.after = found[-1].number
                if self is not root:
                    found = [each for each in found if each.run == self.run]
                if found:
                    return found
            elif ended:
                return []
            else:
                wakeup = asyncio.get_running_loop().create_future()
                root._wakeups.append(wakeup)
                await wakeup

    async def _after(self, reader: "_ReaderPosition") -> list[Envelope]:
        """The events that a reader has not seen: from the store, where the list begins later."""
        while reader.after < self._dropped and self._book is not None:
            found = await self._book.read(self.run, reader.after)
            if found:
                return found
            reader.after = self._dropped
        return self._events[bisect_right(self._events, reader.after, key=_number) :]

    def _note_whole(self, run: str, first: int, last: int) -> None:
        """Have the pieces of a whole answer leave the list, sooner or later."""
        self._folds.append((run, first, last))
        self._foldable += last - first
        if self._foldable > min(_PIECES_AT_ONCE, MOST_BEHIND):
            self._fold()

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


class _ReaderPosition:
    """How far a reader is, and whether there is more to come."""

    __slots__ = ("after", "is_over")

    def __init__(self, after: int, is_over: Callable[[], bool]) -> None:
        self.after = after
        self.is_over = is_over
