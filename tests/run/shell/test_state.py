"""A command that a rule allowed runs what the rule names, whatever others have left in the shell."""

import subprocess
from pathlib import Path
from time import process_time

import pytest
from tests.run.shell.conftest import MakeShell

from oneclaw.app import App
from oneclaw.config import Config
from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.errors import ToolError
from oneclaw.run.shell.session import CommandOutcome, ShellCommand
from oneclaw.run.shell.state import UNKNOWN, folder_in, is_harmless, leaves_out, moved, plain, tidied

TRAPS = [
    "ls() { echo EVIL; }",
    "alias ls='echo EVIL'",
    "mkdir -p bin; printf '#!/bin/sh\\necho EVIL' >bin/ls; chmod +x bin/ls; export PATH=$PWD/bin:$PATH",
    "trap 'echo EVIL' DEBUG RETURN; set -T; ls() { echo EVIL; }; readonly -f ls",
    "eval() { echo EVIL; }; ls() { echo EVIL; }",
    "PS4='$(echo EVIL >&2)'; set -x; ls() { echo EVIL; }",
]


@pytest.mark.parametrize("trap", TRAPS)
async def test_what_a_rule_names_is_what_runs(make_shell: MakeShell, trap: str) -> None:
    shell = make_shell()

    async def run(text: str, *, is_ruled: bool) -> CommandOutcome:
        async with shell.lock:
            return await shell.run(ShellCommand(text, 60, is_ruled=is_ruled))

    await run("mkdir sub; cd sub; touch here", is_ruled=False)
    await run(trap, is_ruled=False)
    ruled = await run("ls -d here", is_ruled=True)
    assert (ruled.out.text, "EVIL" in ruled.err.text) == ("here\n", False)
    assert "Nobody was asked about this command" in ruled.note
    twin = await run("ls -d here", is_ruled=False)
    assert "EVIL" in twin.out.text + twin.err.text  # the same words, with all of the state


async def test_the_directory_and_plain_variables_are_found_and_the_directory_is_kept(
    make_shell: MakeShell,
) -> None:
    shell = make_shell()

    async def say(text: str, *, is_ruled: bool = False, sets: bool = False) -> str:
        async with shell.lock:
            ran = await shell.run(ShellCommand(text, 60, is_ruled=is_ruled, sets_shell=sets))
        return ran.out.text

    await say("mkdir -p 'a b/$(c)'; cd a*; export X='one \"two\" $three'; f() { echo f; }")
    assert (await say("cd '$(c)'", is_ruled=True), (await say("pwd"))[-9:]) == ("", "a b/$(c)\n")
    assert await say("printenv X", is_ruled=True) == 'one "two" $three\n'
    assert await say("f") == "f\n"
    assert await say("g() { echo g; }", is_ruled=True, sets=True) == ""
    assert await say("g", is_ruled=True) == "g\n"


@pytest.mark.parametrize(
    "line",
    [
        b'declare -x A="$(id)"',
        b'declare -x A="`id`"',
        b'declare -x A="x"; id',
        b'declare -x A="x\\\nid"',
        b'declare -x PATH="/x"',
        b'declare -x LD_PRELOAD="/x"',
        b"declare -x A=$'x'$(id)",
        b"ls () ",
        b"\\builtin cd -- $(id) || _oneclaw_lost=x; OLDPWD=x",
        b"\\builtin cd -- x || id; OLDPWD=x",
        b"\\builtin cd -- x || _oneclaw_lost=x; OLDPWD=x;id",
        b"\\builtin cd -- x || _oneclaw_lost=$(id); OLDPWD=x",
    ],
)
def test_a_line_that_could_do_more_is_left_out(line: bytes) -> None:
    assert plain(line + b"\n#whole\n") == b"#whole\n"
    assert moved(b"#whole\n", line + b"\n#whole\n") == b"#whole\n"


def test_a_plain_state_is_taken_as_it_is() -> None:
    state = b"declare -- a=\"b \\$c\"\ndeclare -x B=$'x\\ny'\n"
    state += b"\\builtin cd -- /a\\ b || _oneclaw_lost=/a\\ b; OLDPWD=''\n#whole\n"
    assert plain(state) == state


