"""A conversation as a run has it: stored as it happens, its calls uniquely named, its window at hand."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Protocol

from oneclaw.agent.window import Window
from oneclaw.core.call import ToolCall
from oneclaw.core.message import AssistantMessage, CallPart, Message, Part, UserMessage
from oneclaw.core.session import Session


class Book(Protocol):
    """Where messages are kept; `append` returns when the message is safe, with its number."""

    async def append(self, session: Session, message: Message, *, cost: float | None = None) -> int: ...

    async def summarise(self, session_id: str, text: str, through: int) -> None: ...


class Conversation:
    """The messages of one session. The window is what a model is sent of them; the book has them all."""

    def __init__(
        self,
        session: Session,
        book: Book | None = None,
        messages: Iterable[Message] = (),
        *,
        users: Iterable[int] = (),
        taken: Iterable[str] = (),
        redact: Callable[[str], str] = str,
    ) -> None:
        """`messages` is what the window starts with.

        users   the numbers in the book of what the user said
        taken   ids of calls that are not among the messages
        redact  takes known secrets out of a text
        """
        self.session = session
        self.window = Window(messages)
        self._book = book
        self._redact = redact
        self._users = list(users)
        self._taken = {call.id for message in self.window.messages for call in _calls(message)}
        self._taken.update(taken)

    async def append(self, message: Message, cost: float | None = None) -> None:
        """Keep a message, then show it to the model. Nothing is done about a call before it is kept."""
        try:
            if self._book is not None:
                number = await self._book.append(self.session, message, cost=cost)
                if _is_users(message):
                    self._users.append(number)
        except asyncio.CancelledError:
            self.window.append(message)  # what is stopped meanwhile is kept all the same
            raise
        self.window.append(message)

    async def record(self, message: AssistantMessage, cost: float | None) -> None:
        """Keep what a request took, of an answer that says nothing: the model is not shown it."""
        if self._book is not None:
            await self._book.append(self.session, message, cost=cost)

    async def compact(self, count: int, summary: str | None) -> None:
        """Have a summary stand for the first `count` messages of the window; the book keeps them."""
        kept = sum(map(_is_users, self.window.messages[count:]))
        self.window.replace_older(count, summary)
        if self._book is not None and summary is not None and 0 < kept <= len(self._users):
            await self._book.summarise(self.session.id, summary, self._users[-kept] - 1)

    def name_calls(self, message: AssistantMessage) -> AssistantMessage:
        """The message with ids no other call of the conversation has, and without secrets in them.

        Several servers count from 0 in every answer; the journal and some providers need to tell calls apart.
        An id is what the provider likes, and is kept and shown like any text.
        """
        calls = message.calls
        if not calls:
            return message
        ids = [call.id for call in calls]
        is_clean = (text := "\n".join(ids)) == self._redact(text)
        if is_clean and len(set(ids)) == len(ids) and all(ids) and self._taken.isdisjoint(ids):
            self._taken.update(ids)
            return message
        return replace(message, parts=tuple(self._named(part) for part in message.parts))

    def _named(self, part: Part) -> Part:
        if not isinstance(part, CallPart):
            return part
        given, number = self._redact(part.call.id), 1
        name = given
        while not name or name in self._taken:
            number += 1
            name = f"{given or 'call'}-{number}"
        self._taken.add(name)
        return part if name == part.call.id else replace(part, call=replace(part.call, id=name))


def _calls(message: Message) -> tuple[ToolCall, ...]:
    return message.calls if isinstance(message, AssistantMessage) else ()


def _is_users(message: Message) -> bool:
    return isinstance(message, UserMessage) and message.origin == "user"
