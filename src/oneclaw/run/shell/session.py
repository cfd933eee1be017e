"""The shell of one conversation: directory, variables, functions and aliases carry over from call to call."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Literal

from oneclaw.core.errors import Kind, ToolError
from oneclaw.guard.sandbox.enclosure import Enclosure, Limits
from oneclaw.run.shell.box import Box, Gone
from oneclaw.run.shell.folder import ShellFolder, make_folder
from oneclaw.run.shell.output import Text
from oneclaw.run.shell.script import NO_FOLDER, WHOLE, command_text
from oneclaw.run.shell.state import leaves_out, moved, plain

LOOK_SECONDS = 0.1
"""How often a running command is looked after."""
LAST_WORDS_SECONDS = 2.0
APART = (
    "A rule allowed this command, so it ran without the functions, aliases, options and variables such as"
    " PATH that commands before it had set; they are still there for commands that no rule covers."
)

Stop = Literal["time", "processes", "memory"]
Fate = Literal["kept", "restarted", "ended"]
Enclose = Callable[[ShellFolder, bool], Enclosure]
"""Makes the enclosure for the folders of a shell, with or without network."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its text, its time, the folder it starts in, variables for it alone, and the network.

    is_ruled    a rule allowed it: it is not run with what commands that no rule allowed left in the shell
    sets_shell  it is there to change the shell, as `source` is; of other ruled ones the directory is kept
    """

    text: str
    seconds: float
    directory: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    network: bool = False
    is_ruled: bool = False
    sets_shell: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended, what it wrote, and what became of the shell it ran in.

    stop  why it was stopped; None when it ended by itself
    fate  the shell was `kept`, `restarted` because it could not be, or `ended` by the command itself, as by
          `exit`; after the last two, and whenever a command was stopped, the state is that before it
    """

    code: int
    out: Text
    err: Text
    seconds: float
    stop: Stop | None
    fate: Fate
    note: str