UNTOUCHED = (
    b"builtin unset -v PATH LANG\n_oneclaw_options=''\ndeclare -- IFS=$' \\t\\n'\ndeclare -i OPTIND=\"1\"\n"
    b'declare -x LANG="C"\ndeclare -x PATH="/bin"\ndeclare -- PS4="+ "\numask 0022\n'
)
END = b"\\builtin cd -- /a || _oneclaw_lost=/a; OLDPWD=''\n#whole\n"


def test_a_state_in_which_nothing_decides_which_code_runs_is_known() -> None:
    given = {"PATH": "/bin", "LANG": "C"}
    assert not leaves_out(UNTOUCHED + END, given)
    assert not leaves_out(UNTOUCHED + b'declare -- x="1"\n' + END, given)
    for line in (
        b'declare -x PATH="/x:/bin"',
        b'declare -- PATH="/bin"',
        b'declare -x LD_PRELOAD="/x"',
        b'declare -- IFS="x"',
        b"_oneclaw_options='builtin set -x; '",
        b"ls () ",
        b"alias ls='x'",
        b"trap -- 'x' DEBUG",
        b"shopt -s extglob",
        b'declare -a a=([0]="x")',
        b'declare -r a="x"',
        b"builtin cd /x",
    ):
        assert leaves_out(UNTOUCHED + line + b"\n" + END, given), line
    without = UNTOUCHED.replace(b'declare -x PATH="/bin"\n', b"")
    assert leaves_out(without + END, given), "without PATH bash runs what lies in the directory"
    assert leaves_out(UNTOUCHED + b"#whole\n", given) is False, "it goes nowhere"


@pytest.mark.parametrize(
    ("quoted", "folder"),
    [(b"/a", "/a"), (b"/a\\ b", "/a b"), (b"$'/a\\nb'", "$'/a\\nb'"), (b"/a;b", UNKNOWN)],
)
def test_the_directory_of_a_state_is_told(quoted: bytes, folder: str) -> None:
    assert folder_in(b"\\builtin cd -- " + quoted + b" || _oneclaw_lost=x; OLDPWD=''\n#whole\n") == folder


async def test_a_command_meant_for_one_folder_is_not_run_in_another(make_shell: MakeShell) -> None:
    shell = make_shell()
    await shell.run(ShellCommand("mkdir a; cd a", 60))
    where = shell.where
    assert where.endswith("/a")
    await shell.run(ShellCommand("cd ..", 60))
    with pytest.raises(ToolError, match="has gone to"):
        await shell.run(ShellCommand("touch here", 60, folder=where))
    assert (await shell.run(ShellCommand("touch here; ls", 60, folder=shell.where))).out.text == "a\nhere\n"


async def test_a_bash_that_was_ready_with_all_of_the_state_is_not_the_one_that_runs(
    make_shell: MakeShell,
) -> None:
    shell = make_shell()
    await shell.run(ShellCommand("mkdir bin; printf '#!/bin/sh\\necho EVIL' >bin/ls; chmod +x bin/ls", 60))
    await shell.run(ShellCommand("PATH=$PWD/bin:$PATH", 60))
    for _ in range(2):
        assert (await shell.run(ShellCommand("ls", 60, is_ruled=True))).out.text == "bin\n"
    assert (await shell.run(ShellCommand("ls", 60))).out.text == "EVIL\n"


