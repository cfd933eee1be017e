"""Cache of recent conversations between runs."""

import logging

from oneclaw.agent.conversation import Conversation
from oneclaw.agent.recall import recall
from oneclaw.core.message import AssistantMessage, UserMessage
from oneclaw.core.session import Session
from oneclaw.store.store import Store

log = logging.getLogger("oneclaw")

_MOST = 32


class Conversations:
    """The last conversations of a program, by session. One that another program wrote into is read anew."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: dict[str, Conversation] = {}

    async def of(self, session: Session, *, is_new: bool = False) -> Conversation:
        """The conversation of a session, as it stands in the store now; of a new one nothing stands there."""
        known = self._kept.pop(session.id, None)
        if is_new:
            known = Conversation(session, self._store.messages, redact=self._store.messages.redact)
        # Another program may have gone on with it since.
        elif known is None or known.last != await self._store.messages.last(session.id):
            known = await self._recall(session)
        known.session = session  # whoever wrote into it before may have known less of it
        self._kept[session.id] = known  # last in the row: the first is let go of
        while len(self._kept) > _MOST:
            self._kept.pop(next(iter(self._kept)))
        return known

    async def _recall(self, session: Session) -> Conversation:
        recalled = await recall(self._store, session.id)
        last = recalled.last
        if recalled.late is not None:
            last = await self._store.messages.append(session, recalled.late)
        for note in recalled.notes:
            log.info("Session %s: %s", session.id, note)
        messages = recalled.messages[recalled.through :]
        if recalled.summary is not None:
            messages = [UserMessage(recalled.summary, origin="summary"), *messages]
        past = (message for message in recalled.messages if isinstance(message, AssistantMessage))
        taken = (call.id for message in past for call in message.calls)
        book = self._store.messages
        made = Conversation(session, book, messages, taken=taken, last=last, redact=book.redact)
        made.window.keep_skills(recalled.messages[: recalled.through])
        return made

    def forget(self, session_id: str) -> None:
        """Have a conversation read from the store next time."""
        self._kept.pop(session_id, None)
