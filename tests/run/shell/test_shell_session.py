"""The shell of a conversation: what carries over, and what becomes of it when a command goes wrong."""

import asyncio
import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.processes import is_gone, written
from tests.run.shell.conftest import MakeShell

from oneclaw.child.child_spec import ChildSpec
from oneclaw.child.process_tree import descendants
from oneclaw.core.errors import Kind, ToolError
from oneclaw.guard.sandbox.sandbox import SandboxChoice
from oneclaw.guard.sandbox.sandbox_spec import SandboxSpec
from oneclaw.run.shell import start
from oneclaw.run.shell.session import CommandOutcome, ShellCommand, ShellSession
from oneclaw.run.shell.shell_process import ShellProcess

LONG = 60.0


@pytest.fixture(params=["bubblewrap", "landlock", "none"])
def any_shell(make_shell: MakeShell, request: pytest.FixtureRequest) -> ShellSession:
    """A shell of each kind; only for commands that do no harm where nothing shuts them in."""
    way: SandboxChoice = request.param
    return make_shell(way=way)


def sleepers() -> list[int]:
    """What we have started that sleeps, as the kernel lists it."""
    return [pid for pid in descendants(os.getpid()) if Path(f"/proc/{pid}/comm").read_text() == "sleep\n"]


async def say(
    shell: ShellSession, text: str, seconds: float = LONG, directory: str | None = None
) -> CommandOutcome:
    return await shell.run(ShellCommand(text, seconds, directory))


async def test_both_streams_and_the_exit_code_come_apart(any_shell: ShellSession) -> None:
    outcome = await say(any_shell, "echo out; echo err >&2; (exit 7)")
    assert (outcome.code, outcome.out.text, outcome.err.text) == (7, "out\n", "err\n")
    assert (outcome.stop, outcome.fate) == (None, "kept")


@pytest.mark.covers("KAI-SH-05")
async def test_directory_variables_functions_and_aliases_carry_over(
    any_shell: ShellSession, workspace: Path
) -> None:
    await say(
        any_shell, "mkdir -p a/b; cd a/b; export E='x y'; P=$'l1\\nl2'; L=(1 '2 3'); declare -A M=([k]=v)"
    )
    await say(any_shell, "f() { echo f:$1; }; alias say='echo said'; umask 077; set -o noglob")
    outcome = await say(
        any_shell,
        'pwd; sh -c \'echo "$E"\'; echo "$P"; echo "${L[1]}" ${M[k]}; f 1; say; umask; echo *; cd -',
    )
    expected = f"{workspace}/a/b\nx y\nl1\nl2\n2 3 v\nf:1\nsaid\n0077\n*\n{workspace}\n"
    assert outcome.out.text == expected, outcome.err.text


async def test_several_lines_quotes_and_here_documents_are_read_as_bash_reads_them(
    any_shell: ShellSession,
) -> None:
    outcome = await say(any_shell, "cat <<'E'\n$x \"q\" 'r'\nE\nfor i in 1 2; do\n  echo $i\ndone # the end")
    assert outcome.out.text == "$x \"q\" 'r'\n1\n2\n"


async def test_exit_ends_the_shell_and_the_next_command_has_the_state_before(any_shell: ShellSession) -> None:
    await say(any_shell, "A=1")
    outcome = await say(any_shell, "A=2; exit 3")
    assert (outcome.code, outcome.fate) == (3, "ended")
    assert (await say(any_shell, "echo $A")).out.text == "1\n"


@pytest.mark.parametrize(
    "command",
    [
        "sleep 60; echo >late",
        "while :; do :; done",
        "trap '' TERM INT HUP; sleep 60; echo >late",
        "sleep 60 & wait; echo >late",
        "set +e; (sleep 60; echo >late) & disown; sleep 60",
    ],
)
async def test_a_command_out_of_time_is_stopped_and_the_shell_kept(
    any_shell: ShellSession, workspace: Path, command: str
) -> None:
    await say(any_shell, "A=1; mkdir d; cd d")
    outcome = await say(any_shell, f"A=2; echo begun; {command}", seconds=2.0)
    assert (outcome.stop, outcome.fate, outcome.out.text) == ("time", "kept", "begun\n")
    after = await say(any_shell, "echo $A; pwd")
    assert after.out.text == f"1\n{workspace}/d\n"
    assert not sleepers()
    assert not (workspace / "d" / "late").exists()


async def test_what_was_left_in_the_background_is_gone_with_the_command(any_shell: ShellSession) -> None:
    await say(
        any_shell, "sleep 60 & (setsid sh -c 'trap \"\" TERM; sleep 61' &) ; nohup sleep 62 >/dev/null 2>&1 &"
    )
    assert not sleepers()


@pytest.mark.covers("KAI-SH-02")
async def test_folder_and_variables_hold_for_one_command_only(
    any_shell: ShellSession, workspace: Path
) -> None:
    command = ShellCommand("pwd; echo $V; sh -c 'echo $V'", LONG, "/usr", {"V": "it's; `x` $y"})
    assert (await any_shell.run(command)).out.text == "/usr\n" + 2 * "it's; `x` $y\n"
    assert (await say(any_shell, "pwd; echo [$V]")).out.text == f"{workspace}\n[]\n"
    await say(any_shell, "cd lib", directory="/usr")
    assert (await say(any_shell, "pwd")).out.text == "/usr/lib\n", "where the command itself goes, it stays"


