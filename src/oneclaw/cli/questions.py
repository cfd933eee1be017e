"""`oneclaw questions`: lists waiting questions and shows one in full."""

import argparse
import sys
from time import time

from oneclaw.cli.answer_words import CHOICES, hint, option_lines
from oneclaw.cli.diff import ASKED_LINES, diff_lines, without_shown
from oneclaw.cli.opened import read_config
from oneclaw.cli.parser import WrongUse
from oneclaw.cli.terminal import (
    is_terminal,
    list_id,
    print_json,
    print_line,
    print_table,
    seconds_text,
    time_text,
)
from oneclaw.core.text.display import visible
from oneclaw.operations import questions
from oneclaw.operations.questions import QuestionRecord, question_json, why_closed
from oneclaw.operations.reading import reading

LIST_CHARS = 200


async def run(arguments: argparse.Namespace) -> int:
    if arguments.action == "show" and not arguments.name:
        raise WrongUse("say which: oneclaw questions show ID")
    with reading(read_config(arguments)) as store:
        if arguments.action == "list":
            found = await questions.list_questions(store, is_open=not arguments.all, limit=arguments.limit)
            return list_questions(found, arguments.json)
        return show_question(await questions.find_question(store, arguments.name), arguments.json)


def list_questions(found: list[QuestionRecord], is_json: bool) -> int:
    if is_json:
        return print_json([question_json(record) for record in found])
    if not found:
        print(
            "No question waits for an answer. `oneclaw questions --all` shows those that are over.",
            file=sys.stderr,
        )
        return 0
    is_shown = is_terminal(sys.stdout)
    rows: list[tuple[str, ...]] = []
    for record in found:
        question = record.question
        left = question.expires - time()
        until = f"in {seconds_text(left)}" if is_shown and record.is_open else time_text(question.expires)
        rows.append(
            (
                question.id[:8] if is_shown else question.id,
                question_json(record)["state"],
                question.kind,
                visible(question.agent),
                list_id(question.run),
                until,
                short_text(record),
            )
        )
    heads = ("ID", "STATE", "KIND", "AGENT", "RUN", "EXPIRES", "QUESTION")
    if is_shown and all(record.is_open for record in found):  # a screen has little room
        heads, rows = _without_state(heads), [_without_state(row) for row in rows]
    print_table(heads, rows, ("bold",), is_escaped=True)
    first = next((record for record in found if record.is_open), None)
    if first is not None and is_shown:
        print_line(f"Answer one: oneclaw answer {first.question.id[:8]} {example(first)}", "dim")
    return 0


def _without_state(row: tuple[str, ...]) -> tuple[str, ...]:
    return (row[0], *row[2:])


def short_text(record: QuestionRecord) -> str:
    """The question in one line, cut where it is long: `show` has the whole."""
    text = whole_text(record)
    return text if len(text) <= LIST_CHARS else f"{text[: LIST_CHARS - 1]}…"


def whole_text(record: QuestionRecord) -> str:
    question = record.question
    lines = question.text.split("\n")
    if question.kind == "permission":
        given = " ".join(f"{name}={value}" for name, value in question.arguments.items())
        return f"{question.tool} needs {question.need}: {given}"
    return " ".join(line.strip() for line in lines[1:]) or lines[0]


def example(record: QuestionRecord) -> str:
    return {"permission": "yes", "choice": "1", "text": "TEXT", "form": "NAME=VALUE"}[record.question.kind]


def show_question(record: QuestionRecord, is_json: bool) -> int:
    if is_json:
        return print_json(question_json(record))
    question = record.question
    head, *rest = without_shown(question)
    print_line(head, "bold")
    for line in (*rest, *option_lines(question)):
        print_line(line)
    for line, style in diff_lines(question.diff, ASKED_LINES) if question.diff else ():
        print_line(f"  {line}", style)
    if not record.is_open:
        print_line(why_closed(record), "yellow")
        return 0
    words = ", ".join(answer for _, _, answer in CHOICES if answer in question.answers and answer != "once")
    yes = f"Answer with yes, {words}. " if question.kind == "permission" else ""
    how = f"{yes}{hint(question)}"
    print_line(f"Open until {time_text(question.expires)}. {how}", "dim")
    print_line(f"oneclaw answer {question.id} {example(record)}", "dim")
    return 0