def test_only_a_state_that_runs_no_code_is_loaded_ahead_of_a_command() -> None:
    assert is_harmless(UNTOUCHED + END)
    assert is_harmless(UNTOUCHED + b"declare -- x=\"a \\$b\"\ndeclare -x y=$'a\\nb'\n" + END)
    for line in (
        b'declare -x A="$(id)"',
        b'declare -x A="x"; id',
        b'declare -i A="b[$(id)]"',
        b'declare -a A=([b[$(id)]]="x")',
        b'declare -n A="B"',
        b'declare -- _oneclaw="7"',
        b'declare -- TMOUT="1"',
        b'declare -- BASH_XTRACEFD="63"',
        b'declare -- IFS="x"',
        b"ls () ",
        b"alias ls='x'",
        b"trap -- 'x' DEBUG",
        b"_oneclaw_options='id'",
        b"builtin unset -v A; id",
        b"id",
    ):
        assert not is_harmless(UNTOUCHED + line + b"\n" + END), line
    assert not is_harmless(UNTOUCHED), "it is not whole"


async def test_the_rules_of_the_owner_are_those_that_count(tmp_path: Path) -> None:
    values = {
        "features.shell": True,
        "permissions.needs.shell": "granted",
        "shell.allow": ["ls **"],
    }
    workspace = tmp_path / "ws"
    workspace.mkdir()
    async with App(Config(home=tmp_path / "home", workspace=workspace, values=values)) as app:

        async def run(command: str) -> ToolResult:
            return await app.engine.call(ToolCall("execute_shell_command", {"command": command}))

        await run("ls() { echo EVIL; }; dir() { echo EVIL; }; touch here")
        assert [(await run(text)).value["stdout"] for text in ("ls", "dir")] == ["here\n", "EVIL\n"]


SET = r"""
A=$'two\nlines "quoted" \\'; L=(1 "2 )" '$x'); declare -A M=(["a b"]="x)" ['c"d']=$'\n') LATER; export NONE
declare -i NUMBER=3; declare -n REF=A; declare -r FIXED=1; EMPTY=; uid=me
B=$'declare -a GROUPS=()\ndeclare -r UID="0"'; C=$(declare -p)
f() { cat <<'END'
declare -a GROUPS=()
END
}
"""
SHOW = "declare -p A B C L M LATER NONE NUMBER REF FIXED EMPTY uid; f; echo the end"


def in_bash(script: str) -> bytes:
    """What a script writes that is run as a command is: in a bash that was forked from another."""
    words = ["bash", "--noprofile", "--norc", "-c", f"( {script} )\n:"]
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60).stdout


def test_of_all_variables_those_of_bash_itself_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "state"
    written = in_bash(f"{SET}\ndeclare -p; declare -pf")
    shown = in_bash(f"{SET}\n{SHOW}")
    assert shown.endswith(b"the end\n")
    file.write_bytes(tidied(written))
    again = in_bash(f". {file}\n{SHOW}")
    # One thing differs: C holds what was there when it was made.
    assert [line for line in again.splitlines() if b" C=" not in line] == [
        line for line in shown.splitlines() if b" C=" not in line
    ]
    assert tidied(tidied(written)) == tidied(written)
    file.write_bytes(written)
    assert in_bash(f". {file}\n{SHOW}") == b""  # with them, a bash ends that is to set them


@pytest.mark.parametrize(
    ("state", "left"),
    [
        (b"", b""),
        (b"#whole\n", b"#whole\n"),
        (b'declare -- A="x\ndeclare -ir UID="0"\n#whole\n', b'declare -- A="x\n#whole\n'),
        (b'declare -- A="x\ndeclare -ir UID=\\"0\\""\n', b'declare -- A="x\ndeclare -ir UID=\\"0\\""\n'),
        (b"declare -a GROUPS=(\x00\ndeclare -- B\n", b"declare -- B\n"),
        (b"shopt -s x\ndeclare -- _=1\nf () \n", b"shopt -s x\nf () \n"),
    ],
)
def test_what_is_no_variable_is_left_as_it_is(state: bytes, left: bytes) -> None:
    assert tidied(state) == left


def test_a_large_state_takes_little_time_and_a_hostile_one_too() -> None:
    for state in (
        b'declare -- A="' + b'\\"' * 4_000_000 + b'"\n',
        b"declare -a A=(" + b"(" * 8_000_000,
        b'declare -- A="' * 500_000,
        b"declare -- A\n" * 300_000,
    ):
        begun = process_time()
        tidied(state)
        assert process_time() - begun < 10
