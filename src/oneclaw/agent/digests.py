"""Caches the memory digest of each session, so that its prompt prefix stays stable.

What stands before a conversation must not change while it goes on: providers keep what they have read only as
long as it begins with the same bytes. So a memory that is noted, changed or forgotten shows in sessions that
begin later; in this one the model knows of it anyway, for it made the call.
"""

from collections.abc import Callable

from oneclaw.core.engine import Engine
from oneclaw.core.memory import Notebook, digest
from oneclaw.core.session import Session

TOOL = "memory_search"
"""An agent that may not call it is told nothing."""
_KEPT = 1_000


class Digests:
    """The digests of the sessions of a program, the oldest let go of where there are very many."""

    def __init__(self, engine: Engine, notebook: Callable[[str], Notebook], chars: int) -> None:
        self._engine = engine
        self._notebook = notebook
        self._chars = chars
        self._made: dict[str, str] = {}

    async def of(self, session: Session) -> str:
        """The digest for the instructions; empty for agents without memory search."""
        if all(definition.name != TOOL for definition in self._engine.available(session)):
            return ""
        made = self._made.get(session.id)
        if made is None:
            made = digest(await self._notebook(session.agent).useful(), self._chars)
            self._made[session.id] = made
            if len(self._made) > _KEPT:
                self._made.pop(next(iter(self._made)))
        return made
