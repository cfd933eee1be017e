"""The shell of one conversation: directory, variables, functions and aliases carry over from call to call."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Literal

from oneclaw.core.errors import Kind, ToolError
from oneclaw.guard.sandbox.enclosure import Enclosure, Limits
from oneclaw.run.shell.box import Box, Gone
from oneclaw.run.shell.folder import ShellFolder, make_folder
from oneclaw.run.shell.output import Text
from oneclaw.run.shell.script import NO_FOLDER, WHOLE, command_text

LOOK_SECONDS = 0.1
"""How often a running command is looked after."""
LAST_WORDS_SECONDS = 2.0

Stop = Literal["time", "processes", "memory"]
Fate = Literal["kept", "restarted", "ended"]
Enclose = Callable[[ShellFolder, bool], Enclosure]
"""Makes the enclosure for the folders of a shell, with or without network."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its text, its time, the folder it starts in, variables for it alone, and the network."""

    text: str
    seconds: float
    directory: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    network: bool = False


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

    def __init__(self, enclose: Enclose, limits: Limits) -> None:
        self.folder = make_folder()
        self.used = monotonic()
        self.lock = asyncio.Lock()
        self.state = 0
        self._enclose = enclose
        self._limits = limits
        self._box: Box | None = None
        self._network = False
        self._last = 0

    @property
    def is_live(self) -> bool:
        return self._box is not None

    async def run(self, command: Command, heed: Callable[[bytes], None] | None = None) -> Outcome:
        """Run a command; hold `lock` meanwhile. Raises `ToolError` when it could not be run at all."""
        box = await self._open(command.network)
        number = self._last = self._last + 1
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
            fate, is_there = self._take_state(number)
        if self._box is not None:
            self._box.prepare(self.state, self._last + 1)
        if not is_there:
            raise ToolError(
                f"There is no folder {command.directory!r} to work in: give one that is there, or make it.",
                Kind.FILE_NOT_FOUND,
                effects="none",
            )
        self.used = monotonic()
        return Outcome(
            code, box.out.text(), box.err.text(), self.used - began, stop, fate, box.enclosure.note
        )

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
            self._box.prepare(self.state, self._last + 1)
        return self._box

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
