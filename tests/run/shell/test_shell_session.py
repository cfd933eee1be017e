"""The shell of a conversation: what carries over, and what becomes of it when a command goes wrong."""

from pathlib import Path

import pytest

from oneclaw.core.errors import Kind, ToolError
from oneclaw.run.shell.session import Command, Outcome, ShellSession

LONG = 60.0


async def say(shell: ShellSession, text: str, seconds: float = LONG, directory: str | None = None) -> Outcome:
    return await shell.run(Command(text, seconds, directory))


async def test_both_streams_and_the_exit_code_come_apart(shell: ShellSession) -> None:
    outcome = await say(shell, "echo out; echo err >&2; (exit 7)")
    assert (outcome.code, outcome.out.text, outcome.err.text) == (7, "out\n", "err\n")
    assert (outcome.stop, outcome.fate) == (None, "kept")


async def test_directory_variables_functions_and_aliases_carry_over(
    shell: ShellSession, workspace: Path
) -> None:
    await say(shell, "mkdir -p a/b; cd a/b; export E='x y'; P=$'l1\\nl2'; L=(1 '2 3'); declare -A M=([k]=v)")
    await say(shell, "f() { echo f:$1; }; alias say='echo said'; umask 077; set -o noglob")
    outcome = await say(
        shell, 'pwd; sh -c \'echo "$E"\'; echo "$P"; echo "${L[1]}" ${M[k]}; f 1; say; umask; echo *; cd -'
    )
    expected = f"{workspace}/a/b\nx y\nl1\nl2\n2 3 v\nf:1\nsaid\n0077\n*\n{workspace}\n"
    assert outcome.out.text == expected, outcome.err.text


async def test_several_lines_quotes_and_here_documents_are_read_as_bash_reads_them(
    shell: ShellSession,
) -> None:
    outcome = await say(shell, "cat <<'E'\n$x \"q\" 'r'\nE\nfor i in 1 2; do\n  echo $i\ndone # the end")
    assert outcome.out.text == "$x \"q\" 'r'\n1\n2\n"


async def test_exit_ends_the_shell_and_the_next_command_has_the_state_before(shell: ShellSession) -> None:
    await say(shell, "A=1")
    outcome = await say(shell, "A=2; exit 3")
    assert (outcome.code, outcome.fate) == (3, "ended")
    assert (await say(shell, "echo $A")).out.text == "1\n"


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
    shell: ShellSession, workspace: Path, command: str
) -> None:
    await say(shell, "A=1; mkdir d; cd d")
    outcome = await say(shell, f"A=2; echo begun; {command}", seconds=2.0)
    assert (outcome.stop, outcome.fate, outcome.out.text) == ("time", "kept", "begun\n")
    after = await say(shell, "echo $A; pwd; ps ax -o comm=")
    assert after.out.text == f"1\n{workspace}/d\nbash\nbash\nps\n"
    assert not (workspace / "d" / "late").exists()


async def test_what_was_left_in_the_background_is_gone_with_the_command(shell: ShellSession) -> None:
    await say(
        shell, "sleep 60 & (setsid sh -c 'trap \"\" TERM; sleep 61' &) ; nohup sleep 62 >/dev/null 2>&1 &"
    )
    assert "sleep" not in (await say(shell, "ps ax")).out.text


async def test_folder_and_variables_hold_for_one_command_only(shell: ShellSession, workspace: Path) -> None:
    command = Command("pwd; echo $V; sh -c 'echo $V'", LONG, "/usr", {"V": "it's; `x` $y"})
    assert (await shell.run(command)).out.text == "/usr\n" + 2 * "it's; `x` $y\n"
    assert (await say(shell, "pwd; echo [$V]")).out.text == f"{workspace}\n[]\n"
    await say(shell, "cd lib", directory="/usr")
    assert (await say(shell, "pwd")).out.text == "/usr/lib\n", "where the command itself goes, it stays"


async def test_a_folder_that_is_not_there_is_named_and_nothing_runs(
    shell: ShellSession, workspace: Path
) -> None:
    with pytest.raises(ToolError, match="no folder '/nowhere'") as caught:
        await say(shell, "echo x >ran", directory="/nowhere")
    assert caught.value.kind is Kind.FILE_NOT_FOUND
    assert (await say(shell, "ls")).out.text == ""


async def test_input_is_empty_and_there_is_no_terminal(shell: ShellSession) -> None:
    outcome = await say(shell, "read x; echo $?; cat; tty; echo </dev/tty")
    assert outcome.out.text == "1\nnot a tty\n"
    assert "/dev/tty: No such device" in outcome.err.text


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
