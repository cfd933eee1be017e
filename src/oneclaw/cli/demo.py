"""`oneclaw demo`: a conversation with the tiny model in a temporary workspace."""

import argparse
import sys

from oneclaw.cli import setup
from oneclaw.cli.demo_conversation import show_conversation, talk_here
from oneclaw.cli.embedded import missing
from oneclaw.cli.terminal import is_terminal, print_line


def run(arguments: argparse.Namespace) -> int:
    setup.offer(arguments)
    problem = missing()
    if problem:
        print_line(f"{problem}\nUntil then a script plays the model; the tools are real.\n", "yellow")
        return show_conversation(is_scripted=True)
    if sys.stdin.isatty() and is_terminal(sys.stdout):
        return talk_here()
    return show_conversation()
