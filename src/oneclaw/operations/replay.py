"""Makes events from messages without a run, as in imported and forked sessions."""

from collections.abc import Iterator
from typing import Any

from oneclaw.core.envelope import Envelope
from oneclaw.core.event import ToolFinished
from oneclaw.core.message import AssistantMessage, Usage, UserMessage
from oneclaw.core.run_event import AnswerFinished, RunFinished, RunStarted
from oneclaw.store.messages import StoredMessage
from oneclaw.store.sessions import SessionRecord

RUN = "history"
"""Stands for the run that the page shows such messages as."""


def replay(session: SessionRecord, messages: list[StoredMessage]) -> list[Envelope]:
    """The events that a run would have sent for these messages."""
    found: list[Envelope] = []
    for created, event in _events(session, messages):
        number = len(found) + 1
        found.append(Envelope(number, created, RUN, session.id, "", event, number))
    return found


def _events(session: SessionRecord, messages: list[StoredMessage]) -> Iterator[tuple[float, Any]]:
    created = session.created
    is_open = False
    for stored in messages:
        message, created = stored.message, stored.created
        if isinstance(message, UserMessage):
            if is_open:
                yield created, _end(session)
            yield created, RunStarted(session.id, session.agent, "", message.text)
            is_open = True
        elif isinstance(message, AssistantMessage):
            yield created, AnswerFinished(message)
        else:
            for result in message.results:
                yield created, ToolFinished(result.call_id, result.tool, session.id, session.agent, result)
    if is_open:
        yield created, _end(session)


def _end(session: SessionRecord) -> RunFinished:
    return RunFinished(session.id, "done", "", 0, 0, Usage(), None, 0.0)
