"""A folder of JavaScript tools, as a tool source."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from oneclaw.core.load import Loaded, LoadProblem
from oneclaw.core.source import Changed
from oneclaw.core.tool import Tool
from oneclaw.guard.files.seen import Seen, look_at
from oneclaw.js.loader import MANIFEST, SOURCE, Known, load_folder
from oneclaw.js.runtime import Runtime


class JavaScriptFolder:
    """The tools of one folder. It is read when it is made, and again when it is opened.

    The tools of a pair of files that did not change stay the same. `gate` gives what is loaded in place of
    the folder, as a problem; None when the folder may be read.
    """

    is_outside = True
    health = ""

    def __init__(
        self,
        folder: Path,
        runtime: Runtime,
        *,
        name: str,
        origin: str,
        gate: Callable[[], Loaded | None] = lambda: None,
    ) -> None:
        self.name = name
        self.seen: Seen = frozenset()
        self.tools: Sequence[Tool] = ()
        self.problems: Sequence[LoadProblem] = ()
        self._folder = folder
        self._runtime = runtime
        self._origin = origin
        self._gate = gate
        self._known: Known = {}
        self._loads = 0
        self._changed: Changed = lambda: None
        self.load()
        self._is_fresh = True

    async def open(self, changed: Changed) -> None:
        self._changed = changed
        is_fresh, self._is_fresh = self._is_fresh, False
        if is_fresh and self.look() == self.seen:
            return
        while True:
            loads = self._loads
            found = await asyncio.to_thread(self._read)
            if loads == self._loads:  # else it was loaded meanwhile, maybe because it is no longer trusted
                self._take(*found)
                return

    async def close(self) -> None:
        self._changed = lambda: None

    def load(self) -> None:
        """Read the folder at once."""
        self._take(*self._read())
        self._changed()

    def look(self) -> Seen:
        """The files there are now. What cannot be looked at is not there."""
        return look_at((self._folder,), (MANIFEST, SOURCE))

    def _read(self) -> tuple[Seen, Loaded, Known]:
        seen, known = self.look(), dict(self._known)
        loaded = self._gate()
        if loaded is None:
            loaded = load_folder(self._folder, self._runtime, self._origin, known)
        return seen, loaded, known

    def _take(self, seen: Seen, loaded: Loaded, known: Known) -> None:
        places = {getattr(tool.execute, "place", "") for tool in loaded.tools}
        self._known = {place: pair for place, pair in known.items() if place in places}
        self.seen, self.tools, self.problems = seen, loaded.tools, loaded.problems
        self._loads += 1
