"""Loads a stored conversation and repairs it from the call journal."""

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass

from oneclaw.agent.repair import FindResult, repair_conversation
from oneclaw.core.call import ToolResult
from oneclaw.core.errors import Kind
from oneclaw.core.message import AssistantMessage, Message, ResultsMessage
from oneclaw.store.calls import CallRecord, result_of
from oneclaw.store.column import as_stored
from oneclaw.store.store import Store

NOT_BEGUN = "The program ended before this call began; it changed nothing. Call again if still wanted."
_ALL = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Recalled:
    """The whole conversation, valid.

    summary  what stands for the first `through` of the messages when a model is asked; None without one
    through  so `messages[through:]` are those the summary does not stand for
    notes    what was changed to make it valid, one sentence each
    last     the number of the last message in the store
    late     the results of the last answer, when the store has none: a crash came between
    """

    messages: list[Message]
    summary: str | None = None
    through: int = 0
    notes: tuple[str, ...] = ()
    last: int = 0
    late: ResultsMessage | None = None


async def recall(store: Store, session_id: str) -> Recalled:
    """The conversation of a session, ready to go on; an unknown session has an empty one."""
    last = await store.messages.last(session_id)  # before reading: what comes meanwhile is seen next
    stored = await store.messages.load(session_id)
    messages = [each.message for each in stored]
    asked: list[str] = []
    mended = repair_conversation(messages, asked.append)
    records: list[CallRecord] = []
    if asked:  # the journal is long: it is read only where a result is missing
        records = (await store.calls.history(session=session_id, limit=_ALL))[::-1]
        mended = repair_conversation(messages, journal_of(records, messages))
    late = _late(messages, mended.messages)
    summary = await store.messages.summary(session_id)
    if summary is None:
        return Recalled(mended.messages, notes=mended.notes, last=last, late=late)
    text, number = summary
    count = sum(each.number <= number for each in stored)
    if count < len(messages) and isinstance(messages[count], ResultsMessage):
        count += 1  # never between a call and its result
    if mended.notes:
        # What was added or left out before the border moves it.
        head = messages[:count]
        count = len(repair_conversation(head, journal_of(records, head)).messages)
    return Recalled(mended.messages, text, count, mended.notes, last, late)


def _late(stored: list[Message], mended: list[Message]) -> ResultsMessage | None:
    last = mended[-1] if mended else None
    has_none = bool(stored) and isinstance(stored[-1], AssistantMessage)
    return last if has_none and isinstance(last, ResultsMessage) else None


def journal_of(records: Iterable[CallRecord], messages: Iterable[Message]) -> FindResult:
    """The results that the journal holds and the messages do not.

    An id may come back in a later answer. Results are kept in the order of their calls, so the first rows
    of an id belong to the results that are there.
    """
    rows: dict[str, deque[CallRecord]] = {}
    for record in records:
        if not record.parent:  # a script's own calls are no part of what was said
            rows.setdefault(record.call_id, deque()).append(record)
    kept = Counter(
        as_stored(result.call_id)
        for message in messages
        if isinstance(message, ResultsMessage)
        for result in message.results
    )
    for call_id, count in kept.items():
        for _ in range(min(count, len(rows.get(call_id, ())))):
            rows[call_id].popleft()

    def find(call_id: str) -> ToolResult:
        waiting = rows.get(as_stored(call_id))
        if waiting:
            return result_of(waiting.popleft())
        return ToolResult(call_id, "", None, Kind.INTERRUPTED, NOT_BEGUN)

    return find
