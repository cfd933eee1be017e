"""Shell session: directory, variables, functions and aliases persist between commands."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Literal

from oneclaw.core.errors import Kind, ToolError
from oneclaw.guard.sandbox.sandbox_spec import SandboxLimits, SandboxSpec
from oneclaw.run.shell.disk import Disks
from oneclaw.run.shell.excess import Excess, Watch, watch_disks
from oneclaw.run.shell.folder import PLAIN, ShellFolder, after, make_folder
from oneclaw.run.shell.output import Redact, StreamText
from oneclaw.run.shell.script import NO_FOLDER, WHOLE, command_text
from oneclaw.run.shell.shell_process import ShellGone, ShellProcess
from oneclaw.run.shell.state import folder_in, is_harmless, leaves_out, moved, plain

LOOK_SECONDS = 0.1
"""How often a running command is looked after."""
LAST_WORDS_SECONDS = 2.0
AT_ONCE = ("processes", "disk")
"""Excesses for which the whole process is killed: before its first bash could sweep, more would be used."""
_FOLDER_CHARS = 300
_EARLY_BYTES = 16 << 10
"""A state as large as this is loaded when there is a command: reading through it takes longer."""
APART = (
    "Nobody was asked about this command, so it ran without the functions, aliases, options and variables"
    " such as PATH that commands before it had set; commands that a person is asked about still have them."
)

READ_ONLY = (
    "What the owner's own programs obey, such as .git/config, .git/hooks and .vscode, is read-only for"
    " commands, and the folders it lies in cannot be moved or removed; write_file asks the owner for it, but"
    " for .git."
)
_REFUSED = ("Read-only file system", "Device or resource busy")

Stop = Excess | Literal["time", "killed"]
Fate = Literal["kept", "restarted", "ended"]
Enclose = Callable[[ShellFolder, bool], SandboxSpec]
"""Makes the sandbox of a shell for its folders, with or without network."""


@dataclass(frozen=True, slots=True)
class ShellCommand:
    """One command: its text, its time, the folder it starts in, variables for it alone, and the network.

    is_ruled    a rule allowed it, or an answer that was kept: as nobody is asked, it is not run with what
                others left in the shell that decides which code runs
    sets_shell  it is there to change the shell, as `source` is; of other ruled ones the directory is kept
    folder      where the shell has to be for it, as `ShellSession.where` tells it; None for anywhere
    redact      takes known secrets out of what it wrote, before that is cut, and out of what is kept of it
    """

    text: str
    seconds: float
    directory: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    network: bool = False
    is_ruled: bool = False
    sets_shell: bool = False
    folder: str | None = None
    redact: Redact = str

    def check_folder(self, where: str) -> None:
        """Raises `ToolError` if the shell is not where it has to be for this command."""
        if self.folder != where:
            raise ToolError(f"The shell has gone to {where} meanwhile; call this again.", effects="none")


@dataclass(frozen=True, slots=True)
class CommandOutcome:
    """How a command ended, what it wrote, and what became of the shell it ran in.

    stop  why it was stopped; `killed` when the shell was killed under it; None when it ended by itself
    fate  the shell was `kept`, `restarted` because it could not be, or `ended` by the command itself, as by
          `exit`; after the last two, and whenever a command was stopped, the state is that before it
    """

    code: int
    out: StreamText
    err: StreamText
    seconds: float
    stop: Stop | None
    fate: Fate
    note: str


class ShellSession:
    """One shell. Commands run one after the other; its process is started when needed and can be closed."""

    def __init__(
        self,
        make_sandbox: Enclose,
        limits: SandboxLimits,
        *,
        parent: Path | None = None,
        quick: Path | None = None,
    ) -> None:
        self.folder = make_folder(parent, quick=quick)
        self.used = monotonic()
        self.lock = asyncio.Lock()
        self.state = 0
        self._make_sandbox = make_sandbox
        self._limits = limits
        self._process: ShellProcess | None = None
        self._ending: asyncio.Future[None] | None = None
        self._network = False
        self._last = 0
        self.is_ruled = True
        """Whether only commands that rules allowed have run in it: then they have made its state."""
        self._ready: int | None = None
        """The state that a waiting bash has loaded, 0 for none; None where no bash waits."""
        self._loads_early = True
        self._preparing: asyncio.Handle | None = None

    @property
    def is_live(self) -> bool:
        return self._process is not None

    @property
    def where(self) -> str:
        """The directory that it is in; empty before the first command, or that it is unknown."""
        state = self.folder.read_state(self.state)
        return folder_in(state) if state else ""

    @property
    def sandbox(self) -> SandboxSpec | None:
        """The sandbox of its shell process; None without one."""
        return None if self._process is None else self._process.sandbox

    async def run(self, command: ShellCommand, heed: Callable[[bytes], None] | None = None) -> CommandOutcome:
        """Run a command; hold `lock` meanwhile. Raises `ToolError` when it could not be run at all."""
        process = await self._open(command.network)
        if command.folder is not None:
            command.check_folder(self.where or process.sandbox.directory)
        is_apart = command.is_ruled and not self.is_ruled and self._holds_more(process)
        self.is_ruled = self.is_ruled and command.is_ruled
        if is_apart:
            self.folder.write_state(PLAIN, plain(self.folder.read_state(self.state)))
            if self._ready:  # a bash is ready that has loaded all of the state
                self._loads_early = False
                await self.let_go()
                process = await self._open(command.network)
        start = PLAIN if is_apart else self.state
        disks = Disks(process.disks)
        began = self.used = monotonic()
        lookout, set_aside = process.sandbox.lookout, list[str]()
        if lookout is not None:
            lookout.begin()
        try:
            ended = self._order(process, command, start, disks)
            process.heed = heed
            stop, fate = await self._attend(process, ended, command.seconds, disks)
            if lookout is not None and lookout.is_large:
                await asyncio.to_thread(lookout.look)
        except BaseException:  # a bash that waits for this command would take the next one for it
            await self.let_go()
            raise
        finally:
            process.heed = None
            if lookout is not None:
                set_aside = lookout.end()
        code = -9 if fate == "restarted" else ended.result()
        process.drain()
        is_there = True
        if stop == "state" and self.state in self.folder.empty_large():
            self.state = 0  # a command has written over the state it came from
        if fate == "restarted":
            await self.let_go()
        elif stop is None:
            if is_apart and not command.sets_shell:
                self._only_move()
            fate, is_there = self._take_state()
            self.is_ruled = self.is_ruled or (is_apart and command.sets_shell and fate == "kept")
        err = process.err.text(command.redact)
        is_closed = len(process.sandbox.places) > 1 and any(text in err.text for text in _REFUSED)
        notes = (process.sandbox.note, APART if is_apart else "", READ_ONLY if is_closed else "", *set_aside)
        note = " ".join(part for part in notes if part)
        # Whoever waits for this command is to hear of it first.
        self._preparing = asyncio.get_running_loop().call_soon(self._prepare_ahead)
        if not is_there:
            folder = (command.directory or "")[-_FOLDER_CHARS:]
            raise ToolError(
                f"There is no folder {folder!r} to work in: give one that is there, or make it.",
                Kind.FILE_NOT_FOUND,
                effects="none",
            )
        self.used = monotonic()
        return CommandOutcome(
            code, process.out.text(command.redact), err, self.used - began, stop, fate, note
        )

    async def let_go(self) -> None:
        """End the process; the state stays, and the next command starts another one with it.

        Whoever waits may be cancelled: it is ended all the same, or its files would stay open. The next one
        to come here waits for that end: two processes would write the same files.
        """
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            self._ending = asyncio.ensure_future(process.gone())
        if self._ending is not None:
            await asyncio.shield(self._ending)
            self._ending = None

    async def close(self) -> None:
        await self.let_go()
        await asyncio.to_thread(self.folder.remove)

    async def _open(self, network: bool) -> ShellProcess:
        process = self._process
        lookout = None if process is None else process.sandbox.lookout
        if lookout is not None and lookout.is_large:
            await asyncio.to_thread(lookout.take_stock)  # it remembers what it has read
        if process is None or self._network != network or not process.is_alive or process.sandbox.is_stale:
            await self.let_go()
        if self._process is None:
            self._network = network
            self._process = ShellProcess(self._make_sandbox(self.folder, network), self.folder, self._limits)
            self._ready = None
        self._prepare()
        return self._process

    def _holds_more(self, process: ShellProcess) -> bool:
        """Whether its state has anything that decides which code runs."""
        state = self.folder.read_state(self.state)
        return bool(state) and leaves_out(state, process.sandbox.environment)

    def _prepare(self) -> None:
        """Have a bash ready for the next command, with the state loaded if that can do no harm.

        Code in a state, as functions are, runs only in the time of a command, when it is looked after.
        """
        if self._preparing is not None:  # or another one would be made while the command runs
            self._preparing.cancel()
        if self._process is None or self._ready is not None:
            return
        state = self.folder.tidy(self.state) if self.state else b""
        if not state:  # a command has written over the one it came from
            self.state = 0
        is_early = self._loads_early and len(state) < _EARLY_BYTES
        self._ready = self.state if is_early and is_harmless(state) else 0
        self._last += 1
        self.folder.forget(after(self.state))
        self._process.prepare(self._ready, after(self.state), self._last)

    def _prepare_ahead(self) -> None:
        with suppress(ToolError):  # the next command tries again, and says it
            self._prepare()

    def _only_move(self) -> None:
        """Have the state after a command be the one before it, but for the directory."""
        left = self.folder.read_state(after(self.state))
        if left:
            before = self.folder.read_state(self.state) or WHOLE
            self.folder.write_state(after(self.state), moved(before, left))

    def _order(
        self, process: ShellProcess, command: ShellCommand, start: int, disks: Disks
    ) -> asyncio.Future[int]:
        loaded, self._ready = self._ready, None
        text = command_text(
            command.text,
            process.sandbox.folder,
            after(self.state),
            command.directory,
            command.environment,
            disks.most_file_bytes(self._limits.file_bytes),
        )
        self.folder.write_command(text)
        return process.order(self._last, 0 if loaded == start else start)

    async def _attend(
        self, process: ShellProcess, ended: asyncio.Future[int], seconds: float, disks: Disks
    ) -> tuple[Stop | None, Fate]:
        """Wait for the end of a command, or bring it about; either way nothing it started is left."""
        try:
            stop = await self._wait(process, ended, seconds, disks)
        except ShellGone:
            is_out_of_memory = process.is_out_of_memory()
            await self.let_go()
            if is_out_of_memory:
                return "memory", "restarted"
            if why := process.why_gone():
                raise ToolError(f"The shell could not be started: {why}.", effects="none") from None
            return "killed", "restarted"
        if stop in AT_ONCE and not ended.done():
            process.kill()
            return stop, "restarted"
        try:
            if stop is not None or not process.sandbox.has_own_pids:
                await process.sweep()
                await asyncio.wait_for(asyncio.shield(ended), LAST_WORDS_SECONDS)
                await process.alone()
                process.is_out_of_memory()  # what was killed until now is not of the next command
            elif process.had_left:  # its first bash has killed it
                await process.alone()
        except (ShellGone, TimeoutError):
            return stop, "restarted"
        return stop, "kept"

    async def _wait(
        self, process: ShellProcess, ended: asyncio.Future[int], seconds: float, disks: Disks
    ) -> Stop | None:
        """Look now and then whether it takes too much; why it must be stopped, None when it has ended."""
        until, watch = monotonic() + seconds, None
        while True:
            left = until - monotonic()
            await watch_disks(ended, disks, min(left, LOOK_SECONDS))
            if ended.done():
                ended.result()
                if process.is_out_of_memory():
                    return "memory"
                if disks.are_overdrawn():
                    return "disk"
                return "state" if self.folder.is_too_large() else None
            if left <= 0:
                return "time"
            watch = watch or Watch(
                process, self.folder, self._limits, disks
            )  # most commands end before the first look
            if excess := watch.excess():
                return excess

    def _take_state(self) -> tuple[Fate, bool]:
        """Go on from the state after the command if it left one; and whether its folder was there."""
        how = self.folder.how_ended(after(self.state))
        if how == WHOLE:
            self.state = after(self.state)
            return "kept", True
        return "ended", how != NO_FOLDER
