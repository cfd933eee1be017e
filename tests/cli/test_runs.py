"""`oneclaw runs` and `oneclaw resume`: what is listed, shown, streamed and pruned."""

import asyncio
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path
from typing import Any

from tests.cli.vt import script

from oneclaw import App, Config, Scripted
from oneclaw.events import TextAdded
from oneclaw.testing import Wait

Cli = Any


def test_runs_are_listed_shown_and_their_events_printed(cli: Cli, tmp_path: Path) -> None:
    assert cli("runs").err == 'No runs yet. `oneclaw run "…"` makes the first.\n'
    assert cli("runs", "--json").json == []
    cli("run", "what time is it?", "--model", script(tmp_path, {"call": "get_current_time"}, "Late."))
    (listed,) = cli("runs", "--json").json
    assert (listed["state"], listed["origin"], listed["number"]) == ("done", "person", 1)
    assert listed["id"] in cli("runs").out
    shown = cli("runs", "show", listed["id"][:12])
    assert shown.code == 0
    assert "2 rounds, 1 call," in shown.out
    assert shown.out.endswith("Late.\n")
    assert cli("runs", "show", listed["id"], "--json").json["spent"]["rounds"] == 2
    lines = cli("runs", "events", listed["id"]).out.splitlines()
    names = [json.loads(line)["event"] for line in lines]
    assert names == ["run_started", "answer_finished", "tool_finished", "answer_finished", "run_finished"]
    last = json.loads(lines[-1])["number"]
    assert cli("runs", "events", listed["id"], "--after", str(last)).out == ""
    assert cli("runs", "--session", "last", "--state", "failed", "--json").json == []
    unknown = cli("runs", "--session", "zzz")
    assert (unknown.code, unknown.out) == (1, "")
    assert "no session 'zzz'" in unknown.err


def test_an_unknown_run_and_wrong_use_are_told(cli: Cli, tmp_path: Path) -> None:
    assert cli("runs", "show").code == 2
    cli("run", "hi", "--model", script(tmp_path, "Hello."))
    for words in (("runs", "show", "nope"), ("runs", "events", "nope")):
        ended = cli(*words)
        assert (ended.code, ended.err) == (1, "oneclaw: there is no run 'nope'; `oneclaw runs` lists them.\n")
    ended = cli("resume", "nope")
    assert (ended.code, "there is no run 'nope'" in ended.err) == (2, True)
    (listed,) = cli("runs", "--json").json
    ended = cli("resume", listed["id"])
    assert (ended.code, "has its answer already" in ended.err) == (2, True)


def test_old_runs_are_pruned_and_conversations_stay(cli: Cli, tmp_path: Path) -> None:
    cli("run", "hi", "--model", script(tmp_path, "Hello."))
    assert cli("runs", "prune", "--days", "1").out.startswith("0 runs are forgotten.")
    assert len(cli("runs", "--json").json) == 1
    assert cli("runs", "prune", "--days", "0.0000001", "--json").json == {"pruned": 1}
    assert cli("runs", "--json").json == []
    assert "Hello." in cli("sessions", "show", "last").out


def test_a_run_that_was_stopped_goes_on_and_shows_only_what_is_new(
    cli: Cli, home: Path, tmp_path: Path
) -> None:
    async def stop() -> str:
        async with App(Config(home=home), providers={"test": Scripted([["One", Wait(30)]])}) as app:
            handle = await app.runs.start("default", "hi", model="test/x")
            async for envelope in handle.events():
                if isinstance(envelope.event, TextAdded):
                    break
            await handle.stop()
            return handle.id

    run = asyncio.run(stop())
    ended = cli("resume", run, "--model", script(tmp_path, "Two."))
    assert (ended.code, ended.out.strip()) == (0, "Two.")


def test_a_run_of_another_program_is_watched_while_it_goes_on(cli: Cli, home: Path) -> None:
    async def watch(run: str, *more: str) -> tuple[int | None, str]:
        words = (sys.executable, "-m", "oneclaw.cli.main", "watch", run, *more)
        process = await asyncio.create_subprocess_exec(*words, stdout=PIPE, stderr=DEVNULL)
        said, _ = await process.communicate()
        return process.returncode, said.decode()

    async def watch_twice() -> list[tuple[int | None, str]]:
        model = Scripted([[Wait(1.0), "Hello."]])
        async with App(Config(home=home), providers={"test": model}) as app:
            started = await app.runs.start("default", "hi", model="test/x")
            return list(await asyncio.gather(watch(started.id), watch(started.id, "--json")))

    (code, lines), (_, events) = asyncio.run(watch_twice())
    assert (code, lines) == (0, "> hi\nHello.\n")
    assert json.loads(events.splitlines()[-1])["event"] == "run_finished"
    assert cli("watch", "nope").code == 1
