"""Prints token usage and cost by round and in total."""

import sys
from dataclasses import asdict

from oneclaw.cli.lines import cost_text, took_text
from oneclaw.cli.terminal import list_id, list_time, print_json, print_line, print_table
from oneclaw.operations.log import AnswerUsage, Round


def show_usage(found: AnswerUsage, is_json: bool) -> int:
    """The last answers, newest first, and what they took."""
    rounds = found.rounds
    if is_json:
        return print_json([asdict(each) for each in rounds])
    if not rounds:
        print("No answers match.", file=sys.stderr)
        return 0
    heads = ("TIME", "SESSION", "IN", "CACHED", "OUT", "REASONING", "COST", "MODEL")
    print_table(heads, [_row(each) for each in rounds], ("dim", "bold"), wrapped=0)
    print_line("\n" + took_text(found.usage, found.cost, found.answers), "dim", sys.stderr)
    return 0


def _row(each: Round) -> tuple[str, ...]:
    usage = each.usage
    tokens = (usage.input, usage.cached, usage.output, usage.reasoning)
    return (
        list_time(each.created),
        list_id(each.session),
        *(f"{count:,}" if count else "" for count in tokens),
        cost_text(each.cost),
        each.model,
    )
