"""`oneclaw answer`: answers a waiting question of any program."""

import argparse
import getpass
import sys

from oneclaw.cli.answer_words import KEYS, TypedAnswer, read_words, told
from oneclaw.cli.opened import open_app
from oneclaw.cli.parser import WrongUse
from oneclaw.cli.terminal import print_json, print_line
from oneclaw.core.errors import InvalidConfig, NotFound
from oneclaw.core.question import Question
from oneclaw.core.text.display import visible
from oneclaw.operations.questions import (
    AnswerRefused,
    answer_question,
    check_open,
    find_question,
    next_step,
    question_json,
)


async def run(arguments: argparse.Namespace) -> int:
    if bool(arguments.words) == arguments.decline:
        raise WrongUse("say the answer: oneclaw answer ID yes, or --decline.")
    app = open_app(arguments)
    if not app.config.store_file.exists():
        raise NotFound("question", arguments.name, "questions")
    async with app:
        try:
            record = await find_question(app.store, arguments.name)
            check_open(record)
            said = read_said(record.question, arguments)
            await answer_question(
                app.store,
                record,
                said.answer,
                pattern=dict(said.pattern),
                seconds=said.seconds,
                who=whoever(),
            )
        except (AnswerRefused, ValueError) as error:
            print(f"oneclaw: {visible(str(error))} The question stays open.", file=sys.stderr)
            return 4
        except InvalidConfig as error:
            print(f"oneclaw: {error}", file=sys.stderr)
            return 1
        then = await next_step(app.store, record)
        if arguments.json:
            return print_json(question_json(await find_question(app.store, record.question.id)))
        print_line("Answered.", "green")
        for line in (told(record.question, said), then):
            if line:
                print_line(visible(line))
        return 0


def read_said(question: Question, arguments: argparse.Namespace) -> TypedAnswer:
    """The answer of the words; raises ValueError for one that does not fit the kind of the question."""
    if arguments.decline:
        return TypedAnswer("no" if question.kind == "permission" else None)
    line = " ".join(arguments.words)
    if question.kind == "permission":
        word = line.partition(" ")[0].lower()
        if KEYS.get(word) not in question.answers:
            offered = ", ".join(("yes", *question.answers))
            raise ValueError(f"{word[:50]!r} is not an answer to this question; use one of: {offered}.")
    return read_words(question, line)


def whoever() -> str:
    """The name that the store keeps with the answer."""
    try:
        return f"{getpass.getuser()}, command line"
    except (KeyError, OSError):  # a user without a name
        return "command line"
