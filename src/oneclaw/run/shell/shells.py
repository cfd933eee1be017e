"""The shells of the program: one for each conversation, those unused the longest let go of."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from oneclaw.core.session import Session
from oneclaw.core.tool import Context
from oneclaw.guard.command.rule import parse_rules
from oneclaw.guard.sandbox.enclosure import Enclosure, Limits
from oneclaw.guard.sandbox.sandbox import Sandbox, SandboxSettings
from oneclaw.run.shell.folder import ShellFolder
from oneclaw.run.shell.jobs import Jobs
from oneclaw.run.shell.ledger import JobRecord
from oneclaw.run.shell.session import Command, Enclose, Outcome, ShellSession
from oneclaw.run.shell.state import plain

LIVE = 8
"""Shells that are kept running; one beyond that is started again, with its state, when it is next used."""


_TOLD_BYTES = 500


@dataclass(frozen=True, slots=True)
class ShellSettings:
    """What the owner set under `shell`, and the data folder."""

    home: Path
    mode: Literal["sandbox", "native"] = "sandbox"
    sandbox: Literal["auto", "bubblewrap", "landlock", "none"] = "auto"
    network: Literal["never", "ask", "always"] = "never"
    processes: int = 256
    memory_mb: int = 2048
    allow: Sequence[str] = ()


class Shells:
    """Everything that lives while commands run; closed with the program."""

    def __init__(self, settings: ShellSettings) -> None:
        self.settings = settings
        self.rules = parse_rules(settings.allow)
        self.limits = Limits(settings.processes, settings.memory_mb << 20)
        self.sandbox = Sandbox(
            SandboxSettings(settings.home / "homes", settings.mode, settings.sandbox, self.limits)
        )
        self.jobs = Jobs(settings.home / "jobs.json", self.limits)
        self._sessions: dict[str, ShellSession] = {}

    async def run(self, context: Context, command: Command) -> Outcome:
        """Run a command in the shell of the conversation; while another one runs there, the clock stands."""
        shell = self._shell(context.session)
        with context.paused():
            await shell.lock.acquire()
        try:
            outcome = await shell.run(command, _tell(context))
        finally:
            shell.lock.release()
        await self._let_go_of_some()
        return outcome

    async def run_fresh(self, context: Context, command: Command) -> Outcome:
        """Run a command in a shell of its own, which knows nothing of others and is gone after it."""
        shell = ShellSession(self.enclose(context.session), self.limits, parent=self.sandbox.scratch.folder)
        try:
            return await shell.run(command, _tell(context))
        finally:
            await asyncio.shield(asyncio.ensure_future(shell.close()))

    async def start(self, context: Context, command: Command, *, is_fresh: bool) -> JobRecord:
        """Start a command in the background, from where the shell of the conversation is now."""
        shell = self._shell(context.session)
        state = b"" if is_fresh else shell.folder.read_state(shell.state)
        if state and command.is_ruled and not shell.is_ruled:
            state = plain(state)
        return await self.jobs.start(
            context.agent, command, self.enclose(context.session), shell.folder.tmp, state
        )

    def enclose(self, session: Session) -> Enclose:
        def make(folder: ShellFolder, network: bool) -> Enclosure:
            return self.sandbox.enclosure(session, folder.states, folder.tmp, network)

        return make

    async def close(self) -> None:
        await self.jobs.close()
        sessions, self._sessions = list(self._sessions.values()), {}
        await asyncio.gather(*(shell.close() for shell in sessions))
        self.sandbox.close()

    def _shell(self, session: Session) -> ShellSession:
        shell = self._sessions.get(session.id)
        if shell is None:
            shell = self._sessions[session.id] = ShellSession(
                self.enclose(session),
                self.limits,
                has_rules=bool(self.rules),
                parent=self.sandbox.scratch.folder,
            )
        return shell

    async def _let_go_of_some(self) -> None:
        idle = [shell for shell in self._sessions.values() if shell.is_live and not shell.lock.locked()]
        idle.sort(key=lambda shell: shell.used)
        for shell in idle[: max(0, len(idle) - LIVE)]:
            async with shell.lock:
                await shell.let_go()


def _tell(context: Context) -> Callable[[bytes], None]:
    """Tell people what a command writes while it runs; how often is for the engine to say."""

    def heed(data: bytes) -> None:
        lines = data[-_TOLD_BYTES:].decode("utf-8", "replace").strip()
        if lines:
            context.progress(lines)

    return heed
