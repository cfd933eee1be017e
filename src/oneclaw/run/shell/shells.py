"""All shells of a program; least recently used shells are closed."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from oneclaw.core.session import Session
from oneclaw.core.settings.tree import ShellSettings
from oneclaw.core.tool import Context
from oneclaw.guard.command.rule import parse_rules
from oneclaw.guard.sandbox.sandbox import Sandbox, SandboxSettings
from oneclaw.guard.sandbox.sandbox_spec import SandboxLimits, SandboxSpec
from oneclaw.guard.secret.redactor import SECRET_CHARS
from oneclaw.run.shell.folder import ShellFolder
from oneclaw.run.shell.jobs import Jobs
from oneclaw.run.shell.ledger import JobRecord
from oneclaw.run.shell.session import CommandOutcome, Enclose, ShellCommand, ShellSession
from oneclaw.run.shell.state import plain

KEPT = 200
"""Conversations whose shells have their state kept, and their /tmp."""
LIVE = 8
"""Shells that are kept running; one beyond that is started again, with its state, when it is next used."""


_TOLD_CHARS = 500


@dataclass(frozen=True, slots=True)
class ShellSetup(ShellSettings):
    """The settings of `shell`, and the data folder."""

    home: Path


class Shells:
    """Everything that lives while commands run; closed with the program."""

    def __init__(self, settings: ShellSetup) -> None:
        self.settings = settings
        self.rules = parse_rules(settings.allow)
        self.limits = SandboxLimits(settings.processes, settings.memory_mb << 20)
        self.sandbox = Sandbox(
            SandboxSettings(settings.home / "homes", settings.mode, settings.sandbox, self.limits)
        )
        self.jobs = Jobs(settings.home / "jobs.json", self.limits)
        self._sessions: dict[str, ShellSession] = {}
        self._fresh: set[ShellSession] = set()

    async def run(self, context: Context, command: ShellCommand) -> CommandOutcome:
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

    async def run_fresh(
        self, context: Context, command: ShellCommand, session: Session | None = None
    ) -> CommandOutcome:
        """Run a command in a shell of its own, which knows nothing of others and is gone after it.

        `session` is one with other rights than that of the call.
        """
        shell = self._make(session or context.session)
        self._fresh.add(shell)
        try:
            return await shell.run(command, _tell(context))
        finally:
            await asyncio.shield(asyncio.ensure_future(shell.close()))
            self._fresh.discard(shell)

    async def start(self, context: Context, command: ShellCommand, *, is_fresh: bool) -> JobRecord:
        """Start a command in the background, from where the shell of the conversation is now."""
        if command.folder is not None:
            command.check_folder(self.where(context.session))
        shell = self._shell(context.session)
        state = b"" if is_fresh else shell.folder.read_state(shell.state)
        if state and command.is_ruled and not shell.is_ruled:
            state = plain(state)
        return await self.jobs.start(
            context.agent, command, self.make_sandbox(context.session), shell.folder.tmp, state
        )

    def where(self, session: Session) -> str:
        """The directory of the conversation's shell, as `ShellSession.where` tells it."""
        shell = self._sessions.get(session.id)
        return (shell.where if shell is not None else "") or str(session.workspace.folder.absolute())

    def make_sandbox(self, session: Session) -> Enclose:
        def make(folder: ShellFolder, network: bool) -> SandboxSpec:
            return self.sandbox.make_spec(
                session, folder.states, folder.tmp, network, self._running_sandboxes()
            )

        return make

    def _running_sandboxes(self) -> list[SandboxSpec]:
        """All that a command runs in now: where none does, nothing can be exchanged."""
        busy = (shell for shell in self._sessions.values() if shell.lock.locked())
        shells = (shell.sandbox for shell in (*busy, *self._fresh))
        return [*(one for one in shells if one is not None), *self.jobs.sandboxes()]

    async def close(self) -> None:
        await self.jobs.close()
        sessions, self._sessions = list(self._sessions.values()), {}
        await asyncio.gather(*(shell.close() for shell in sessions))
        self.sandbox.close()

    def _shell(self, session: Session) -> ShellSession:
        shell = self._sessions.get(session.id)
        if shell is None:
            shell = self._sessions[session.id] = self._make(session)
        return shell

    def _make(self, session: Session) -> ShellSession:
        return ShellSession(
            self.make_sandbox(session),
            self.limits,
            parent=self.sandbox.scratch.folder,
            quick=self.sandbox.quick,
        )

    async def _let_go_of_some(self) -> None:
        """Close the least recently used shells; of very many, the oldest lose their state as well."""
        idle = [each for each in self._sessions.items() if not each[1].lock.locked()]
        idle.sort(key=lambda each: each[1].used)
        for name, shell in idle[: max(0, len(idle) - KEPT)]:
            if not self.jobs.has_running(shell.folder.tmp):
                del self._sessions[name]
                await shell.close()
        live = [shell for _, shell in idle if shell.is_live]
        for shell in live[: max(0, len(live) - LIVE)]:
            async with shell.lock:
                await shell.let_go()


def _tell(context: Context) -> Callable[[bytes], None]:
    """Tell people what a command writes while it runs; how often is for the engine to say."""

    def heed(data: bytes) -> None:
        end = data[-_TOLD_CHARS - SECRET_CHARS :].decode("utf-8", "replace")
        lines = context.redact(end)[
            -_TOLD_CHARS:
        ].strip()  # before the cut: half a secret is not known as one
        if lines:
            context.progress(lines)

    return heed
