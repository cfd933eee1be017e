"""Many commands of the kinds that have got past the rules of other tools, under the most generous rules."""

import re
from pathlib import Path

import pytest

from oneclaw.guard.command.rule import Rule
from oneclaw.guard.command.verdict import judge_command

HERE = Path(__file__).parent
SEVERAL_LINES = [
    "cat <<EOF\n$(id)\nEOF", "cat <<'EOF'\nx\nEOF", "cat <<EOF\nx\nEOF", "sh <<EOF\nid\nEOF",
    "cat <<EOF | sh\nid\nEOF", "cat <<EOF; id\nx\nEOF", "cat <<A <<B\na\nA\nb\nB", "cat <<\"E\"\nx\nE\nid",
    "ls\nid", "ls\n\nid", "ls;\nid", "ls &&\nid", "ls |\nsh", "ls \\\n-la", "l\\\ns", "ls\\\n;id",
    "\n".join(["true"] * 60), "echo ok" + "\n" * 50 + "id",
]  # fmt: skip
ODD_CHARACTERS = [
    "ls\r\nid", "ls\rid", "ls\r", "ls \r id", "\rls", "ls\x0bid", "ls\x0cid", "ls\x00id", "ls\x1b[2Kid",
    "ls\x7f", "ls\x08\x08id", "ls\u00a0-la", "ls\u2003id", "ls\u3000id", "ls\u2028id", "ls\u2029id",
    "ls\u0085id", "ls\ufeff", "\ufeffls", "ls\u200d", "ls\u2060x", "ls\u00adx", "ls\u034fx", "ls\u115f",
    "ls\u3164", "ls\uffa0", "ls\u180e", "ls\u061c", "ls \u2066x\u2069", "ls \u202dx", "ls\U000e0041",
    "ls \ue000", "ls \ufff9", "ls \ud800", "l\u0455", "\u0441at x", "\uff4c\uff53 x", "ls\uff1bid",
    "ls\uff5csh", "ls\uff06id", "ls \uff04(id)", "ls \u037e id", "ls \u2024\u2024/x", "ls \u2215etc",
    "ls \uff0fetc", "ls \u201cx\u201d", "echo \u2018x\u2019", "echo x \u2010la", "ls \u2212la", "ls \u2013la",
    "ls \uff0dla", "l\u0301s", "l\u017f", "echo \u2160", 'echo "\u65e5\\" ; id ; \\""', "echo \u65e5|cat",
]  # fmt: skip
OUT_OF_SIGHT = [
    "echo ok" + " " * 50 + "; id", "echo ok" + "\t" * 6 + "; id", "echo '" + " " * 100 + "'",
    "echo a" + "\u3000" * 50 + "b", "echo " + "x" * 20_000, ";".join(["true"] * 51), "|".join(["cat"] * 51),
]  # fmt: skip


def lines_of(name: str) -> list[str]:
    return (HERE / name).read_text().splitlines()


def generous(command: str) -> list[Rule]:
    """Rules that allow every word of the command as a program, with every argument, and are confirmed."""
    words = set(re.findall(r"[^\s'\"`;|&()<>$]+", command))
    forms = (("**",), ("*",), ("*", "**"), ())
    return [Rule((word, *form), is_confirmed=True) for word in sorted(words) for form in forms]


@pytest.mark.parametrize("commands", [lines_of("asks.txt"), SEVERAL_LINES, ODD_CHARACTERS, OUT_OF_SIGHT])
def test_what_hides_something_is_never_allowed(commands: list[str]) -> None:
    allowed = [command for command in commands if judge_command(command, generous(command)).is_allowed]
    assert allowed == []
    assert len(lines_of("asks.txt")) > 900


def test_the_rules_are_generous_enough_to_tell() -> None:
    """The twin: what is plain is allowed by the very same rules, so it is not the rules that refuse."""
    plain = ["ls -la src", "cat 'a b' | wc -l", "touch x", "cd x && ls", "pytest tests"]
    assert [command for command in plain if not judge_command(command, generous(command)).is_allowed] == []


def test_what_destroys_is_named_however_it_is_wrapped() -> None:
    assert [line for line in lines_of("dangers.txt") if not judge_command(line, ()).danger] == []
    assert len(lines_of("dangers.txt")) > 200


@pytest.mark.parametrize(
    "command",
    [
        "rm x", "rm -r x", "rm -- -f", "rm -i x", "echo rm -rf x", "grep 'rm -rf' x",
        "git commit -m 'rm -rf x'",
        "trap 'echo rm -rf x' EXIT", "bash -lc \"echo 'rm -rf x'\"", "xargs rm", "find . -exec rm {} +",
        "cat <<'E'\nrm -rf x\nE", "ls # rm -rf x", "rmdir x", "docker rm -f x", "git rm -f x", "man rm",
        "echo \"rm -rf $HOME\"", "sed 's/rm -rf//' x", "rm ./-f", "bash -lc \"cat <<'EOF'\nrm -rf x\nEOF\"",
        "$x -f y", "$CC -fPIC x.c", "git rebase main", "rm -r $x", "rm $'x y'",
    ],
)  # fmt: skip
def test_what_only_speaks_of_deleting_is_not_taken_for_it(command: str) -> None:
    assert "rm with force" not in judge_command(command, ()).danger
