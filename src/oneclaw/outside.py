"""Tools from outside: the folders and plugins they come from, and how the registry follows them.

Theory of operation. Loading has two halves. `_read` looks at the folders in their order and touches nothing
of ours, so that a thread can do it. `_take` then exchanges, in one step of the event loop, the tools that
came from outside before for those that were read: what is gone goes, what changed is another tool, and a call
that is running keeps the one it found. The definition of a tool whose files did not change stays the same
object, so that nothing known of it is looked up anew.

    built-in   the groups that come with us
    user       `tools` in the data folder
    project    `.oneclaw/tools` in the workspace, once the owner trusts that folder
    plugins    Python packages, and Python files of the user's folder

A name that is taken is reported and left out, unless the owner lists it in `tools.override`; then the tool
that had the name comes back when the other one goes.
"""

import asyncio
import os
import shlex
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from oneclaw.config import Config
from oneclaw.core.errors import OneClawError
from oneclaw.core.load import Loaded, Problem
from oneclaw.core.registry import Registry
from oneclaw.core.tool import Tool
from oneclaw.js.loader import BUILTIN, MANIFEST, SOURCE, Known, load_folder
from oneclaw.js.runtime import Runtime
from oneclaw.plugins.loader import load_plugins

WATCHED = (MANIFEST, SOURCE, ".py", ".toml")
POLL_SECONDS = 1.0
_SETTLE_SECONDS = 0.1

SeenFile = tuple[str, int, int, int, int]
"""A tool file: its path, inode, size and the times of its last change."""
Seen = frozenset[SeenFile]


@dataclass(frozen=True, slots=True)
class _Read:
    """What one look at the folders found, and the files as they were just before."""

    seen: Seen
    loaded: Loaded
    plugged: Loaded
    known: Known = field(default_factory=dict[str, tuple[str, Loaded]])


