"""Messages of a session during a run: stored as they arrive, with unique call ids and a window."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from operator import is_
from typing import Protocol

from oneclaw.agent.window import Window
from oneclaw.core.call import ToolCall, unique_ids
from oneclaw.core.message import AssistantMessage, CallPart, Message, ResultsMessage, UserMessage
from oneclaw.core.session import Session

LONG_CHARS = 100_000
"""A longer result is stored at once: the journal, from which a crash is mended, cuts long ones."""


class MessageLog(Protocol):
    """Where messages are kept. One that was added is safe before the next call begins, or after `flush`."""

    def add(self, session: Session, message: Message, *, cost: float | None = None) -> None: ...

    async def flush(self) -> None: ...

    async def number_of_user(self, session_id: str, count: int) -> int | None: ...

    async def summarise(self, session_id: str, text: str, through: int) -> None: ...


class Conversation:
    """The messages of one session. The window is what a model is sent of them; the book has them all."""

    def __init__(
        self,
        session: Session,
        book: MessageLog | None = None,
        messages: Iterable[Message] = (),
        *,
        taken: Iterable[str] = (),
        last: int = 0,
        redact: Callable[[str], str] = str,
    ) -> None:
        """`messages` is what the window starts with.

        taken   ids of calls that are not among the messages
        last    the number in the book of the last message; it stays right unless others write there, too
        redact  takes known secrets out of a text
        """
        self.session = session
        self.window = Window(messages)
        self.last = last
        self._book = book
        self._redact = redact
        self._taken = {call.id for message in self.window.messages for call in _calls(message)}
        self._taken.update(taken)

    async def append(self, message: Message, cost: float | None = None) -> None:
        """Keep a message and show it to the model. No call of it begins before it is safe."""
        self.window.append(message)
        if self._book is not None:
            self._book.add(self.session, message, cost=cost)
            self.last += 1
            if isinstance(message, ResultsMessage) and _is_only_here(message):
                await self._book.flush()

    async def record(self, message: AssistantMessage, cost: float | None) -> None:
        """Keep what a request took, of an answer that says nothing: the model is not shown it."""
        if self._book is not None:
            self._book.add(self.session, message, cost=cost)
            self.last += 1

    async def flush(self) -> None:
        """Have all of it be safe."""
        if self._book is not None:
            await self._book.flush()

    async def compact(self, count: int, summary: str | None) -> None:
        """Have a summary stand for the first `count` messages of the window; the book keeps them."""
        kept = sum(map(_is_users, self.window.messages[count:]))
        self.window.replace_older(count, summary)
        if self._book is not None and summary is not None and kept:
            first = await self._book.number_of_user(self.session.id, kept)
            if first is not None:
                await self._book.summarise(self.session.id, summary, first - 1)

    def name_calls(self, message: AssistantMessage) -> AssistantMessage:
        """The message with ids no other call of the conversation has, and without secrets in them.

        Several servers count from 0 in every answer; the journal and some providers need to tell calls apart.
        An id is what the provider likes, and is kept and shown like any text.
        """
        calls = message.calls
        if not calls:
            return message
        named = unique_ids(calls, self._taken, self._redact)
        self._taken.update([call.id for call in named])
        if all(map(is_, named, calls)):
            return message
        left = iter(named)
        return replace(
            message,
            parts=tuple(
                replace(part, call=next(left)) if isinstance(part, CallPart) else part
                for part in message.parts
            ),
        )


def _is_only_here(message: ResultsMessage) -> bool:
    """Whether a crash would lose something of the message that the journal does not hold."""
    for result in message.results:
        if result.images or (isinstance(result.value, str) and len(result.value) > LONG_CHARS):
            return True
    return False


def _calls(message: Message) -> tuple[ToolCall, ...]:
    return message.calls if isinstance(message, AssistantMessage) else ()


def _is_users(message: Message) -> bool:
    return isinstance(message, UserMessage) and message.origin == "user"
