"""manage_process: lists, reads, feeds, ends and removes background commands."""

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from oneclaw.core.define.function import tool
from oneclaw.core.errors import invalid
from oneclaw.core.tool import Context, Tool
from oneclaw.guard.outside_mark import mark

if TYPE_CHECKING:
    from oneclaw.run.shell.jobs import Jobs
    from oneclaw.run.shell.ledger import JobRecord
    from oneclaw.run.shell.shells import Shells

FEATURE = "shell"
MOST_CHARS = 15_000
_COMMAND_CHARS = 200
_SHOWN_CHARS = 500

Action = Literal["list", "log", "kill", "remove", "input"]


def manage_process(shells: "Callable[[], Shells]") -> Tool:
    """The tool over the jobs of the program."""

    @tool(
        effect="write",
        group="shell",
        feature=FEATURE,
        switchable=False,
        polls=True,
        trim="middle",
        label="Look after processes",
    )
    async def manage_process(
        context: Context,
        action: Action,
        session_id: str = "",
        offset: Annotated[int | None, {"minimum": 0}] = None,
        limit: Annotated[int, {"minimum": 1, "maximum": MOST_CHARS}] = 10_000,
        text: str = "",
        end_input: bool = False,
    ) -> dict[str, Any]:
        """Look after the commands that execute_shell_command started in the background.

        action: list all of them; log gives the output of one; kill ends one with all it has started; remove \
takes one that has ended from the list; input writes text to one that reads.
        session_id: Which one, as execute_shell_command named it. Needed for all but list.
        offset: For log: the character to begin with. Left out, the end of the output is given.
        limit: For log: the most characters. Defaults to 10000.
        text: For input: what to write; a line needs its newline.
        end_input: For input: whether this is all there will be.
        """
        jobs = shells().jobs
        if action == "list":
            return {"processes": [_shown(record) for record in jobs.list(context.agent)]}
        if not session_id:
            raise invalid(f"{action} needs a session_id; list names them.")
        if action == "log":
            return _log(jobs, context.agent, session_id, offset, limit)
        if action == "kill":
            return _shown(await jobs.kill(context.agent, session_id))
        if action == "remove":
            jobs.remove(context.agent, session_id)
            return {"removed": session_id}
        jobs.find(context.agent, session_id)
        shown = repr(text)  # an answer that is kept holds for exactly this text
        if len(text) > _SHOWN_CHARS:
            digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
            shown = f"{text[:_SHOWN_CHARS]!r} … ({len(text):,} characters, SHA-256 {digest})"
        reason = f"Input for {session_id}, which may run what it is told: {shown}."
        await context.require("shell", reason)
        written = jobs.write(context.agent, session_id, text, is_last=end_input)
        return {"session_id": session_id, "bytes_taken": written, "bytes_given": len(text.encode())}

    return manage_process


def _log(jobs: "Jobs", agent: str, job: str, offset: int | None, limit: int) -> dict[str, Any]:
    page = jobs.log(agent, job).page(offset, limit)
    record = jobs.find(agent, job)
    is_marked = page.text and record.has_network
    return {
        **_shown(record),
        "output": mark(page.text, f"{job}, which can reach the network") if is_marked else page.text,
        "offset": page.offset,
        "next_offset": page.next_offset,
        "total_chars": page.total_chars,
    }


def _shown(record: "JobRecord") -> dict[str, Any]:
    shown: dict[str, Any] = {
        "session_id": record.id,
        "status": record.state,
        "command": record.command[:_COMMAND_CHARS],
        "started": datetime.fromtimestamp(record.started, UTC).isoformat(timespec="seconds"),
    }
    if record.code is not None:
        shown["exit_code"] = record.code
    if record.why:
        shown["why"] = record.why
    if record.note:
        shown["note"] = record.note
    return shown