class ShellSession:
    """One shell. Commands run one after the other; its box is started when needed and can be let go of."""

    def __init__(
        self, enclose: Enclose, limits: Limits, *, has_rules: bool = False, parent: Path | None = None
    ) -> None:
        self.folder = make_folder(parent)
        self.used = monotonic()
        self.lock = asyncio.Lock()
        self.state = 0
        self._enclose = enclose
        self._limits = limits
        self._box: Box | None = None
        self._network = False
        self._last = 0
        self._has_rules = has_rules
        self.is_ruled = True
        """Whether only commands that rules allowed have run in it: then they have made its state."""
        self._ready: int | None = None

    @property
    def is_live(self) -> bool:
        return self._box is not None

    async def run(self, command: Command, heed: Callable[[bytes], None] | None = None) -> Outcome:
        """Run a command; hold `lock` meanwhile. Raises `ToolError` when it could not be run at all."""
        box = await self._open(command.network)
        is_apart = command.is_ruled and not self.is_ruled
        self.is_ruled = self.is_ruled and command.is_ruled
        path = box.enclosure.environment.get("PATH", "")
        is_bare = is_apart and leaves_out(self.folder.read_state(self.state), path)
        start = self._plain_state() if is_apart else self.state
        number = self._last + 1
        if self._ready != start:
            box.prepare(start, number)
        self._ready, self._last = None, number
        began = self.used = monotonic()
        ended = self._order(box, command, number)
        box.heed = heed
        try:
            stop, fate = await self._attend(box, ended, command.seconds)
        except BaseException:
            await asyncio.shield(asyncio.ensure_future(self.let_go()))
            raise
        finally:
            box.heed = None
        code = -9 if fate == "restarted" else ended.result()
        box.drain()
        is_there = True
        if fate == "restarted":
            await self.let_go()
        elif stop is None:
            if is_apart and not command.sets_shell:
                self._only_move(number)
            fate, is_there = self._take_state(number)
            self.is_ruled = self.is_ruled or (is_apart and command.sets_shell and fate == "kept")
        note = box.enclosure.note
        if is_apart:
            note = f"{note} {APART if is_bare else ''}".strip()
            self.folder.forget(start)
        self._prepare()
        if not is_there:
            raise ToolError(
                f"There is no folder {command.directory!r} to work in: give one that is there, or make it.",
                Kind.FILE_NOT_FOUND,
                effects="none",
            )
        self.used = monotonic()
        return Outcome(code, box.out.text(), box.err.text(), self.used - began, stop, fate, note)

    async def let_go(self) -> None:
        """End the box; the state stays, and the next command starts another one with it."""
        box, self._box = self._box, None
        if box is not None:
            box.kill()
            await box.gone()

    async def close(self) -> None:
        await self.let_go()
        await asyncio.to_thread(self.folder.remove)

    async def _open(self, network: bool) -> Box:
        if self._box is not None and (self._network != network or not self._box.is_alive):
            await self.let_go()
        if self._box is None:
            self._network = network
            self._box = Box(self._enclose(self.folder, network), self.folder.states, self._limits)
            self._prepare()
        return self._box

    def _prepare(self) -> None:
        """Have a bash ready for the next command, where it is known from which state that one starts."""
        self._ready = None
        if self._box is not None and (self.is_ruled or not self._has_rules):
            self._box.prepare(self.state, self._last + 1)
            self._ready = self.state

    def _plain_state(self) -> int:
        """A state with what a command that a rule allowed may find of this one."""
        number = self._last = self._last + 1
        self.folder.write_state(number, plain(self.folder.read_state(self.state)))
        return number

    def _only_move(self, number: int) -> None:
        """Have the state after a command be the one before it, but for the directory."""
        after = self.folder.read_state(number)
        if after:
            self.folder.write_state(number, moved(self.folder.read_state(self.state) or WHOLE, after))

    def _order(self, box: Box, command: Command, number: int) -> asyncio.Future[int]:
        folder = box.enclosure.folder
        self.folder.write_command(
            command_text(command.text, folder, number, command.directory, command.environment)
        )
        return box.order(number)

    async def _attend(self, box: Box, ended: asyncio.Future[int], seconds: float) -> tuple[Stop | None, Fate]:
        """Wait for the end of a command, or bring it about; either way nothing it started is left."""
        try:
            stop = await self._wait(box, ended, seconds)
        except Gone:
            await self.let_go()
            raise ToolError(f"The shell has ended: {box.why_gone()}.") from None
        try:
            if stop is not None or not box.enclosure.has_own_pids:
                await box.sweep()
                await asyncio.wait_for(asyncio.shield(ended), LAST_WORDS_SECONDS)
                await box.alone()
            elif box.had_left:  # its first bash has killed it
                await box.alone()
        except (Gone, TimeoutError):
            return stop, "restarted"
        return stop, "kept"

    async def _wait(self, box: Box, ended: asyncio.Future[int], seconds: float) -> Stop | None:
        """Look now and then whether it takes too much; why it must be stopped, None when it has ended."""
        until = monotonic() + seconds
        while True:
            left = until - monotonic()
            await asyncio.wait([ended], timeout=max(0.0, min(left, LOOK_SECONDS)))
            if ended.done():
                ended.result()
                return None
            if left <= 0:
                return "time"
            used = box.usage()
            if used is not None and used.processes > self._limits.processes:
                return "processes"
            if used is not None and used.memory_bytes > self._limits.memory_bytes:
                return "memory"

    def _take_state(self, number: int) -> tuple[Fate, bool]:
        """Go on from the state after the command if it left one; and whether its folder was there."""
        how = self.folder.how_ended(number)
        if how == WHOLE:
            self.folder.forget(self.state)
            self.state = number
            return "kept", True
        self.folder.forget(number)
        return "ended", how != NO_FOLDER
