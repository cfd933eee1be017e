"""What carries over in a shell is the command's alone: our own words are neither stopped nor shown by it."""

from pathlib import Path

import pytest
from tests.run.shell.conftest import MakeShell

from oneclaw.guard.sandbox.sandbox import SandboxChoice
from oneclaw.run.shell.session import CommandOutcome, ShellCommand, ShellSession

USUAL = "braceexpand:hashall:interactive-comments\n"
"""The options of a new bash."""


async def say(shell: ShellSession, text: str, directory: str | None = None) -> CommandOutcome:
    return await shell.run(ShellCommand(text, 60.0, directory))


@pytest.mark.parametrize("option", ["-e", "-u", "-C", "-f", "-eu -o pipefail", "-o posix", "-m", "-x", "-v"])
async def test_an_option_that_was_set_stays_set_and_ends_no_later_command(
    shell: ShellSession, option: str
) -> None:
    assert (await say(shell, f"set {option}; A=1")).fate == "kept"
    for _ in range(2):
        after = await say(shell, "echo $A $SHELLOPTS")
        assert (after.code, after.fate) == (0, "kept")
        assert after.out.text.startswith("1 ")
        assert after.out.text.removeprefix("1 ") != USUAL
    cleared = await say(shell, f"set {option.replace('-', '+')}; echo $SHELLOPTS")
    assert cleared.out.text == USUAL


async def test_with_errexit_the_first_failure_ends_a_command(shell: ShellSession) -> None:
    await say(shell, "set -e; A=1")
    failed = await say(shell, "A=2; false; echo not")
    assert (failed.code, failed.out.text, failed.fate) == (1, "", "ended")
    assert (await say(shell, "echo $A")).out.text == "1\n"


@pytest.mark.parametrize(
    "noise", ["set -x", "set -v", "trap 'echo DEBUG >&2' DEBUG", "trap 'echo E >&2' ERR"]
)
async def test_what_shows_the_words_of_a_command_shows_none_of_ours(shell: ShellSession, noise: str) -> None:
    outcomes = [await say(shell, text) for text in (noise, "echo shown; false", "true")]
    assert not any("oneclaw" in outcome.err.text for outcome in outcomes)
    assert all(outcome.err.text.count("\n") <= 2 for outcome in outcomes)


@pytest.mark.parametrize(
    "word",
    ["if", "then", "builtin", "eval", "cd", "trap", "umask", "[[", "{", "exit", "printf", "test", "unset"],
)
async def test_no_alias_stands_for_a_word_of_ours(shell: ShellSession, word: str) -> None:
    await say(shell, f"A=1; mkdir sub; cd sub; alias -- '{word}=echo ALIAS'")
    for directory in (None, "/usr"):
        outcome = await say(shell, "\\pwd; \\echo $A; (\\exit 3)", directory)
        assert outcome.out.text.endswith("/sub\n1\n" if directory is None else "/usr\n1\n")
        assert (outcome.code, outcome.err.text) == (3, "")


async def test_a_function_named_exec_keeps_no_output_back(shell: ShellSession) -> None:
    await say(shell, "exec() { echo EXEC; }; eval() { echo EVAL; }; exit() { echo EXIT; }; A=1")
    outcome = await say(shell, "echo $A; echo err >&2; (builtin exit 3)")
    assert (outcome.code, outcome.out.text, outcome.err.text) == (3, "1\n", "err\n")


async def test_a_variable_that_was_there_from_the_start_can_be_taken_away(shell: ShellSession) -> None:
    await say(shell, "unset PAGER; export -n LANG; export GIT_PAGER=less")
    seen = await say(shell, "echo ${PAGER-none}; env | grep -c ^LANG=; echo $LANG; printenv GIT_PAGER")
    assert seen.out.text == "none\n0\nC.UTF-8\nless\n"


async def test_where_the_folder_of_the_shell_is_gone_nothing_runs_in_another(
    shell: ShellSession, workspace: Path
) -> None:
    (workspace / "kept").touch()
    await say(shell, "mkdir -p 'a b'; cd 'a b'; rmdir ../'a b'")
    refused = await say(shell, "rm -rf *")
    assert (refused.code, refused.fate) == (1, "kept")
    assert "a b of this shell is gone, so nothing was run" in refused.err.text
    assert (workspace / "kept").exists()
    assert (await say(shell, "pwd")).out.text == f"{workspace}\n"


async def test_a_folder_for_one_command_does_where_the_own_is_gone(
    shell: ShellSession, workspace: Path
) -> None:
    await say(shell, "mkdir sub; cd sub; rmdir ../sub")
    assert (await say(shell, "pwd", str(workspace))).out.text == f"{workspace}\n"
    assert (await say(shell, "pwd")).out.text == f"{workspace}\n"


@pytest.mark.parametrize("way", ["bubblewrap", "landlock", "none"])
async def test_signals_are_as_a_program_expects_them(make_shell: MakeShell, way: SandboxChoice) -> None:
    shell = make_shell(way=way)
    assert (await say(shell, "trap -p; yes | head -n1; echo ${PIPESTATUS[0]}")).out.text == "y\n141\n"
    assert (await say(shell, "sh -c 'kill -USR1 $$; echo not'; echo $?")).out.text == "138\n"


@pytest.mark.parametrize("way", ["bubblewrap", "landlock"])
async def test_a_command_that_would_not_wait_for_room_leaves_later_ones_all_they_write(
    make_shell: MakeShell, way: SandboxChoice
) -> None:
    shell = make_shell(way=way)
    await say(shell, "python3 -c 'import os; os.set_blocking(1, False); os.set_blocking(2, False)'")
    after = await say(shell, "seq 300000; seq 300000 >&2")
    assert (after.code, after.out.text[-7:], after.err.text[-7:]) == (0, "300000\n", "300000\n")


async def test_variables_named_much_as_those_of_bash_carry_over(shell: ShellSession) -> None:
    await say(shell, "export EPOCHS=3 COMP_LEVEL=1 BASHFUL=2; shopt -s nocasematch; uid=7 seconds=5")
    for _ in range(2):
        after = await say(
            shell, "printenv EPOCHS COMP_LEVEL BASHFUL; echo $uid $seconds; [[ a == A ]]; echo $?"
        )
        assert after.out.text == "3\n1\n2\n7 5\n0\n"


async def test_what_was_declared_is_filled_later(shell: ShellSession) -> None:
    await say(shell, "declare -A map; declare -i number; f() { export NAME; }")
    await say(shell, "f")
    await say(shell, "map[a]=1; map[b]=2; number=2+3; NAME=here")
    after = await say(shell, "echo ${map[a]} ${map[b]} $number; printenv NAME")
    assert after.out.text == "1 2 5\nhere\n"
