"""Background jobs, each in its own sandbox, ended with the program."""

import asyncio
import time
from dataclasses import replace
from pathlib import Path

from oneclaw.child.group import Group, make_group
from oneclaw.core.errors import Kind, ToolError
from oneclaw.guard.sandbox.sandbox_spec import STATES, SandboxLimits, SandboxSpec
from oneclaw.run.shell.disk import Disks
from oneclaw.run.shell.excess import Excess, Watch, watch_disks
from oneclaw.run.shell.folder import ShellFolder, make_folder
from oneclaw.run.shell.ledger import LOST, JobRecord, Ledger
from oneclaw.run.shell.log import Log
from oneclaw.run.shell.output import Redact
from oneclaw.run.shell.script import NO_FOLDER, command_text
from oneclaw.run.shell.session import LOOK_SECONDS, Enclose, ShellCommand
from oneclaw.run.shell.shell_process import ShellGone, ShellProcess

RUNNING = 16
"""The most jobs that run at a time."""
ENDED = 32
"""The most jobs that have ended whose output is kept."""
INPUT_BYTES = 64 * 1024
_FROM, _TO = STATES
_ONLY = 1
_WHY: dict[Excess, str] = {
    "processes": "it started too many processes",
    "memory": "it took too much memory, alone or with the other jobs",
    "state": "it filled its shell",
    "disk": "it left too little of the disk free",
}
_ELSEWHERE = "another OneClaw runs it, and only that one can look after it"


class Job:
    """A running command: its process, its log and its folders."""

    def __init__(self, record: JobRecord, process: ShellProcess, folder: ShellFolder, redact: Redact) -> None:
        self.record = record
        self.process = process
        self.folder = folder
        self.log = Log(redact)
        self.task: asyncio.Task[None] | None = None
        self.memory_bytes = 0
        self.why = ""


