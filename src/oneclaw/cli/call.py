"""`oneclaw call`: makes one tool call through the engine."""

import argparse
import asyncio
import json
import re
import sys
from typing import Any

from oneclaw.cli.argument_words import read_arguments
from oneclaw.cli.diff import diff_lines, diff_of
from oneclaw.cli.opened import EXIT_CODES, open_app, read_config
from oneclaw.cli.parser import WrongUse
from oneclaw.cli.prompts import Prompts
from oneclaw.cli.spinner import Spinner
from oneclaw.cli.terminal import is_terminal, print_json, print_line, printable, seconds_text
from oneclaw.cli.value import has_fields, print_fields
from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.errors import Kind
from oneclaw.core.event_json import result_json

PLAIN = re.compile(r"-?\d+(\.\d+)?|true|false", re.ASCII)
"""A word that is a number or a truth, and nothing else."""


def run(arguments: argparse.Namespace) -> int:
    try:
        given = read_arguments(arguments.words, arguments.text)
    except ValueError as error:
        raise WrongUse(str(error)) from None
    result = asyncio.run(call_once(arguments, ToolCall(arguments.name, given)))
    code = show(result, arguments.format, given)
    is_elsewhere = result.kind in (Kind.FILE_NOT_FOUND, Kind.PATH_NOT_ALLOWED)
    if arguments.format == "text" and is_elsewhere and not arguments.workspace:
        folder = read_config(arguments).workspace_folder
        said = (
            f"Tools work in {printable(str(folder))}; --workspace FOLDER lets them work in another, as in `.`"
        )
        print_line(said, "dim", sys.stderr)
    return code


async def call_once(arguments: argparse.Namespace, call: ToolCall) -> ToolResult:
    async with open_app(arguments) as app:
        if arguments.session:
            session = await app.resume_session(arguments.session)
        else:
            session = app.new_session(arguments.agent)
        with Spinner() as spinner, Prompts(app.broker, spinner):
            app.engine.subscribe(spinner.hear)
            result = await app.engine.call(call, session)
        if result.truncated_from is not None and arguments.format == "text":
            more = f"oneclaw call --session {session.id} read_file path=…"
            print(f"The whole result can be read in pieces: {more}", file=sys.stderr)
        return result


def show(result: ToolResult, form: str, given: dict[str, Any] | str = "") -> int:
    if form == "json":
        print_json(result_json(result))
        return EXIT_CODES[result.kind]
    for repair in repairs_to_tell(result, given):
        print_line(f"note: {printable(repair)}", "yellow", sys.stderr)
    for line in logged_lines(result):
        print_line(f"log: {printable(line)}", "dim", sys.stderr)
    if result.kind is not None:
        print_line(f"{result.kind.value}: {printable(result.message)}", "red", sys.stderr)
    elif is_terminal(sys.stdout) and has_fields(result.value):
        print_fields(result.value)
    else:
        text = result.text
        print(printable(text) if sys.stdout.isatty() else text, end="" if text.endswith("\n") else "\n")
        if result.images:
            print_line(
                f"({len(result.images)} images; use --format json to see their types)", "dim", sys.stderr
            )
    if is_terminal(sys.stderr):
        diff = diff_of(result.details)
        for line, style in diff_lines(diff) if diff else ():
            print_line(line, style, sys.stderr)
        mark = "✓" if result.ok else "✗"
        print_line(f"{mark} {result.tool} in {seconds_text(result.seconds)}", "dim", sys.stderr)
    return EXIT_CODES[result.kind]


def repairs_to_tell(result: ToolResult, given: dict[str, Any] | str) -> list[str]:
    """Prints repairs, except a typed `5` read as the number 5."""
    words = given if isinstance(given, dict) else {}
    typed = tuple(
        f"{name}: {json.dumps(value)} was read as " for name, value in words.items() if is_plain(value)
    )
    return [repair for repair in result.repairs if not repair.startswith(typed)]


def is_plain(value: Any) -> bool:
    return isinstance(value, str) and PLAIN.fullmatch(value) is not None


def logged_lines(result: ToolResult) -> list[str]:
    """Prints the tool's log (`console.log` of JavaScript)."""
    log = (result.details or {}).get("log")
    return log.splitlines() if isinstance(log, str) else []
