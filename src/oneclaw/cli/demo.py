"""`oneclaw demo`: a conversation with the tiny model in a temporary workspace, or the page."""

import argparse
import sys
from collections.abc import Coroutine
from typing import Any

from oneclaw.cli import setup
from oneclaw.cli.command_name import command_name
from oneclaw.cli.demo_conversation import show_conversation, talk_here
from oneclaw.cli.embedded import missing
from oneclaw.cli.terminal import is_terminal, print_line


def run(arguments: argparse.Namespace) -> int | Coroutine[Any, Any, int]:
    is_typed = sys.stdin.isatty() and is_terminal(sys.stdout)
    setup.offer(arguments)
    if arguments.page and is_typed:
        return open_page(arguments)
    problem = missing()
    if problem:
        print_line(f"{problem}\nUntil then a script plays the model; the tools are real.\n", "yellow")
        return show_conversation(is_scripted=True)
    return talk_here() if is_typed else show_conversation()


def open_page(arguments: argparse.Namespace) -> Coroutine[Any, Any, int]:
    """Serve the page, and say how to chat here instead."""
    from oneclaw.cli.options.serve import configure
    from oneclaw.cli.parser import Parser
    from oneclaw.cli.serve import serve

    parser = Parser(prog="oneclaw serve")
    configure(parser)
    parser.parse_args([], arguments)  # the defaults of `oneclaw serve`
    hint = f"To chat in the terminal instead: Ctrl-C, then `{command_name()} chat`."
    return serve(arguments, is_port_free=True, hint=hint)
