"""manage_process: jobs go on across calls, are read, fed, ended, removed, and never outlive the program."""

import asyncio
import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.marked import unmark
from tests.processes import marked
from tests.sandboxes import needs_bubblewrap, skip_without

from oneclaw.app import App
from oneclaw.config import Config
from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.tool import Context
from oneclaw.run.shell import jobs

pytestmark = needs_bubblewrap
SETTINGS = {"features.shell": True, "permissions.needs.shell": "granted"}


def config(tmp_path: Path, **more: Any) -> Config:
    (tmp_path / "ws").mkdir(exist_ok=True)
    return Config(home=tmp_path / "home", workspace=tmp_path / "ws", values=SETTINGS | more)


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[App]:
    async with App(config(tmp_path)) as opened:
        yield opened


async def manage(app: App, action: str, job: str = "", **arguments: Any) -> ToolResult:
    return await app.engine.call(
        ToolCall("manage_process", {"action": action, "session_id": job, **arguments})
    )


async def begin(app: App, command: str, **arguments: Any) -> str:
    call = ToolCall("execute_shell_command", {"command": command, "background": True, **arguments})
    result = await app.engine.call(call)
    assert result.ok, result.text
    return result.value["session_id"]


async def until(app: App, job: str, text: str = "", status: str = "") -> dict[str, Any]:
    async with asyncio.timeout(60):
        while True:
            log = (await manage(app, "log", job)).value
            if text in log["output"] and status in log["status"]:
                return log
            await asyncio.sleep(0.02)


async def test_a_job_starts_where_the_shell_is_and_ends_by_itself(app: App) -> None:
    await app.engine.call(
        ToolCall("execute_shell_command", {"command": "cd /usr; export A=1; echo x >/tmp/f"})
    )
    job = await begin(app, "pwd; echo $A; cat /tmp/f; echo err >&2; exit 4")
    log = await until(app, job, status="finished")
    assert log["exit_code"] == 4
    assert sorted(log["output"].splitlines()) == ["/usr", "1", "err", "x"]
    listed = (await manage(app, "list")).value["processes"]
    assert [(one["session_id"], one["status"]) for one in listed] == [(job, "finished")]


@pytest.mark.covers("KAI-SH-03", "KAI-SH-12")
async def test_a_job_goes_on_while_other_commands_run_and_is_killed_with_all_its_children(app: App) -> None:
    mark = f"MARK_{os.urandom(6).hex()}"
    job = await begin(app, "setsid sleep 1000 & trap '' TERM; echo up; sleep 1000", env={mark: "1"})
    await until(app, job, "up")
    await app.engine.call(ToolCall("execute_shell_command", {"command": "true"}))
    assert len(marked(mark)) >= 2
    killed = await manage(app, "kill", job)
    assert killed.value["status"] == "killed"
    assert marked(mark) == []
    again = await manage(app, "kill", job)
    assert "is not running" in again.message


@pytest.mark.covers("KAI-SH-11")
async def test_a_log_is_read_in_pieces(app: App) -> None:
    job = await begin(app, "for i in $(seq 1 200); do printf 'line %03d\\n' $i; done; sleep 1000")
    await until(app, job, "line 200")
    first = (await manage(app, "log", job, offset=0, limit=90)).value
    assert (first["output"], first["next_offset"]) == ("".join(f"line {n:03}\n" for n in range(1, 11)), 90)
    second = (await manage(app, "log", job, offset=90, limit=9)).value
    assert second["output"] == "line 011\n"
    assert (await manage(app, "log", job, limit=9)).value["output"] == "line 200\n", "without offset, the end"
    assert (await manage(app, "log", job, offset=10**9)).value["output"] == ""


async def test_a_job_is_given_input(app: App) -> None:
    job = await begin(app, "read a; echo got $a; cat; echo over")
    assert (await manage(app, "input", job, text="one\n")).value["bytes_taken"] == 4
    await until(app, job, "got one")
    await manage(app, "input", job, text="two", end_input=True)
    assert (await until(app, job, status="finished"))["output"] == "got one\ntwoover\n"
    assert "is not running" in (await manage(app, "input", job, text="x")).message


async def test_input_is_asked_for_as_a_command_is(app: App, tmp_path: Path) -> None:
    job = await begin(app, "bash")
    context = Context(session=app.new_session(), require=refuse)
    entry = app.registry.find("manage_process")
    assert entry is not None
    with pytest.raises(ToolError, match="nobody allows it"):
        await entry.tool.execute({"action": "input", "session_id": job, "text": "touch ran\n"}, context)
    assert not (tmp_path / "ws" / "ran").exists()


