"""Texts that stand in a command: where bash ends them, and what is left of the command without."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from oneclaw.guard.command.lines import FILLED_IN, take_out
from oneclaw.guard.command.verdict import judge_command

BASH = shutil.which("bash")


@pytest.mark.parametrize(
    ("command", "programs"),
    [
        ("cat <<'E'\n$(id)\nE", ["cat"]),
        ("cat <<E\nplain\nE", ["cat"]),
        ("cat <<E\n\\$(id) \\`id\\` a\\\\b\nE", ["cat"]),
        ('cat <<"E"\n`id`\nE', ["cat"]),
        ("cat <<\\E\n$x\nE", ["cat"]),
        ("cat <<-'E'\n\t$(id)\n\tE\nls", ["cat", "ls"]),
        ("cat <<E | wc\nx | y\nE\nls", ["cat", "wc", "ls"]),
        ("cat <<A <<B\na\nA\nb\nB\nls", ["cat", "ls"]),
        ("cat <<'END OF'\nx\nEND OF\n", ["cat"]),
        ("cat <<''\nx\n\nls", ["cat", "ls"]),
        ("cat > x <<'E' && ls\nif ( {\nE\n", ["cat", "ls"]),
        ("cat <<E\na\\\nE\nrm\nE", ["cat"]),
        ("curl -s \\\n  x >y && \\\n l\\\ns", ["curl", "ls"]),
    ],
)
def test_a_command_is_understood_with_its_text(command: str, programs: list[str]) -> None:
    verdict = judge_command(command, ())
    assert verdict.is_understood, verdict.why
    assert list(verdict.programs) == programs
    assert not verdict.is_allowed


@pytest.mark.parametrize(
    "command",
    ["cat <<E\n$x\nE", "cat <<E\n`id`\nE", "cat <<E\n\\\\$(id)\nE", "cat <<E\nx", "cat <<E\nx\n E",
     "cat <<E", "cat <<$(id)\nx\n$(id)", "cat <<-E\nx\n E", "cat <<'E'\nx\nE `id`", "cat <<E'F'\nx\nEF\nid",
     "cat << \nx"],
)  # fmt: skip
def test_a_text_that_is_filled_in_or_has_no_end_is_not(command: str) -> None:
    assert not judge_command(command, ()).is_understood


def test_what_fills_in_a_text_is_shown() -> None:
    assert judge_command("cat <<E\n$(rm -rf x)\nE", ()).programs == ("cat", "rm")
    assert FILLED_IN in take_out("cat <<E\n$(rm -rf x)\nE")[1]


def test_other_commands_stay_as_they_are() -> None:
    for command in (
        *("ls", "cat <<< x", "echo '<<E'", 'echo "<<E"', "echo \\<<x", "echo $((1<<2))", "a <<E $(b)"),
    ):
        assert take_out(command) == (command, [])


LINES = st.lists(
    st.sampled_from(
        ["E", "F", " E", "\tE", "b", "$x", "\\", "x\\", "\\\\", "'", '"', "b <<F", "b <<'F'", "#", ""]
    )
)


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
@given(st.sampled_from(["a <<E", "a <<'E'", "a <<-E", "a <<E <<F", "a <<E; b", "a <<\\E | b"]), LINES)
@example("a <<E", ["x\\", "E", "b", "E", "b"])
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_bash_runs_what_is_left(tmp_path: Path, first: str, lines: list[str]) -> None:
    """Where all is understood, bash runs no other programs than those that are shown."""
    command = "\n".join([first, *lines])
    verdict = judge_command(command, ())
    if not verdict.is_understood:
        return
    script = 'command_not_found_handle() { printf "%s\\0" "$1" >&9; }\n' + command
    (tmp_path / "ran").write_bytes(b"")
    with (tmp_path / "ran").open("ab") as ran:
        subprocess.run(
            [str(BASH), "-c", f"exec 9>&1 >/dev/null 2>&1\n{script}"],
            env={"PATH": "/nonexistent"}, cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=ran, timeout=30,
        )  # fmt: skip
    assert sorted((tmp_path / "ran").read_text().split("\0")[:-1]) == sorted(verdict.programs), command
