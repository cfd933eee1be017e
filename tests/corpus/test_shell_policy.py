"""Verdicts on commands that others learnt the hard way: they hold under the most generous rules there are."""

import re
import shlex
from collections.abc import Sequence

import pytest
from tests.corpus.conftest import Judged, Rows

from oneclaw import ToolError
from oneclaw.guard.command.display import show_argv, show_command
from oneclaw.guard.command.rule import Rule
from oneclaw.guard.command.variables import refused_variables
from oneclaw.guard.command.verdict import judge_command
from oneclaw.guard.command.wrapper import resolve


@pytest.fixture
def of(rows: Rows) -> Rows:
    """The rows of one verdict."""
    return lambda name: [row for row in rows("shell_policy") if row["verdict"] == name]


def generous(command: str | Sequence[str]) -> list[Rule]:
    """Rules that allow every word of the command as a program, with every argument, and are confirmed."""
    text = command if isinstance(command, str) else " ".join(command)
    words: set[str] = set(re.findall(r"[^\s'\"`;|&()<>$]+", text))
    words |= set() if isinstance(command, str) else set(command)
    forms = (("**",), ("*",), ("*", "**"), ())
    return [Rule((word, *form), is_confirmed=True) for word in sorted(words) for form in forms]


def test_every_verdict_has_its_test(rows: Rows) -> None:
    known = {
        *("parse-ok", "must-not-auto-allow", "resolve-executable", "display-must-equal-argv", "dangerous"),
        *("not-forced-rm", "env-override-refused"),
    }
    assert {row["verdict"] for row in rows("shell_policy")} <= known


def test_what_can_be_read_is_read(of: Rows, judged: Judged) -> None:
    for row in of("parse-ok"):
        with judged(row["id"]):
            verdict = judge_command(row["cmd"], generous(row["cmd"]))
            assert verdict.is_understood, (row["cmd"], verdict)
            assert list(verdict.programs) == row["executables"], row["cmd"]


def test_what_hides_something_is_never_allowed_by_a_rule(of: Rows, judged: Judged) -> None:
    for row in of("must-not-auto-allow"):
        with judged(row["id"]):
            verdict = judge_command(row["cmd"], generous(row["cmd"]))
            assert not verdict.is_allowed, (row["cmd"][:200], row["why"])
            assert verdict.why


def test_the_program_that_really_runs_is_found(of: Rows, judged: Judged) -> None:
    for row in of("resolve-executable"):
        with judged(row["id"]):
            assert resolve(tuple(row["cmd"])) == row["executable"], row["cmd"]
            assert row["executable"] in judge_command(row["cmd"], ()).programs


def test_what_is_shown_is_what_runs(of: Rows, judged: Judged) -> None:
    for row in of("display-must-equal-argv"):
        with judged(row["id"]):
            expected = row["expected"]
            if not expected["valid"]:
                with pytest.raises(ToolError, match="does not say what would run"):
                    show_command(row["cmd"], row["rawCommand"])
                continue
            shown = show_command(row["cmd"], row["rawCommand"])
            assert shown == expected["displayCommand"] or shlex.split(shown) == list(row["cmd"]), row
            assert shlex.split(show_argv(row["cmd"])) == list(row["cmd"])


def test_what_deletes_by_force_is_dangerous_and_not_allowed(of: Rows, judged: Judged) -> None:
    for row in of("dangerous"):
        with judged(row["id"]):
            verdict = judge_command(row["cmd"], generous(row["cmd"]))
            assert verdict.danger, row["cmd"]
            assert not verdict.is_allowed, row["cmd"]


def test_what_only_speaks_of_deleting_is_not_dangerous(of: Rows, judged: Judged) -> None:
    for row in of("not-forced-rm"):
        with judged(row["id"]):
            assert "rm with force" not in judge_command(row["cmd"], ()).danger, row["cmd"]


def test_variables_that_load_code_are_refused(of: Rows, judged: Judged) -> None:
    for row in of("env-override-refused"):
        with judged(row["id"]):
            name = row["cmd"]["env"]
            for spelled in (name, name.lower(), name.upper()):
                assert refused_variables([spelled, "LANG_OF_MINE"]).keys() == {spelled}