async def test_a_question_about_long_input_is_for_that_input_alone(app: App) -> None:
    asked: list[str] = []

    async def note(need: str, reason: str) -> None:
        asked.append(reason)

    job = await begin(app, "cat")
    context = Context(session=app.new_session(), require=note)
    entry = app.registry.find("manage_process")
    assert entry is not None
    for text in ("#" * 600 + "\necho one\n", "#" * 600 + "\necho two\n", "#" * 600 + "\necho one\n"):
        await entry.tool.execute({"action": "input", "session_id": job, "text": text}, context)
    assert asked[0] == asked[2] != asked[1]
    assert len(asked[0]) < 1_000


async def refuse(need: str, reason: str) -> None:
    assert need == "shell"
    assert "touch ran" in reason
    raise ToolError("nobody allows it", Kind.PERMISSION_DENIED)


@pytest.mark.covers("KAI-SH-10")
async def test_what_runs_cannot_be_removed_and_what_has_ended_can(app: App) -> None:
    job = await begin(app, "sleep 1000")
    assert "kill it first" in (await manage(app, "remove", job)).message
    await manage(app, "kill", job)
    assert (await manage(app, "remove", job)).ok
    assert (await manage(app, "list")).value == {"processes": []}
    assert await begin(app, "true") != job, "an id never stands for another job"


async def test_binary_output_is_named_in_a_log_too(app: App) -> None:
    job = await begin(app, "head -c 3000 /bin/ls")
    assert (await until(app, job, status="finished"))["output"].startswith("(Binary output of ")


async def test_a_job_whose_folder_is_not_there_says_so(app: App) -> None:
    job = await begin(app, "pwd", working_dir="nowhere")
    log = await until(app, job, status="finished")
    assert (log["exit_code"], log["why"]) == (1, "there is no such folder to work in")


async def test_of_many_jobs_the_output_of_the_latest_is_kept(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "ENDED", 2)
    made: list[str] = []
    for number in range(5):
        made.append(await begin(app, f"echo {number}"))
        await until(app, made[-1], status="finished")
    logs = [await manage(app, "log", job) for job in made]
    assert [log.ok for log in logs] == [False, False, True, True, True]
    assert "it ended long ago" in logs[0].message
    assert len((await manage(app, "list")).value["processes"]) == 5


async def test_without_a_sandbox_every_result_about_a_job_says_so(tmp_path: Path) -> None:
    async with App(config(tmp_path, **{"shell.mode": "native"})) as app:
        call = ToolCall("execute_shell_command", {"command": "sleep 60", "background": True})
        started = (await app.engine.call(call)).value
        job = started["session_id"]
        listed = (await manage(app, "list")).value["processes"][0]
        log, killed = (await manage(app, "log", job)).value, (await manage(app, "kill", job)).value
        assert all("without a sandbox" in told["note"] for told in (started, listed, log, killed))


async def test_what_a_job_writes_that_can_reach_the_network_is_marked(tmp_path: Path) -> None:
    async with App(config(tmp_path, **{"shell.network": "always"})) as app:
        logs: list[str] = []
        for network in (True, False):
            arguments = {"command": "echo on", "background": True, "network": network}
            job = (await app.engine.call(ToolCall("execute_shell_command", arguments))).value["session_id"]
            await until(app, job, status="finished")
            logs.append((await manage(app, "log", job)).value["output"])
    assert unmark(logs[0]).inside == "on\n"
    assert logs[1] == "on\n"


async def test_a_job_of_another_program_is_said_to_be_one(tmp_path: Path) -> None:
    async with App(config(tmp_path)) as app, App(config(tmp_path)) as other:
        job = await begin(app, "sleep 60")
        for action in ("log", "kill", "input"):
            assert "another OneClaw runs it" in (await manage(other, action, job)).message
        assert (await manage(app, "kill", job)).ok


@pytest.mark.parametrize("action", ["log", "kill", "remove", "input"])
async def test_a_job_nobody_knows_is_named(app: App, action: str) -> None:
    assert "There is no job 'job9'" in (await manage(app, action, "job9")).message
    assert "needs a session_id" in (await manage(app, action)).message


