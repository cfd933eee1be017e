"""`oneclaw questions` and `oneclaw answer`, and the words that answer at a terminal."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from oneclaw.cli.answer_words import TypedAnswer, hint, option_lines, read_words, told
from oneclaw.cli.main import main
from oneclaw.core.question import Question
from oneclaw.store.store import Store

FORM = {
    "type": "object",
    "properties": {
        "port": {"type": "integer", "description": "Where it listens."},
        "host": {"type": "string", "default": "here"},
    },
    "required": ["port"],
}


def question(**changes: Any) -> Question:
    now = time.time()
    values: dict[str, Any] = {
        "tool": "write_file", "session": "s", "agent": "a", "needs": ("changes",),
        "arguments": {"path": '"a/b"'},
        "text": "The tool write_file asks for:\n  changes\nA yes that is kept holds.", "waits": True,
        "created": now, "expires": now + 3600,
    }  # fmt: skip
    return Question(**(values | changes))


def ask(home: Path, *asked: Question) -> None:
    async def keep() -> None:
        with Store(home / "oneclaw.db") as store:
            for each in asked:
                await store.questions.ask(each)

    asyncio.run(keep())


# ---------------------------------------------------------------------- the words


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("y", TypedAnswer("once")),
        ("YES ", TypedAnswer("once")),
        ("always", TypedAnswer("always")),
        ("w for 8h", TypedAnswer("always", {}, 28_800.0)),
        ("s path=a/*", TypedAnswer("session", {"path": "a/*"})),
        ("always path=a/* for 2d", TypedAnswer("always", {"path": "a/*"}, 172_800.0)),
        ("w path=notes for 5 for 30m", TypedAnswer("always", {"path": "notes for 5"}, 1800.0)),
    ],
)
def test_a_yes_that_is_kept_takes_a_pattern_and_a_time(line: str, said: TypedAnswer) -> None:
    assert read_words(question(), line) == said


@pytest.mark.parametrize("line", ["", "yesterday", "w file=x", "w a/*", "w for ever"])
def test_what_is_no_answer_is_said(line: str) -> None:
    with pytest.raises(ValueError):
        read_words(question(), line)


def test_a_pattern_of_a_command_needs_no_name() -> None:
    shell = question(tool="execute_shell_command", is_ruled=True, arguments={"command": '"git commit x"'})
    said = TypedAnswer("always", {"command": "git commit *"}, 28_800.0)
    assert read_words(shell, "w git commit * for 8h") == said
    assert read_words(shell, "w command=git commit * for 8h") == said
    assert told(shell, said) == (
        "Allowed from now on: execute_shell_command with command git commit *, everywhere, for 8 hours."
    )
    assert hint(shell) == "Narrow it to a pattern or a time: w command=PATTERN for 8h"


def test_a_form_is_filled_in_with_words_or_json() -> None:
    form = question(kind="form", schema=FORM)
    assert read_words(form, "port=80 host='over there'") == TypedAnswer({"port": "80", "host": "over there"})
    assert read_words(form, '{"port": 80}') == TypedAnswer('{"port": 80}')
    assert read_words(form, "") == TypedAnswer({})
    assert list(option_lines(form)) == [
        "  port: integer, required. Where it listens.",
        '  host: string, by default "here"',
    ]


# ---------------------------------------------------------------------- the commands


def test_where_nothing_was_asked_the_next_step_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--home", str(tmp_path), "questions"]) == 0
    assert "oneclaw questions --all" in capsys.readouterr().err
    assert main(["--home", str(tmp_path), "answer", "x", "yes"]) == 1
    assert main(["--home", str(tmp_path), "answer", "x"]) == 2


@pytest.mark.parametrize(
    ("asked", "wrong", "right"),
    [
        (question(), ["perhaps"], ["always", "path=a/*", "for", "8h"]),
        (question(kind="choice", answers=("red", "blue")), ["3"], ["blue"]),
        (question(kind="text", answers=()), [" "], ["Well,", "yes."]),
        (question(kind="form", answers=(), schema=FORM), ["port=many"], ["port=80"]),
        (question(kind="form", answers=(), schema=FORM), ['{"port"'], ['{"port": 80}']),
    ],
)
def test_an_answer_that_does_not_fit_leaves_the_question_open(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], asked: Question, wrong: list[str], right: list[str]
) -> None:
    ask(tmp_path, asked)
    assert main(["--home", str(tmp_path), "answer", asked.id, *wrong]) == 4
    said = capsys.readouterr().err
    assert "stays open" in said
    assert said.count("\n") == 1
    assert main(["--home", str(tmp_path), "questions", "show", asked.id[:8]]) == 0
    assert f"oneclaw answer {asked.id}" in capsys.readouterr().out
    assert main(["--home", str(tmp_path), "answer", asked.id[:8], *right]) == 0
    assert capsys.readouterr().out.startswith("Answered.\n")
    assert main(["--home", str(tmp_path), "answer", asked.id, *right]) == 1
    assert "was answered already by" in capsys.readouterr().err
    assert main(["--home", str(tmp_path), "questions", "--all"]) == 0
    assert "answered" in capsys.readouterr().out


def test_a_pattern_that_allows_anything_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = question(tool="execute_shell_command", is_ruled=True)
    ask(tmp_path, asked)
    assert main(["--home", str(tmp_path), "answer", asked.id, "always", "python3 *"]) == 4
    assert "would allow anything" in capsys.readouterr().err


def unchecked(*_: object) -> None:
    pass


@pytest.mark.parametrize("is_guarded", [True, False])
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"arguments": {"path": '"a/b\\\\c"', "lines": "5"}}, ["path=b/*"]),
        ({"arguments": {"path": '"a/b"', "lines": "5"}}, ["lines=6"]),
        (
            {"tool": "execute_shell_command", "is_ruled": True, "arguments": {"command": '"git log"'}},
            ["ls *"],
        ),
    ],
)
def test_a_pattern_that_does_not_fit_the_call_that_asks_is_refused(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    changes: dict[str, Any],
    words: list[str],
    is_guarded: bool,
) -> None:
    """Without the guard, a yes to other calls is a yes to this one."""
    if not is_guarded:
        monkeypatch.setattr("oneclaw.operations.questions.check_pattern", unchecked)
    asked = question(**changes)
    ask(tmp_path, asked)
    assert main(["--home", str(tmp_path), "answer", asked.id, "always", *words]) == (4 if is_guarded else 0)
    assert ("does not match the call that asks" in capsys.readouterr().err) is is_guarded


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"arguments": {"path": r'"a\\x1b[2J/\\"b"'}}, ["path=a*/*"]),
        ({"arguments": {"path": '"aaa" … (cut here for display: 20000 characters) … "b"'}}, ["path=zzz/*"]),
        ({"arguments": {"is_all": "true", "some": "[1, 2]"}}, ["some=[1,2]"]),
        (
            {"tool": "execute_shell_command", "is_ruled": True, "arguments": {"command": '"git log x"'}},
            ["git log *"],
        ),
    ],
)
def test_a_pattern_that_fits_or_that_only_the_program_that_asks_can_judge_is_taken(
    tmp_path: Path, changes: dict[str, Any], words: list[str]
) -> None:
    asked = question(**changes)
    ask(tmp_path, asked)
    assert main(["--home", str(tmp_path), "answer", asked.id, "always", *words]) == 0


def test_a_question_is_listed_as_it_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = question(agent="a\tb", arguments={"path": r'"a\\b\x1b[2J"'})
    ask(tmp_path, asked)
    assert main(["--home", str(tmp_path), "questions"]) == 0
    *_, agent, _, _, text = capsys.readouterr().out.rstrip("\n").split("\t")
    assert (agent, text) == (r"a\tb", r'write_file needs changes: path="a\\b\x1b[2J"')


@pytest.mark.parametrize(
    ("asked", "words", "said"),
    [
        (question(kind="choice", answers=("red\x1b[2J", "a\nb")), ["3"], r"1 red\x1b[2J, 2 a\nb"),
        (question(kind="choice", answers=("red",)), ["9" * 5000], "is none of the choices"),
        (question(kind="form", answers=(), schema=FORM), ["host='a"], "A quote is not closed; close it"),
        (question(kind="form", answers=(), schema=FORM), ["x" * 5000], "KEY=VALUE"),
        (question(), ["always", "for", f"{'9' * 400}d"], "leave out the time"),
    ],
)
def test_a_refusal_is_one_short_line_that_moves_no_cursor(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], asked: Question, words: list[str], said: str
) -> None:
    ask(tmp_path, asked)
    assert main(["--home", str(tmp_path), "answer", asked.id, *words]) == 4
    told = capsys.readouterr().err
    assert said in told
    assert told.removesuffix("\n").isprintable()
    assert len(told) < 400


def test_what_is_wrong_with_an_answer_is_not_said_of_a_question_that_is_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = question(kind="form", answers=(), schema=FORM)
    ask(tmp_path, asked)
    assert main(["--home", str(tmp_path), "answer", asked.id, "port=1"]) == 0
    assert main(["--home", str(tmp_path), "answer", asked.id, "host='a"]) == 1
    assert "stays open" not in capsys.readouterr().err


def test_a_long_question_is_listed_by_its_beginning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ask(tmp_path, question(arguments={"path": f'"{"x" * 5000}"'}))
    assert main(["--home", str(tmp_path), "questions"]) == 0
    assert capsys.readouterr().out.endswith("xxx…\n")
    assert main(["--home", str(tmp_path), "questions", "--json"]) == 0
    assert "x" * 5000 in capsys.readouterr().out


def test_why_says_that_nobody_can_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--home", str(tmp_path), "why", "ask_user"]) == 0
    said = capsys.readouterr().out
    assert "nobody can answer" in " ".join(said.split())
    assert "questions.wait" in said
