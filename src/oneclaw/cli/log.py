"""`oneclaw log`: the calls there were, how long they took and how they ended."""

import argparse
import re
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oneclaw.store.calls import CallRecord, Calls

EPILOG = """\
Examples:
  oneclaw log                         the latest calls
  oneclaw log --tool 'read_*' --since 2h
  oneclaw log --status timeout        open, success, error, or a kind of error
  oneclaw log 42                      one call, whole
  oneclaw log --usage                 the answers of models: tokens and cost of each
  oneclaw log --usage --session last  of one conversation, with its total
"""
MARKS = {"success": "✓", "error": "✗", "open": "…"}
INNER = "└ "
"""Stands before the tool of a call that another one made."""
SHOWN = {"key": "number", "seconds": "took", "call_id": "call id", "truncated_from": "cut from"}
SUMMARY_CHARS = 120
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def configure(parser: argparse.ArgumentParser) -> None:
    from oneclaw.cli.completion import session_ids, statuses
    from oneclaw.cli.parser import count

    parser.add_argument("key", nargs="?", type=count, metavar="NUMBER", help="show this call whole")
    parser.add_argument("--tool", metavar="NAME", help="only calls of this tool (a glob is fine)")
    status = parser.add_argument(
        "--status", metavar="STATUS", help="only open, success, error, or a kind of error"
    )
    status.completer = statuses  # pyright: ignore[reportAttributeAccessIssue]
    session = parser.add_argument("--session", metavar="ID", help="only calls of this session, or `last`")
    session.completer = session_ids  # pyright: ignore[reportAttributeAccessIssue]
    parser.add_argument("--usage", action="store_true", help="show what each answer of a model took instead")
    parser.add_argument("--since", metavar="TIME", help="only calls since: 30m, 2h, 3d, or 2026-01-31")
    parser.add_argument("--limit", type=count, default=50, metavar="N", help="at most N calls (default 50)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    from oneclaw.cli.completion import statuses
    from oneclaw.cli.opened import read_config
    from oneclaw.cli.terminal import print_json
    from oneclaw.store.store import Store

    if arguments.status is not None and arguments.status not in statuses():
        known = ", ".join(statuses())
        print(f"oneclaw: there is no status {arguments.status!r}; use one of: {known}.", file=sys.stderr)
        return 2
    if arguments.usage and (arguments.tool or arguments.status or arguments.key is not None):
        print(
            "oneclaw: --usage is about answers, not calls: leave out the tool, the status and the number.",
            file=sys.stderr,
        )
        return 2
    try:
        since = None if arguments.since is None else read_since(arguments.since, time.time())
    except ValueError as error:
        print(f"oneclaw: {error}", file=sys.stderr)
        return 2
    config = read_config(arguments)
    if not config.store_file.exists():
        print("No calls yet. `oneclaw call get_current_time` makes the first.", file=sys.stderr)
        if arguments.json:
            print_json([])
        return 0
    with Store(config.store_file, read_only=True) as store:
        session = None
        if arguments.session is not None:
            found = store.sessions.find(arguments.session)
            if found is None:
                from oneclaw.cli.sessions import say_unknown

                return say_unknown(arguments.session)
            session = found.id
        if arguments.usage:
            from oneclaw.cli.usage import show_usage

            return show_usage(store, session, since, arguments.limit, arguments.json)
        if arguments.key is not None:
            found_call = store.calls.get(arguments.key)
            made = () if found_call is None else store.calls.made_by(found_call)
            return show_one(found_call, arguments.key, arguments.json, made)
        records = store.calls.history(
            tool=arguments.tool,
            status=arguments.status,
            session=session,
            since=since,
            limit=arguments.limit,
        )
        if not (arguments.tool or arguments.status or arguments.json):
            records = with_makers(records, store.calls)
    if arguments.json:
        print_json([as_json(record) for record in records])
        return 0
    if not records:
        print("No calls match.", file=sys.stderr)
        return 0
    show_all(records)
    return 0


def with_makers(records: "list[CallRecord]", calls: "Calls") -> "list[CallRecord]":
    """The calls and, where the list ends between a script and the calls it made, the script."""
    known = {(record.session, record.call_id) for record in records}
    for record in list(records):
        if record.parent and (record.session, record.parent) not in known:
            known.add((record.session, record.parent))
            maker = calls.maker_of(record)
            records += [] if maker is None else [maker]
    return sorted(records, key=lambda record: record.key, reverse=True)


def nested(records: "Sequence[CallRecord]") -> "Iterator[CallRecord]":
    """The calls as they come, newest first, and under each those it made, in their order."""
    inner: dict[tuple[str, str], list[CallRecord]] = {}
    for record in reversed(records):
        inner.setdefault((record.session, record.parent), []).append(record)
    listed = {(record.session, record.call_id) for record in records}

    def below(record: "CallRecord") -> "Iterator[CallRecord]":
        yield record
        for made in inner.get((record.session, record.call_id), ()):
            yield from below(made)

    for record in records:
        if (record.session, record.parent) not in listed:
            yield from below(record)


def show_all(records: "Sequence[CallRecord]") -> None:
    """A table; on a terminal each call has one line, which `oneclaw log NUMBER` shows whole."""
    from oneclaw.cli.terminal import STATE, is_terminal, print_table, seconds_text, short_time, time_text

    is_short = is_terminal(sys.stdout)
    rows: list[tuple[str, ...]] = []
    for record in nested(records):
        took = "" if record.seconds is None else seconds_text(record.seconds)
        ended = record.kind or record.status
        tool = INNER + record.tool if record.parent else record.tool
        if is_short:
            mark = MARKS[record.status]
            what = f"{ended}: {summary(record)}" if record.kind else summary(record)
            rows.append((str(record.key), short_time(record.started), mark, tool, took, what))
        else:
            moment = time_text(record.started)
            rows.append((str(record.key), moment, tool, took, ended, summary(record)))
    print_table(("#", "TIME", "", "TOOL", "TOOK", "WHAT"), rows, ("bold", "dim", STATE, "bold"), wrapped=0)


def read_since(text: str, now: float) -> float:
    """A moment from `30m`, `2h`, `3d` or a date."""
    from datetime import datetime

    ago = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhdw])", text.strip())
    if ago:
        return now - float(ago[1]) * _UNITS[ago[2]]
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        raise ValueError(
            f"{text!r} is not a time: write 30m, 2h, 3d, or a date such as 2026-01-31."
        ) from None


