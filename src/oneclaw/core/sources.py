"""Opens tool sources concurrently and registers their tools in order.

Theory of operation. Each source has a slot, and each `open` is a task: whoever starts waits for all of them
together, and for a short while only; a source that takes longer goes on in the background, and one that
raises or takes too long is a problem of that source alone. Whenever a source has opened or says that it
changed, its tools are read. If they are others, the registry is made anew from what all sources have, in one
step of the event loop: a name belongs to the first source that has it. What is gone goes, a tool that had
lost its name gets it back, and a call that is running keeps the tool it found. A tool that is the same object
as before stays the same entry, so that nothing known of it is made anew.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from operator import is_
from typing import TypeGuard, cast

from oneclaw.core.errors import DuplicateTool, InvalidConfig, OneClawError, describe
from oneclaw.core.load import LoadProblem
from oneclaw.core.registry import RegisteredTool, Registry, as_tool, make_entry
from oneclaw.core.source import Health, SourceState, ToolSource, Watched
from oneclaw.core.tool import Tool

log = logging.getLogger("oneclaw")

START_SECONDS = 2.0
"""How long whoever starts waits for sources; what opens later comes when it has."""
WAIT_SECONDS = 12.0
"""How long a call of an unknown tool, and whoever lists the tools, waits for sources that still open."""
OPEN_SECONDS = 60.0
"""How long one source may take to open; then it has failed."""
CLOSE_SECONDS = 5.0
FIXED = "agents"
"""The origin of tools that no tool from outside may take over: they carry what an agent may reach."""
WATCH_SECONDS = 1.0
_SETTLE_SECONDS = 0.1
_CHANGES = 20
"""How many changes of one source are taken up within a second; the others come together after it."""


@dataclass(slots=True, eq=False)
class _SourceSlot:
    """A source, its tools as they were last read with what was made of each, and how it is."""

    source: ToolSource
    tools: Sequence[Tool] = ()
    problems: Sequence[LoadProblem] = ()
    health: str = ""
    made: dict[int, tuple[Tool, RegisteredTool]] = field(
        default_factory=dict[int, tuple[Tool, RegisteredTool]]
    )
    opening: asyncio.Task[None] | None = None
    state: SourceState = "closed"
    failure: str = ""
    left_out: list[LoadProblem] = field(default_factory=list[LoadProblem])
    taken: dict[str, Tool] = field(default_factory=dict[str, Tool])
    changes: int = 0
    counts_until: float = 0.0
    later: asyncio.TimerHandle | None = None


class Sources:
    """The sources of one registry, in the order in which they have a right to a name."""

    def __init__(
        self,
        registry: Registry,
        sources: Iterable[ToolSource],
        *,
        fit: Callable[[Tool], Tool] = lambda tool: tool,
        overridden: Collection[str] = (),
    ) -> None:
        """`fit` gives a tool the owner's limits. `overridden` are names that a tool from outside may take
        from a source before its own. Raises for a mistake in a tool that is not from outside."""
        self._registry = registry
        self._slots = [_SourceSlot(source) for source in sources]
        self._fit = fit
        self._overridden = frozenset(overridden)
        self._is_strict = True
        self._news = asyncio.Event()
        self._outside: dict[str, Tool] = {}
        names = [slot.source.name for slot in self._slots]
        for name in names:
            if names.count(name) > 1:
                raise InvalidConfig(f"Two sources of tools are named {name!r}; rename one of them.")
        for slot in self._slots:
            self._read(slot)
        self._hold()
        self._is_strict = False

    def __iter__(self) -> Iterator[ToolSource]:
        return (slot.source for slot in self._slots)

    @property
    def outside(self) -> tuple[Tool, ...]:
        """The tools from outside that are in the registry."""
        return tuple(self._outside.values())

    def find_outside(self, name: str) -> Tool | None:
        return self._outside.get(name)

    @property
    def problems(self) -> tuple[LoadProblem, ...]:
        """Problems of sources, and what they left out."""
        return tuple(problem for slot in self._slots for problem in _problems(slot))

    @property
    def health(self) -> tuple[Health, ...]:
        return tuple(_health(slot) for slot in self._slots)

    async def __aenter__(self) -> "Sources":
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def open(self) -> None:
        """Open all sources side by side; those that take longer than a start may go on in the background."""
        self._news = asyncio.Event()
        await self.reopen(self, START_SECONDS)

    async def reopen(self, sources: Iterable[ToolSource], seconds: float = WAIT_SECONDS) -> None:
        """Open sources again and wait up to `seconds` for them. Their old tools stay meanwhile."""
        wanted, opening = list(sources), list[asyncio.Task[None]]()
        for slot in self._slots:
            if slot.source in wanted:
                if slot.opening is not None:
                    slot.opening.cancel()
                slot.state, slot.opening = "opening", asyncio.ensure_future(self._open(slot))
                opening.append(slot.opening)
        if opening:
            await asyncio.wait(opening, timeout=seconds)

    async def wait(self, seconds: float = WAIT_SECONDS) -> None:
        """Wait so long for the sources that still open."""
        opening = [slot.opening for slot in self._slots if slot.opening is not None]
        if opening:
            await asyncio.wait(opening, timeout=seconds)

    async def why_missing(self, name: str) -> str:
        """Wait for a tool that a source which still opens may have; says which still do after that."""
        with suppress(TimeoutError):
            async with asyncio.timeout(WAIT_SECONDS):
                while name not in self._registry and any(slot.opening for slot in self._slots):
                    await self._news.wait()
        names = " and ".join(repr(slot.source.name) for slot in self._slots if slot.opening is not None)
        return f"It may be a tool of {names}, still opening: try again in a few seconds." if names else ""

    async def follow(self) -> bool:
        """Open again the sources whose files changed; whether there was one."""
        marks = await asyncio.to_thread(self._look)
        changed = [source for source, mark in marks if mark != source.seen]
        if changed:
            await self.reopen(changed, START_SECONDS)
        return bool(changed)

    async def watch(self, seconds: float = WATCH_SECONDS) -> None:
        """Follow the files of sources until cancelled: a change is taken up once they have come to rest."""
        while True:
            await asyncio.sleep(seconds)
            marks = await asyncio.to_thread(self._look)
            if all(mark == source.seen for source, mark in marks):
                continue
            while True:  # a file that is being written would be half a tool
                await asyncio.sleep(min(seconds, _SETTLE_SECONDS))
                before, marks = marks, await asyncio.to_thread(self._look)
                if marks == before:
                    break
            await self.follow()

    async def close(self) -> None:
        """Close all sources side by side; one that takes too long is left."""
        closing = [asyncio.ensure_future(self._close(slot)) for slot in self._slots]
        _, late = await asyncio.wait(closing, timeout=CLOSE_SECONDS)
        for task in late:
            task.cancel()

    def _look(self) -> list[tuple[Watched, object]]:
        """The sources that read files, each with the mark of those there are now."""
        return [(source, source.look()) for source in self if _is_watched(source)]

    async def _open(self, slot: _SourceSlot) -> None:
        limit = asyncio.timeout(OPEN_SECONDS)
        try:
            async with limit:
                await slot.source.open(partial(self._changed, slot))
            slot.failure = ""
        except asyncio.CancelledError:
            if slot.opening is not asyncio.current_task():  # somebody opened it again, or closes it
                raise
            slot.failure = "it was cancelled"
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            is_late = isinstance(error, TimeoutError) and limit.expired()
            slot.failure = f"it took longer than {OPEN_SECONDS:g} seconds" if is_late else describe(error)
        slot.opening = None
        slot.state = "failed" if slot.failure else "ready"
        self._take(slot)

    async def _close(self, slot: _SourceSlot) -> None:
        opening, slot.opening, slot.state = slot.opening, None, "closed"
        if opening is not None:
            opening.cancel()
            await asyncio.wait((opening,))
        if slot.later is not None:
            slot.later.cancel()
            slot.later = None
        try:
            await slot.source.close()
        except (KeyboardInterrupt, asyncio.CancelledError):
            raise
        except BaseException:
            log.warning("The source %r could not be closed.", slot.source.name, exc_info=True)

    def _changed(self, slot: _SourceSlot) -> None:
        """Called by a source that changed. Frequent changes are read together, once a second."""
        loop = asyncio.get_running_loop()
        if loop.time() >= slot.counts_until:
            slot.counts_until, slot.changes, slot.later = loop.time() + 1.0, 0, None
        if slot.changes < _CHANGES:
            slot.changes += self._take(slot)
        elif slot.later is None:
            slot.later = loop.call_at(slot.counts_until, self._changed, slot)

    def _take(self, slot: _SourceSlot) -> bool:
        """Read a source, update the registry and wake waiting calls; returns whether the tools changed."""
        is_other = self._read(slot)
        if is_other:
            self._hold()
        self._news.set()
        self._news = asyncio.Event()
        return is_other

    def _read(self, slot: _SourceSlot) -> bool:
        """Read the tools of a source; returns whether they changed."""
        before, source = slot.tools, slot.source
        try:
            slot.tools, slot.health = tuple(source.tools), str(source.health)
            slot.problems = tuple(
                each if isinstance(each, LoadProblem) else LoadProblem(f"source {source.name}", str(each))
                for each in cast("Sequence[object]", source.problems)
            )
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            if self._is_strict and not source.is_outside:
                raise
            slot.tools, slot.state, slot.failure = (), "failed", describe(error)
        is_same = len(before) == len(slot.tools) and all(map(is_, before, slot.tools))
        return not is_same

    def _hold(self) -> None:
        """Put the tools of all sources into the registry."""
        held = Registry()
        takers: dict[str, _SourceSlot] = {}
        for slot in self._slots:
            slot.left_out, slot.taken, known, slot.made = [], {}, slot.made, {}
            for tool in slot.tools:
                reason = ""
                try:
                    raw, entry = known.get(id(tool)) or (tool, make_entry(self._fit(as_tool(tool))))
                    slot.made[id(tool)] = raw, entry
                    reason = self._place(held, slot, entry, takers)
                except Exception as error:
                    if self._is_strict and not slot.source.is_outside:
                        raise
                    reason = str(error) if isinstance(error, OneClawError) else describe(error)
                if reason:
                    work = getattr(tool, "execute", None)
                    place = getattr(work, "place", "") or getattr(tool, "origin", "")
                    place = place or f"source {slot.source.name}"
                    slot.left_out.append(LoadProblem(place, reason, getattr(work, "index", None)))
        outside = (slot for slot in self._slots if slot.source.is_outside)
        self._outside = {name: tool for slot in outside for name, tool in slot.taken.items()}
        self._registry.become(held)

    def _place(
        self, held: Registry, slot: _SourceSlot, entry: RegisteredTool, takers: dict[str, _SourceSlot]
    ) -> str:
        """Put a tool into the registry; says why it was left out."""
        tool, taken = entry.tool, held.find(entry.tool.name)
        if taken is not None and slot.source.is_outside:
            first, name = taken.tool, tool.name
            # Not to be taken over: another name of a tool, a tool of the same source, those of the agents.
            is_fixed = first.name != name or first.origin in (tool.origin, FIXED) or takers[name] is slot
            if is_fixed or name not in self._overridden:
                remedy = "" if is_fixed else ", or list it in tools.override"
                return f"the name {name} is taken by a tool from {first.origin or 'code'}; rename it{remedy}."
            held.remove(name)
        try:
            held.add(entry)
        except DuplicateTool:
            if taken is not None:
                held.add(taken)
            raise
        if taken is not None:
            takers[tool.name].taken.pop(tool.name)
        takers[tool.name] = slot
        slot.taken[tool.name] = tool
        return ""


def _is_watched(source: ToolSource) -> TypeGuard[Watched]:
    return hasattr(source, "look") and hasattr(source, "seen")


def _problems(slot: _SourceSlot) -> Iterator[LoadProblem]:
    health = _health(slot)
    place = f"source {health.source}"
    if health.state == "opening":
        yield LoadProblem(place, "it is still opening; its tools come when it is ready.", is_warning=True)
    elif health.reason:
        yield LoadProblem(place, f"{health.reason.rstrip('.')}; `oneclaw tools reload` tries again.")
    yield from slot.problems
    yield from slot.left_out


def _health(slot: _SourceSlot) -> Health:
    reason = slot.failure or slot.health
    state = "failed" if slot.state == "ready" and reason else slot.state
    return Health(slot.source.name, state, len(slot.taken), reason)