class Outside:
    """The tools from outside in one registry. `register` adds a tool as the app does, with its limits."""

    def __init__(
        self,
        config: Config,
        runtime: Runtime,
        registry: Registry,
        register: Callable[[Tool], Tool],
    ) -> None:
        self._config = config
        self._runtime = runtime
        self._registry = registry
        self._register = register
        self._is_trusted = False
        self._known: Known = {}
        self._plugged: Loaded | None = None
        self._seen: Seen = frozenset()
        self._own: dict[str, Tool] = {}
        self._displaced: dict[str, Tool] = {}
        self._loads = 0
        self.problems: tuple[Problem, ...] = ()

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools from outside that were taken."""
        return tuple(self._own.values())

    def find(self, name: str) -> Tool | None:
        return self._own.get(name)

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders that are looked at, whether they are there or not."""
        return self._config.tools_folder, self._config.project_folder / "tools"

    @property
    def is_trusted(self) -> bool:
        """Whether the tools of the project are loaded."""
        return self._is_trusted

    def load(self, is_trusted: bool | None = None, *, with_plugins: bool = False) -> None:
        """Have the registry hold what the folders hold now; `is_trusted` says so of the project's.

        Plugins are looked at the first time only, unless asked for: what they say may take seconds, and
        `reload` is for that.
        """
        if is_trusted is not None:
            self._is_trusted = is_trusted
        self._take(self._read(None if with_plugins else self._plugged))

    async def reload(self) -> None:
        """`load`, with plugins and all, read in a thread."""
        while True:
            loads = self._loads
            found = await asyncio.to_thread(self._read)
            if loads == self._loads:  # else somebody loaded meanwhile, and may have seen later files
                self._take(found)
                return

    async def watch(self, seconds: float = POLL_SECONDS) -> None:
        """Follow the files until cancelled: a change is taken up once they have come to rest."""
        while True:
            await asyncio.sleep(seconds)
            seen = await asyncio.to_thread(self._look)
            if seen == self._seen:
                continue
            while True:  # a file that is being written would be half a tool
                await asyncio.sleep(min(seconds, _SETTLE_SECONDS))
                before, seen = seen, await asyncio.to_thread(self._look)
                if seen == before:
                    break
            await self.reload()

    def follow(self) -> bool:
        """Load anew if a file changed; says whether one did."""
        if self._look() == self._seen:
            return False
        self.load()
        return True

    def _look(self) -> Seen:
        """The tool files there are now. What cannot be looked at is not there."""
        found: set[SeenFile] = set()
        for folder in self.folders:
            try:
                with os.scandir(folder) as entries:
                    paths = [entry.path for entry in entries if entry.name.endswith(WATCHED)]
            except OSError:
                continue
            for path in paths:
                with suppress(OSError):
                    status = os.stat(path)
                    marks = status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
                    found.add((path, *marks))
        return frozenset(found)

    def _read(self, plugged: Loaded | None = None) -> _Read:
        seen = self._look()
        if plugged is not None:  # its files count as seen when it was read
            seen = frozenset((*filter(_is_ours, seen), *(file for file in self._seen if not _is_ours(file))))
        else:
            plugged = load_plugins(self._config, is_fresh=self._plugged is not None)
        found = _Read(seen, Loaded(), plugged)
        known: Known = dict(self._known)
        for folder, origin in ((BUILTIN, "built-in"), (self._config.tools_folder, "user")):
            _add(found.loaded, load_folder(folder, self._runtime, origin, known))
        _add(found.loaded, self._read_project(known))
        _add(found.loaded, plugged)
        places = {getattr(tool.execute, "place", "") for tool in found.loaded.tools}
        found.known.update((place, pair) for place, pair in known.items() if place in places)
        return found

    def _read_project(self, known: Known) -> Loaded:
        """The tools of the project; of one that is not trusted only that there are some."""
        project, folder = self._config.workspace_folder, self._config.project_folder / "tools"
        real = os.path.realpath(folder)
        if real == os.path.realpath(self._config.tools_folder) or not os.path.isdir(real):
            return Loaded()
        if not real.startswith(os.path.join(os.path.realpath(project), "")):
            reason = "the folder is a link that leads out of the project; its tools are left out."
            return Loaded(problems=[Problem(str(folder), reason)])
        if self._is_trusted:
            return load_folder(folder, self._runtime, "project", known)
        try:
            count = sum(name.endswith(WATCHED) for name in os.listdir(folder))
        except OSError:
            count = 0
        if not count:
            return Loaded()
        files = "1 tool file is" if count == 1 else f"{count} tool files are"
        reason = (
            f"{files} not loaded, for this project is not trusted. Read them, then type:"
            f" oneclaw tools trust {shlex.quote(os.path.realpath(project))}"
        )
        return Loaded(problems=[Problem(str(folder), reason, is_warning=True)])

    def _take(self, found: _Read) -> None:
        self._loads += 1
        self._give_back()
        problems = list(found.loaded.problems)
        overridden = frozenset(self._config.get("tools.override", ()))
        for tool in found.loaded.tools:
            problem = self._place(tool, overridden)
            if problem:
                work = tool.execute
                place, index = getattr(work, "place", tool.origin), getattr(work, "index", None)
                problems.append(Problem(place, problem, index))
        self._known, self._plugged, self._seen = found.known, found.plugged, found.seen
        self.problems = tuple(problems)

    def _give_back(self) -> None:
        """Take our tools out of the registry and let those whose names they had come back."""
        for name, tool in self._own.items():
            entry = self._registry.find(name)
            if entry is not None and entry.tool is tool:  # else somebody else has the name by now
                self._registry.remove(name)
        for name, tool in self._displaced.items():
            if name not in self._registry:
                self._registry.register(tool)
        self._own.clear()
        self._displaced.clear()

    def _place(self, tool: Tool, overridden: frozenset[str]) -> str:
        """Register a tool; says why it was left out."""
        name = tool.name
        taken = self._registry.find(name)
        if taken is not None:
            first = taken.tool
            # Not to be taken over: another name of a tool, a tool of the same folder, those of the agents.
            is_fixed = first.name != name or first.origin in (tool.origin, "agents")
            if is_fixed or name not in overridden:
                remedy = "" if is_fixed else ", or list it in tools.override"
                whose = first.origin or "code"
                return f"the name {name} is taken by a tool from {whose}; rename it{remedy}."
            self._registry.remove(name)
        try:
            made = self._register(tool)
        except OneClawError as error:
            if taken is not None:
                again = self._registry.register(taken.tool)
                if name in self._own:
                    self._own[name] = again
            return str(error)
        if taken is not None and name not in self._own:
            self._displaced[name] = taken.tool
        self._own[name] = made
        return ""


def _is_ours(file: SeenFile) -> bool:
    """Whether it is a file that is read here, and not by the plugins."""
    return file[0].endswith((MANIFEST, SOURCE))


def trust_key(folder: Path) -> str:
    """Under which name the store keeps that the owner trusts a project: the real path of its folder.

    A path that is no text is spelled in hexadecimal, which no real path is: it begins with no separator.
    """
    path = os.path.realpath(folder)
    return f"trust.{path if _is_text(path) else os.fsencode(path).hex()}"


def _is_text(path: str) -> bool:
    return path.encode("utf-8", "ignore").decode() == path


def _add(sum: Loaded, more: Loaded) -> None:
    sum.tools.extend(more.tools)
    sum.problems.extend(more.problems)