def summary(record: "CallRecord") -> str:
    """One line: the message of an error, else the arguments."""
    import json
    from itertools import starmap

    from oneclaw.guard.outside_mark import unmarked

    def word(name: str, value: Any) -> str:
        return f"{name}={value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"

    given: Any = record.arguments or ""  # a text where they were cut for their length
    said = given if isinstance(given, str) else " ".join(starmap(word, given.items()))
    line = unmarked(record.message).split("\n")[0] or said
    return line if len(line) <= SUMMARY_CHARS else line[: SUMMARY_CHARS - 1] + "…"


def as_json(record: "CallRecord") -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(record)


def show_one(record: "CallRecord | None", key: int, is_json: bool, made: "Sequence[CallRecord]" = ()) -> int:
    """One call, whole, and the calls it made."""
    from oneclaw.cli.terminal import print_json, print_line, seconds_text, time_text
    from oneclaw.cli.value import print_fields

    if record is None:
        print(f"oneclaw: there is no call {key}; `oneclaw log` lists them.", file=sys.stderr)
        return 1
    if is_json:
        print_json(as_json(record))
        return 0
    whole = as_json(record) | {
        "started": time_text(record.started),
        "seconds": None if record.seconds is None else seconds_text(record.seconds),
    }
    print_fields(whole, SHOWN)
    if made:
        print_line("its calls", "bold")
        show_all(made)
    return 0
