"""Repairs any list of messages into a valid conversation; runs no call again.

    call without a result         given the journal's result, or one that says that none was kept
    result without a call         dropped, as is a second result of one call
    result in another place       put behind its call, in the order of the calls
    id that is empty or in use    made anew, the same each time, for the call and its result together
    message that says nothing     dropped

A conversation begins with the user; every change leaves a note. What is valid is given back as it is.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.errors import Kind
from oneclaw.core.message import (
    AssistantMessage,
    CallPart,
    Message,
    Part,
    ResultsMessage,
    TextPart,
    ThoughtPart,
    UserMessage,
)

FindResult = Callable[[str], ToolResult | None]
"""The result that was kept elsewhere of the call of this id; None where there is none."""

NO_RESULT = "No result of this call was kept and what it changed is unknown: look before running it again."
NO_BEGINNING = "(What came before this was not kept.)"
NAMELESS = "unknown_tool"


@dataclass(frozen=True, slots=True)
class RepairedConversation:
    """A valid conversation, and one sentence for each thing that was changed to make it one."""

    messages: list[Message]
    notes: tuple[str, ...] = ()


def none(_: str) -> ToolResult | None:
    return None


def repair_conversation(messages: Iterable[Message], journal: FindResult = none) -> RepairedConversation:
    """The messages as a valid conversation; the list itself when they are one."""
    given = messages if isinstance(messages, list) else list(messages)
    if is_sound(given):
        return RepairedConversation(given)
    return _ConversationRepair(journal).repair_conversation(given)


def is_sound(messages: Sequence[Message]) -> bool:
    """Whether nothing needs to be changed."""
    if messages and not isinstance(messages[0], UserMessage):
        return False
    ids: set[str] = set()
    awaited: tuple[ToolCall, ...] = ()
    for message in messages:
        if isinstance(message, ResultsMessage):
            if not _answers(message.results, awaited):
                return False
            awaited = ()
            continue
        if awaited or says_nothing(message):
            return False
        if isinstance(message, AssistantMessage) and message.calls:
            awaited = message.calls
            for call in awaited:
                if not call.id or not call.name or call.id in ids:
                    return False
                ids.add(call.id)
    return not awaited


def _answers(results: tuple[ToolResult, ...], calls: tuple[ToolCall, ...]) -> bool:
    return len(results) == len(calls) > 0 and all(map(_is_answer, results, calls))


def _is_answer(result: ToolResult, call: ToolCall) -> bool:
    return result.call_id == call.id and bool(result.tool)


def says_nothing(message: UserMessage | AssistantMessage) -> bool:
    """Whether there is nothing in it to send: providers refuse such a message."""
    if isinstance(message, UserMessage):
        return not message.images and (not message.text or message.text.isspace())
    return all(map(_is_blank, message.parts))


def _is_blank(part: Part) -> bool:
    if not isinstance(part, TextPart | ThoughtPart) or part.echo is not None:
        return False
    return not part.text or part.text.isspace()


@dataclass(slots=True)
class _ResultSlot:
    """The place of one result: behind the answer whose call it is of."""

    call: ToolCall
    result: ToolResult | None = None


@dataclass(slots=True)
class _Exchange:
    """An answer, what stood behind it, and the places of its results."""

    message: AssistantMessage
    following: Message | None
    slots: list[_ResultSlot] = field(default_factory=list[_ResultSlot])


class _ConversationRepair:
    """One pass over one conversation."""

    def __init__(self, journal: FindResult) -> None:
        self._journal = journal
        self._notes: list[str] = []
        self._kept: list[UserMessage | _Exchange] = []
        self._open: dict[str, list[list[_ResultSlot]]] = {}  # id → per answer, the slots without a result
        self._last: list[_ResultSlot] = []  # all slots of the last answer that has calls
        self._slots: dict[str, list[_ResultSlot]] = {}
        self._early: dict[str, ToolResult] = {}
        self._ids: set[str] = set()
        self._numbers: dict[str, int] = {}  # id → the last number put behind it

    def repair_conversation(self, messages: Sequence[Message]) -> RepairedConversation:
        for number, message in enumerate(messages, 1):
            if isinstance(message, ResultsMessage):
                self._take_results(message.results)
            elif says_nothing(message):
                self._note("A message that says nothing was left out.")
            elif isinstance(message, UserMessage):
                self._kept.append(message)
            else:
                self._take_answer(message, messages[number] if number < len(messages) else None)
        self._place_early()
        mended: list[Message] = []
        if self._kept and isinstance(self._kept[0], _Exchange):
            self._note("The conversation began with an answer; a message of the user was put before it.")
            mended.append(UserMessage(NO_BEGINNING, origin="guard"))
        for kept in self._kept:
            mended.extend([kept] if isinstance(kept, UserMessage) else self._close(kept))
        return RepairedConversation(mended, tuple(self._notes))

    def _note(self, text: str) -> None:
        self._notes.append(text)

    # ------------------------------------------------------------------ which result is whose

    def _take_answer(self, message: AssistantMessage, following: Message | None) -> None:
        exchange = _Exchange(message, following, [_ResultSlot(call) for call in message.calls])
        self._kept.append(exchange)
        if not exchange.slots:
            return
        self._last = exchange.slots
        by_id: dict[str, list[_ResultSlot]] = {}
        for slot in exchange.slots:
            by_id.setdefault(slot.call.id, []).append(slot)
            self._slots.setdefault(slot.call.id, []).append(slot)
        for call_id, slots in by_id.items():
            self._open.setdefault(call_id, []).append(list(slots))

    def _take_results(self, results: Sequence[ToolResult]) -> None:
        if not results:
            self._note("A message that says nothing was left out.")
        # Those that name their call go first: a nameless one takes what is left.
        for result in results:
            if result.call_id:
                self._take(result)
        for result in results:
            if not result.call_id:
                self._take(result)

    def _take(self, result: ToolResult) -> None:
        slot = self._claim(result)
        if slot is not None:
            slot.result = result
        elif result.call_id and result.call_id not in self._slots:
            if self._early.setdefault(result.call_id, result) is not result:
                self._drop(result)
        else:
            self._drop(result)

    def _claim(self, result: ToolResult) -> _ResultSlot | None:
        """The call this is the result of: the nearest before it that has none yet."""
        groups = self._open.get(result.call_id)
        while groups:
            groups[-1] = [slot for slot in groups[-1] if slot.result is None]
            if groups[-1]:
                return _choose(groups[-1], result)
            groups.pop()
        if not result.call_id:
            return _choose([slot for slot in self._last if slot.result is None], result)
        return None

    def _place_early(self) -> None:
        """Results that came before the call they are of, where only one call can be meant."""
        for call_id, result in self._early.items():
            slots = self._slots.get(call_id, [])
            if len(slots) == 1 and slots[0].result is None:
                slots[0].result = result
                self._note(f"The result of {call_id[:60]!r} stood before its call; it was put behind it.")
            else:
                self._drop(result)

    def _drop(self, result: ToolResult) -> None:
        what = "A second result of a call" if result.call_id in self._slots else "A result without a call"
        self._note(f"{what} was left out (id {result.call_id[:60]!r}): {result.text[:80]!r}.")

    # ------------------------------------------------------------------ the exchange, whole

    def _close(self, exchange: _Exchange) -> list[Message]:
        """The answer and its results, every call with an id of its own and a name."""
        if not exchange.slots:
            return [exchange.message]
        calls = [self._named(slot.call) for slot in exchange.slots]
        results = [self._result(slot, call) for slot, call in zip(exchange.slots, calls, strict=True)]
        message = exchange.message
        if any(call is not slot.call for call, slot in zip(calls, exchange.slots, strict=True)):
            message = replace(message, parts=_with_calls(message.parts, calls))
        return [message, self._together(exchange, tuple(results))]

    def _together(self, exchange: _Exchange, results: tuple[ToolResult, ...]) -> ResultsMessage:
        following = exchange.following
        stood = following.results if isinstance(following, ResultsMessage) else ()
        kept = [slot.result for slot in exchange.slots if slot.result is not None]
        if list(map(id, stood[: len(kept)])) != list(map(id, kept)):
            self._note(f"Results were put behind their calls, in order ({kept[0].call_id[:60]!r} first).")
        if isinstance(following, ResultsMessage) and list(map(id, stood)) == list(map(id, results)):
            return following
        return ResultsMessage(results)

    def _named(self, call: ToolCall) -> ToolCall:
        # Only ids that came before count: what is added at the end later changes no name.
        name = wanted = call.id or f"call_{len(self._ids) + 1}"
        while name in self._ids:
            number = self._numbers[wanted] = self._numbers.get(wanted, 1) + 1
            name = f"{wanted}-{number}"
        self._ids.add(name)
        if name != call.id:
            self._note(f"The call {call.id[:60]!r} of {call.name[:60]!r} is now {name[:70]!r}.")
        if not call.name:
            self._note(f"The call {name[:70]!r} named no tool; it is now of {NAMELESS!r}.")
        if name == call.id and call.name:
            return call
        return replace(call, id=name, name=call.name or NAMELESS)

    def _result(self, slot: _ResultSlot, call: ToolCall) -> ToolResult:
        result = slot.result
        if result is None:
            result = self._journal(slot.call.id)
            result = lost(call) if result is None else _of(call, result)
            told = result.text[:120]
            self._note(f"The call {call.id[:60]!r} of {call.name[:60]!r} had no result; it got: {told!r}.")
        if result.call_id == call.id and result.tool:
            return result
        if not result.tool:
            self._note(f"The result of {call.id[:60]!r} named no tool; it is of {call.name[:60]!r}.")
        return _of(call, result)


def lost(call: ToolCall) -> ToolResult:
    """The result of a call of which nobody knows what became."""
    return ToolResult(call.id, call.name, None, Kind.INTERRUPTED, NO_RESULT, effects="unknown")


def _of(call: ToolCall, result: ToolResult) -> ToolResult:
    if result.call_id == call.id and result.tool:
        return result
    return replace(result, call_id=call.id, tool=result.tool or call.name)


def _choose(slots: list[_ResultSlot], result: ToolResult) -> _ResultSlot | None:
    """Among calls that share an id: the first of the same tool, else the first."""
    same = [slot for slot in slots if slot.call.name == result.tool]
    return (same or slots or [None])[0]


def _with_calls(parts: tuple[Part, ...], calls: list[ToolCall]) -> tuple[Part, ...]:
    following = iter(calls)
    return tuple(
        replace(part, call=next(following)) if isinstance(part, CallPart) else part for part in parts
    )
