"""Opens the store read-only."""

from collections.abc import Generator
from contextlib import contextmanager

from oneclaw.config import Config
from oneclaw.store.store import Store


@contextmanager
def reading(config: Config) -> Generator[Store | None]:
    """The store of the settings, to read only; None where none was made yet."""
    if not config.store_file.exists():
        yield None
        return
    with Store(config.store_file, read_only=True) as store:
        yield store