async def test_too_many_jobs_are_refused(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    assert await begin(app, "sleep 1000") != await begin(app, "sleep 1000")
    monkeypatch.setattr(jobs, "RUNNING", 2)
    call = ToolCall("execute_shell_command", {"command": "true", "background": True})
    assert "no more can" in (await app.engine.call(call)).message


async def test_a_job_that_takes_too_much_is_ended(tmp_path: Path) -> None:
    async with App(config(tmp_path, **{"shell.processes": 20})) as app:
        job = await begin(app, "for i in $(seq 40); do sleep 1000 & done; wait")
        assert (await until(app, job, status="killed"))["why"] == "it started too many processes"


async def test_jobs_end_with_the_program_and_the_next_one_lists_them_as_lost(tmp_path: Path) -> None:
    mark = f"MARK_{os.urandom(6).hex()}"
    async with App(config(tmp_path)) as app:
        job = await begin(app, "echo up; sleep 1000", env={mark: "1"})
        await until(app, job, "up")
    assert marked(mark) == []
    async with App(config(tmp_path)) as app:
        [listed] = (await manage(app, "list")).value["processes"]
        assert (listed["session_id"], listed["status"]) == (job, "lost")
        assert "has ended" in (await manage(app, "log", job)).message
        assert (await manage(app, "remove", job)).ok
    assert stat.S_IMODE((tmp_path / "home" / "jobs.json").stat().st_mode) == 0o600


PROGRAM = """
import asyncio, sys
from pathlib import Path
from oneclaw.app import App
from oneclaw.config import Config
from oneclaw.core.call import ToolCall

async def main(home, workspace, mark, way):
    settings = {"features.shell": True, "permissions.needs.shell": "granted", "shell.sandbox": way}
    async with App(Config(home=Path(home), workspace=Path(workspace), values=settings)) as app:
        command = {"command": "touch up; setsid sleep 1000 & sleep 1000", "env": {mark: "1"}}
        await app.engine.call(ToolCall("execute_shell_command", {**command, "background": True}))
        await app.engine.call(ToolCall("execute_shell_command", command))

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.parametrize("way", ["bubblewrap", "landlock", "none"])
async def test_a_program_killed_at_once_takes_its_jobs_and_commands_along(tmp_path: Path, way: str) -> None:
    skip_without(way)
    mark = f"MARK_{os.urandom(6).hex()}"
    (tmp_path / "ws").mkdir()
    arguments = [str(tmp_path / "home"), str(tmp_path / "ws"), mark, way]
    with subprocess.Popen([sys.executable, "-c", PROGRAM, *arguments]) as process:
        try:
            until_ready = time.monotonic() + 60
            while len(marked(mark)) < 4:  # two sleepers of the job, two of the command
                assert time.monotonic() < until_ready
                await asyncio.sleep(0.02)
        finally:
            process.send_signal(signal.SIGKILL)
    until_gone = time.monotonic() + 5
    while left := marked(mark):
        assert time.monotonic() < until_gone, left
        await asyncio.sleep(0.02)
    async with App(config(tmp_path)) as app:
        [listed] = (await manage(app, "list")).value["processes"]
    assert listed["status"] == "lost"


async def test_a_ledger_that_was_spoiled_is_begun_anew(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "jobs.json").write_text("{not json")
    async with App(config(tmp_path)) as app:
        job = await begin(app, "true")
        await until(app, job, status="finished")
    assert json.loads((tmp_path / "home" / "jobs.json").read_text())["jobs"][0]["id"] == job


async def test_a_secret_is_neither_in_the_pieces_of_a_log_nor_in_the_list_on_disk(tmp_path: Path) -> None:
    secret = "tide-7f3Q/xW+9zK=ebb&flow"
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / "home" / "secrets.toml").write_text(f'TOKEN = "{secret}"\n')
    (tmp_path / "home" / "secrets.toml").chmod(0o600)
    async with App(config(tmp_path)) as app:
        job = await begin(app, f"printf %s '{secret}'; echo end")
        log = await until(app, job, "end", "finished")
        pieces = [
            (await manage(app, "log", job, offset=at, limit=5)).value["output"]
            for at in range(0, log["total_chars"], 5)
        ]
        assert "".join(pieces) == "[redacted:TOKEN]end\n"
        kept = (tmp_path / "home" / "jobs.json").read_text()
    assert "[redacted:TOKEN]" in kept
    assert "tide-" not in kept
