"""Measures pauses that do not count as running time, such as waiting for a person."""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from time import monotonic


class Pauses:
    """The pauses of a clock. `above` pauses what this one is a part of, too."""

    __slots__ = ("_above", "_count", "_seconds", "_since")

    def __init__(self, above: "Callable[[], AbstractContextManager[None]] | None" = None) -> None:
        self._above = nullcontext if above is None else above
        self._count = 0
        self._since = 0.0
        self._seconds = 0.0

    @contextmanager
    def paused(self) -> Generator[None]:
        """Meanwhile the clock stands still."""
        if not self._count:
            self._since = monotonic()
        self._count += 1
        try:
            with self._above():
                yield
        finally:
            self._count -= 1
            if not self._count:  # the last of them: until then something was waited for
                self._seconds += monotonic() - self._since

    @property
    def seconds(self) -> float:
        """How long the clock stood still so far."""
        return self._seconds + (monotonic() - self._since if self._count else 0.0)
