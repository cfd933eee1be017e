"""Store: one database and its tables."""

from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from oneclaw.core.errors import StoreError
from oneclaw.store.agents import Agents
from oneclaw.store.calls import Calls
from oneclaw.store.events import StoredEvents
from oneclaw.store.grants import Grants
from oneclaw.store.history import History
from oneclaw.store.memories import Memories
from oneclaw.store.messages import Messages, identity
from oneclaw.store.questions import Questions
from oneclaw.store.queued_messages import QueuedMessages
from oneclaw.store.requests import AnsweredRequests
from oneclaw.store.runs import StoredRuns
from oneclaw.store.sessions import Sessions
from oneclaw.store.settings import StoredSettings
from oneclaw.store.sqlite import SqliteDatabase


class Store:
    """Sessions, messages, runs, calls and all else of one file, which is made unless `read_only`.

    `redact` takes known secrets out of messages and memories before they are kept; calls come without them.
    """

    def __init__(
        self, path: Path, *, read_only: bool = False, redact: Callable[[str], str] = identity
    ) -> None:
        self.database = SqliteDatabase(path, read_only=read_only)
        known: set[str] = set()
        self.calls = Calls(self.database, sessions=known)
        self.sessions = Sessions(self.database)
        self.messages = Messages(self.database, redact, sessions=known)
        self.history = History(self.database)
        self.agents = Agents(self.database)
        self.memories = Memories(self.database, redact)
        self.grants = Grants(self.database)
        self.settings = StoredSettings(self.database)
        self.runs = StoredRuns(self.database, redact)
        self.requests = AnsweredRequests(self.database)
        self.queued = QueuedMessages(self.database, redact)
        self.questions = Questions(self.database, redact)
        self.events = StoredEvents(self.database, self.calls, self.messages, redact)

    async def versions(self) -> dict[str, int]:
        """How often the grants, the settings and the agents were changed, by whatever program."""
        try:
            found = dict(await self.database.select("SELECT name, number FROM versions"))
        except StoreError:
            self.grants.version = -1  # nothing that was known of them holds
            raise
        self.grants.version = found["grants"]
        return found

    def close(self) -> None:
        self.database.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