class Jobs:
    """The jobs of this program, and what the ledger knows of earlier ones.

    All of them together may take as much memory as one shell.
    """

    def __init__(self, file: Path, limits: SandboxLimits) -> None:
        self._ledger = Ledger(file)
        self._limits = limits
        self._jobs: dict[str, Job] = {}
        self._group: Group | None = None

    async def start(
        self, agent: str, command: ShellCommand, make_sandbox: Enclose, tmp: Path, state: bytes
    ) -> JobRecord:
        """Start a command with the state of a shell, if there is one, and return at once."""
        running = sum(job.record.state == "running" for job in self._jobs.values())
        if running >= RUNNING:
            raise ToolError(
                f"{running} jobs are running, and no more can: end one with manage_process first.",
                effects="none",
            )
        folder = make_folder(tmp.parent, tmp)
        self._group = self._group or make_group(self._limits.memory_bytes)
        try:
            if state:
                folder.write_state(_FROM, state)
            process = ShellProcess(
                make_sandbox(folder, command.network),
                folder,
                self._limits,
                has_input=True,
                shared=self._group,
            )
        except BaseException:
            folder.remove_states()
            raise
        try:
            disks = Disks(process.disks)
            record = self._enter(agent, command, process.sandbox, folder, disks)
        except BaseException:
            process.kill()
            await asyncio.shield(asyncio.ensure_future(process.gone()))
            folder.remove_states()
            raise
        job = self._jobs[record.id] = Job(record, process, folder, command.redact)
        process.heed = job.log.add
        process.prepare(0, _TO, _ONLY)
        if process.sandbox.lookout is not None:
            process.sandbox.lookout.begin()
        ended = process.order(_ONLY, _FROM if state else 0)
        job.task = asyncio.get_running_loop().create_task(self._attend(job, ended, disks))
        for ended in [each for each, job in self._jobs.items() if job.record.state != "running"][:-ENDED]:
            del self._jobs[ended]
        return record

    def _enter(
        self, agent: str, command: ShellCommand, sandbox: SandboxSpec, folder: ShellFolder, disks: Disks
    ) -> JobRecord:
        """Put down what is to be run, for bash and then in the ledger."""
        most = disks.most_file_bytes(self._limits.file_bytes)
        text = command_text(command.text, sandbox.folder, _TO, command.directory, command.environment, most)
        folder.write_command(text)
        has_network = command.network or bool(sandbox.note)  # it has one where nothing shuts it in
        kept = command.redact(command.text)
        return self._ledger.add(agent, kept, time.time(), sandbox.note, has_network=has_network)

    def has_running(self, tmp: Path) -> bool:
        """Whether a job runs with this /tmp."""
        return any(job.folder.tmp == tmp and job.record.state == "running" for job in self._jobs.values())

    def sandboxes(self) -> tuple[SandboxSpec, ...]:
        """Shell processes of running jobs."""
        return tuple(job.process.sandbox for job in self._jobs.values() if job.record.state == "running")

    def list(self, agent: str) -> list[JobRecord]:
        """The jobs of an agent, the oldest first."""
        return [record for record in self._ledger.all() if record.agent == agent]

    def find(self, agent: str, job: str) -> JobRecord:
        found = {record.id: record for record in self.list(agent)}
        if job not in found:
            known = f"Known are: {', '.join(found)}." if found else "There are none."
            raise ToolError(f"There is no job {job[:100]!r}. {known}", Kind.VALIDATION_ERROR)
        return found[job]

    def log(self, agent: str, job: str) -> Log:
        record = self.find(agent, job)
        if job not in self._jobs:
            why = record.why or (_ELSEWHERE if record.state == "running" else "it ended long ago")
            raise ToolError(f"The output of {job} is not here: {why}.", effects="none")
        return self._jobs[job].log

    async def kill(self, agent: str, job: str) -> JobRecord:
        """End a running job with all it has started."""
        running = self._running(agent, job)
        running.why = "it was killed on request"
        running.process.kill()
        if running.task is not None:
            await asyncio.wait([running.task])
        return self.find(agent, job)

    def remove(self, agent: str, job: str) -> None:
        if self.find(agent, job).state == "running":
            raise ToolError(f"{job} is running; kill it first.", effects="none")
        self._ledger.remove(job)
        self._jobs.pop(job, None)

    def write(self, agent: str, job: str, text: str, *, is_last: bool) -> int:
        """Give input to a running job; how many bytes it took."""
        running, data = self._running(agent, job), text.encode("utf-8", "replace")
        if len(data) > INPUT_BYTES:
            raise ToolError(
                f"{len(data):,} bytes are too much input at once; at most {INPUT_BYTES:,} are taken.",
                Kind.VALIDATION_ERROR,
            )
        try:
            taken = running.process.write(data) if data else 0
        except ShellGone:
            raise ToolError(f"{job} takes no more input.", effects="none") from None
        if is_last and taken == len(data):
            running.process.end_input()
        return taken

    async def close(self) -> None:
        """End all that runs."""
        tasks = [job.task for job in self._jobs.values() if job.task is not None and not job.task.done()]
        for job in self._jobs.values():
            if job.record.state == "running":
                job.why = job.why or LOST
                job.process.kill()
        if tasks:
            await asyncio.wait(tasks)
        if self._group is not None:
            self._group.remove()
            self._group = None

    def _running(self, agent: str, job: str) -> Job:
        record = self.find(agent, job)
        if record.state != "running" or job not in self._jobs:
            how = _ELSEWHERE if record.state == "running" else f"it is {record.state}"
            raise ToolError(f"{job} is not running here: {how}.", effects="none")
        return self._jobs[job]

    async def _attend(self, job: Job, ended: asyncio.Future[int], disks: Disks) -> None:
        """Look after a job until its end, and see to it that nothing of it is left."""
        code, watch = None, Watch(job.process, job.folder, self._limits, disks)
        try:
            while not ended.done():
                await watch_disks(ended, disks, LOOK_SECONDS)
                if not ended.done() and (excess := watch.excess() or self._excess(job, watch.memory_bytes)):
                    job.why = _WHY[excess]
                    break
            if job.process.is_out_of_memory():
                job.why = _WHY["memory"]
            elif ended.done():
                code = ended.result()
        except ShellGone:
            is_out = job.process.is_out_of_memory()
            job.why = job.why or (_WHY["memory"] if is_out else "its shell was killed")
        finally:
            job.process.kill()
            await job.process.gone()
            if job.process.sandbox.lookout is not None:
                for said in job.process.sandbox.lookout.end():
                    job.log.add(f"\n{said}\n".encode())
            if job.folder.how_ended(_TO) == NO_FOLDER:
                job.why = "there is no such folder to work in"
            job.folder.remove_states()
            state = "finished" if code is not None else "lost" if job.why == LOST else "killed"
            job.record = replace(job.record, state=state, code=code, why=job.why)
            self._ledger.update(job.record.id, state=state, code=code, ended=time.time(), why=job.why)

    def _excess(self, job: Job, memory_bytes: int) -> Excess | None:
        """Whether all jobs take too much memory together, and this one the most."""
        job.memory_bytes = memory_bytes
        taken = [other.memory_bytes for other in self._jobs.values() if other.record.state == "running"]
        return "memory" if sum(taken) > self._limits.memory_bytes and memory_bytes == max(taken) else None