async def test_a_folder_that_is_not_there_is_named_and_nothing_runs(
    any_shell: ShellSession, workspace: Path
) -> None:
    with pytest.raises(ToolError, match="no folder '/nowhere'") as caught:
        await say(any_shell, "echo x >ran", directory="/nowhere")
    assert caught.value.kind is Kind.FILE_NOT_FOUND
    assert (await say(any_shell, "ls")).out.text == ""


async def test_input_is_empty_and_there_is_no_terminal(any_shell: ShellSession) -> None:
    outcome = await say(any_shell, "read x; echo $?; cat; tty; echo </dev/tty")
    assert outcome.out.text == "1\nnot a tty\n"
    assert "/dev/tty: No such device" in outcome.err.text


@pytest.mark.parametrize("way", ["landlock", "none"])
async def test_a_command_that_kills_the_first_bash_is_said_to_and_the_state_stays(
    make_shell: MakeShell, way: SandboxChoice
) -> None:
    shell = make_shell(way=way)
    await say(shell, "A=1")
    killed = await say(shell, "A=2; echo last; kill -9 $$; sleep 60")
    assert (killed.stop, killed.fate, killed.out.text) == ("killed", "restarted", "last\n")
    assert (await say(shell, "echo $A")).out.text == "1\n"


@pytest.mark.parametrize("is_guarded", [True, False])
async def test_a_command_that_kills_its_supervisor_leaves_nothing(
    make_shell: MakeShell, workspace: Path, monkeypatch: pytest.MonkeyPatch, is_guarded: bool
) -> None:
    """Without a control group, which would end it too. The twin: without a guardian the daemon goes on."""
    make = SandboxSpec.child_spec

    def child_spec(*given: Any) -> ChildSpec:
        return replace(make(*given), is_guarded=is_guarded)

    monkeypatch.setattr(SandboxSpec, "child_spec", child_spec)
    monkeypatch.setattr(start, "make_group", lambda *limits: None)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    shell = make_shell(way="none")
    outcome = await say(shell, "setsid sleep 600 & echo $! >daemon; kill -9 $PPID; sleep 600")
    assert (outcome.stop, outcome.fate) == ("killed", "restarted")
    [daemon] = written(workspace / "daemon")
    was_gone = is_gone(daemon)
    if not was_gone:
        os.kill(daemon, signal.SIGKILL)
    assert was_gone == is_guarded


async def test_a_command_cannot_pretend_to_have_ended_otherwise(shell: ShellSession) -> None:
    attempts = (
        "printf 's 0\\n' >&60; for f in /proc/1/fd/*; do printf 's 0\\n' >$f; done; ls -l /proc/self/fd"
    )
    outcome = await say(shell, f"{attempts}; kill -9 1; echo s 0; (exit 9)", seconds=LONG)
    assert outcome.code == 9
    assert "60 ->" not in outcome.out.text
    assert "socket" not in outcome.out.text
    assert (await say(shell, "(exit 5)")).code == 5


async def test_functions_named_as_our_words_change_no_later_result(shell: ShellSession) -> None:
    await say(
        shell, "printf() { :; }; wait() { :; }; kill() { :; }; exit() { builtin exit 0; }; read() { :; }"
    )
    outcome = await say(shell, "sleep 60 & (builtin exit 6)")
    assert "sleep" not in (await say(shell, "ps ax")).out.text
    assert outcome.out.text == ""


async def test_a_signal_to_the_own_group_does_not_reach_what_keeps_the_shell(shell: ShellSession) -> None:
    assert (await say(shell, "echo $$")).out.text.strip() == "1", "never without a process table of its own"
    assert (await say(shell, "kill -9 0")).fate == "ended"
    assert (await say(shell, "kill -9 -1; echo on")).out.text == "on\n"


async def test_after_a_command_that_could_not_be_given_the_next_one_runs(shell: ShellSession) -> None:
    await say(shell, "A=1")
    file = shell.folder.states / "command"
    file.rename(file.with_name("away"))
    with pytest.raises(ToolError, match="cannot be given"):
        await say(shell, "echo lost")
    file.with_name("away").rename(file)
    outcome = await say(shell, "echo $A", 20.0)
    assert (outcome.stop, outcome.out.text) == (None, "1\n")


async def cancel_a_change_of_network(shell: ShellSession) -> None:
    await say(shell, "true")
    change = asyncio.ensure_future(shell.run(ShellCommand("true", LONG, network=True)))
    await asyncio.sleep(0)  # it waits for the end of what has none
    change.cancel()
    await asyncio.wait([change])


async def test_whoever_is_cancelled_while_a_shell_is_let_go_of_leaves_no_files_open(
    shell: ShellSession,
) -> None:
    def is_open() -> int:
        return len(os.listdir("/proc/self/fd"))

    await cancel_a_change_of_network(shell)
    await shell.let_go()
    before = is_open()
    for _ in range(3):
        await cancel_a_change_of_network(shell)
    await shell.let_go()
    assert is_open() == before


async def test_a_shell_waits_for_the_end_of_its_box_though_whoever_ended_it_was_cancelled(
    shell: ShellSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[ShellProcess] = []
    gone = ShellProcess.gone

    async def end_late(box: ShellProcess) -> None:
        await asyncio.sleep(0.3)
        await gone(box)
        ended.append(box)

    monkeypatch.setattr(ShellProcess, "gone", end_late)
    await cancel_a_change_of_network(shell)
    assert not ended
    await say(shell, "true")  # in another one, over the same files
    assert len(ended) == 1
    await cancel_a_change_of_network(shell)
    await shell.close()
    assert len(ended) == 2
