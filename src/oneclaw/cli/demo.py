"""`oneclaw demo`: a conversation with the embedded model in a temporary workspace, or its tools alone."""

import argparse
import sys

EPILOG = """\
Examples:
  oneclaw demo            on a terminal: a chat with the tiny model that comes with OneClaw
  oneclaw demo | cat      anywhere else: five messages, the calls they lead to, and the answers
  oneclaw demo --tools    every built-in tool, without a model

It needs no key and no settings. Where the tiny model cannot run, a script plays it. All is kept in a
temporary folder and gone at the end.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tools", action="store_true", help="show the tools alone, without a model")
    parser.add_argument("--json", action="store_true", help="with --tools: print one JSON object a call")


def run(arguments: argparse.Namespace) -> int:
    from oneclaw.cli.demo_calls import show_calls
    from oneclaw.cli.embedded import missing
    from oneclaw.cli.terminal import is_terminal, print_line

    if arguments.tools or arguments.json:
        return show_calls(arguments.json)
    from oneclaw.cli.demo_conversation import show_conversation, talk_here

    problem = missing()
    if problem:
        print_line(f"{problem}\nUntil then a script plays the model; the tools are real.\n", "yellow")
        return show_conversation(is_scripted=True)
    if sys.stdin.isatty() and is_terminal(sys.stdout):
        return talk_here()
    return show_conversation()
