"""What answers of models took: tokens and cost of each round, and the total."""

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from oneclaw.cli.lines import cost_text, took_text
from oneclaw.cli.sessions import short_id
from oneclaw.cli.terminal import is_terminal, print_json, print_line, print_table, short_time, time_text

if TYPE_CHECKING:
    from oneclaw.operations.log import AnswerUsage, Round


def show_usage(found: "AnswerUsage", is_json: bool) -> int:
    """The last answers, newest first, and what they took."""
    rounds = found.rounds
    if is_json:
        print_json([asdict(each) for each in rounds])
        return 0
    if not rounds:
        print("No answers match.", file=sys.stderr)
        return 0
    is_short = is_terminal(sys.stdout)
    heads = ("TIME", "SESSION", "IN", "CACHED", "OUT", "REASONING", "COST", "MODEL")
    print_table(heads, [_row(each, is_short) for each in rounds], ("dim", "bold"), wrapped=0)
    print_line("\n" + took_text(found.usage, found.cost, found.answers), "dim", sys.stderr)
    return 0


def _row(each: "Round", is_short: bool) -> tuple[str, ...]:
    usage = each.usage
    tokens = (usage.input, usage.cached, usage.output, usage.reasoning)
    return (
        short_time(each.created) if is_short else time_text(each.created),
        short_id(each.session) if is_short else each.session,
        *(f"{count:,}" if count else "" for count in tokens),
        cost_text(each.cost),
        each.model,
    )
