"""`oneclaw log`: lists calls with duration and outcome, or the token usage of answers."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from oneclaw.cli.diff import count_of, diff_lines, diff_of
from oneclaw.cli.lines import cost_text, took_text
from oneclaw.cli.opened import read_config
from oneclaw.cli.parser import WrongUse
from oneclaw.cli.terminal import (
    STATE,
    is_terminal,
    list_id,
    list_time,
    print_json,
    print_line,
    print_table,
    seconds_text,
    time_text,
)
from oneclaw.cli.value import print_fields
from oneclaw.operations.log import (
    AnswerUsage,
    CallRecord,
    LogFilter,
    Round,
    find_call,
    list_answers,
    list_calls,
    read_since,
    summary,
)
from oneclaw.operations.reading import reading

MARKS = {"success": "✓", "error": "✗", "open": "…"}
INNER = "└ "
"""Stands before the tool of a call that another one made."""
SHOWN = {"key": "number", "seconds": "took", "call_id": "call id", "truncated_from": "cut from"}


async def run(arguments: argparse.Namespace) -> int:
    if arguments.usage and (arguments.tool or arguments.status or arguments.key is not None):
        raise WrongUse("--usage is about answers, not calls: leave out the tool, the status and the number.")
    wanted = LogFilter(
        tool=arguments.tool,
        status=arguments.status,
        session=arguments.session,
        since=None if arguments.since is None else read_since(arguments.since),
        limit=arguments.limit,
    )
    with reading(read_config(arguments)) as store:
        if store is None:
            print("No calls yet. `oneclaw call get_current_time` makes the first.", file=sys.stderr)
            if arguments.json:
                print_json([])
            return 0
        if arguments.usage:
            return show_usage(await list_answers(store, wanted), arguments.json)
        if arguments.key is not None:
            details = await find_call(store, arguments.key)
            return show_one(details.call, arguments.json, details.made)
        is_whole = not (arguments.tool or arguments.status or arguments.json)
        records = await list_calls(store, wanted, with_makers=is_whole)
    if arguments.json:
        return print_json([asdict(record) for record in records])
    if not records:
        print("No calls match.", file=sys.stderr)
        return 0
    show_all(records)
    return 0


def nested(records: Sequence[CallRecord]) -> Iterator[CallRecord]:
    """The calls as they come, newest first, and under each those it made, in their order."""
    inner: dict[tuple[str, str], list[CallRecord]] = {}
    for record in reversed(records):
        inner.setdefault((record.session, record.parent), []).append(record)
    listed = {(record.session, record.call_id) for record in records}

    def below(record: CallRecord) -> Iterator[CallRecord]:
        yield record
        for made in inner.get((record.session, record.call_id), ()):
            yield from below(made)

    for record in records:
        if (record.session, record.parent) not in listed:
            yield from below(record)


def show_all(records: Sequence[CallRecord]) -> None:
    """A table; on a terminal each call has one line, which `oneclaw log NUMBER` shows whole."""
    is_short = is_terminal(sys.stdout)
    rows: list[tuple[str, ...]] = []
    for record in nested(records):
        took = "" if record.seconds is None else seconds_text(record.seconds)
        ended = record.kind or record.status
        tool = INNER + record.tool if record.parent else record.tool
        if is_short:
            mark = MARKS[record.status]
            what = f"{ended}: {summary(record)}" if record.kind else summary(record)
            rows.append((str(record.key), list_time(record.started), mark, tool, took, what))
        else:
            rows.append((str(record.key), time_text(record.started), tool, took, ended, summary(record)))
    print_table(("#", "TIME", "", "TOOL", "TOOK", "WHAT"), rows, ("bold", "dim", STATE, "bold"), wrapped=0)


def show_one(record: CallRecord, is_json: bool, made: Sequence[CallRecord] = ()) -> int:
    """One call, whole, and the calls it made."""
    if is_json:
        return print_json(asdict(record))
    diff = diff_of(record.details)
    whole = asdict(record) | {
        "started": time_text(record.started),
        "seconds": None if record.seconds is None else seconds_text(record.seconds),
    }
    if diff is not None:
        whole["details"] = {name: each for name, each in record.details.items() if name != "diff"} or None
    print_fields(whole, SHOWN)
    if diff is not None:
        print_line(f"diff {count_of(diff)}".rstrip(), "bold")
        for line, style in diff_lines(diff, len(diff["text"])):
            print_line(line, style)
    if made:
        print_line("its calls", "bold")
        show_all(made)
    return 0


def show_usage(found: AnswerUsage, is_json: bool) -> int:
    """The last answers, newest first, and what they took."""
    rounds = found.rounds
    if is_json:
        return print_json([asdict(each) for each in rounds])
    if not rounds:
        print("No answers match.", file=sys.stderr)
        return 0
    heads = ("TIME", "SESSION", "IN", "CACHED", "OUT", "REASONING", "COST", "MODEL")
    print_table(heads, [_usage_row(each) for each in rounds], ("dim", "bold"), wrapped=0)
    print_line("\n" + took_text(found.usage, found.cost, found.answers), "dim", sys.stderr)
    return 0


def _usage_row(each: Round) -> tuple[str, ...]:
    usage = each.usage
    tokens = (usage.input, usage.cached, usage.output, usage.reasoning)
    return (
        list_time(each.created),
        list_id(each.session),
        *(f"{count:,}" if count else "" for count in tokens),
        cost_text(each.cost),
        each.model,
    )
