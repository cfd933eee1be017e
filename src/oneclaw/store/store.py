"""The store as a whole: one database and its tables."""

from pathlib import Path
from types import TracebackType

from oneclaw.store.calls import Calls
from oneclaw.store.db import Database
from oneclaw.store.grants import Grants
from oneclaw.store.sessions import Sessions
from oneclaw.store.settings import Settings


class Store:
    """Calls, sessions, grants and settings of one file; made when there is none, unless `read_only`."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.database = Database(path, read_only=read_only)
        self.calls = Calls(self.database)
        self.sessions = Sessions(self.database)
        self.grants = Grants(self.database)
        self.settings = Settings(self.database)

    def close(self) -> None:
        self.database.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
