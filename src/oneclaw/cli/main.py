"""Entry point: finds the command, runs it, and prints errors as one line."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from types import ModuleType

from oneclaw.cli.parser import Parser

COMMANDS = {
    "setup": "choose the model, the workspace and the features, step by step",
    "run": "say one thing to an agent and see it through to the answer",
    "chat": "talk with an agent",
    "serve": "serve the web page on this machine",
    "agents": "list the agents, show, add or remove one",
    "runs": "list the runs and how they stand; show one, its events, or prune old ones",
    "watch": "show a run while it happens, whichever program runs it",
    "resume": "go on with a run that was cut short, with the budget it had left",
    "undo": "restore the files that a call or a run changed",
    "questions": "list the questions that wait for an answer, or show one",
    "answer": "answer a question, whichever program asks it",
    "sessions": "list the conversations, show, remove, export or import one",
    "memory": "list what agents remember; show, search, forget, export or import",
    "models": "list the models: which are set up, what they read, what they cost",
    "keys": "keep, list, remove and test the keys of providers",
    "tools": "list the tools, show one, or switch one on or off",
    "features": "list the parts that are switched as a whole, or switch one",
    "plugins": "list the Python plugins, or show one",
    "mcp": "add, approve, list or remove MCP servers, whose tools agents use; or serve our tools",
    "skills": "list the skills; show, add, check, remove or trust",
    "call": "run one call",
    "log": "show the history of calls",
    "why": "say why a tool may or may not be called",
    "allow": "write a rule for commands that run unasked",
    "deny": "write a rule for commands that are refused",
    "grants": "list the remembered answers, or revoke one",
    "workspace": "show the folder that agents work in; confirm one, or forget it",
    "tokens": "list, make or revoke the tokens of programs that use the API",
    "doctor": "check what works on this machine and say what to install",
    "config": "show the settings, where they come from, and what can be set",
    "demo": "try it out with a tiny model, in a temporary workspace",
    "help": "read a short guide to a topic, as `oneclaw help permissions`",
    "completion": "print the shell code for completion",
}
"""Each command is the file of its name, loaded when the command is used; its options are in `options`."""

COMMON = (
    ("--config", "FILE", None, "read the settings from FILE"),
    ("--home", "FOLDER", None, "keep the data in FOLDER"),
    ("--workspace", "FOLDER", None, "let tools work in FOLDER"),
    ("--mode", None, ("auto", "ask", "deny"), "how far tools go without a person"),
)

EPILOG = """\
Start with:
  oneclaw setup                          choose a model, step by step
  oneclaw chat                           talk with an agent that has tools
  oneclaw run "What is in notes.txt?"    ask one thing, of the model set as models.default
  oneclaw demo                           try it out: no key, no settings
  oneclaw tools                          what there is, and what is on
  oneclaw call get_current_time          run one call
  oneclaw help                           short guides, by topic
"""
NOT_THERE = ("tool", "feature", "plugin", "skill")
"""Nouns whose unknown names have an exit code of their own."""
STARTS = ("call", "chat", "resume", "run")
"""Commands to which a name that nothing has is wrong use."""


def build_parser(words: Sequence[str] = tuple(COMMANDS)) -> Parser:
    """The command line, whole for the commands among `words`; the others are known by name only."""
    from oneclaw import __version__

    parser = Parser(
        prog="oneclaw",
        description="OneClaw runs tools for AI agents: checked, permitted, stopped in time, answered once.",
        epilog=EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"oneclaw {__version__}")
    add_common(parser)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name, text in COMMANDS.items():
        one = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        one.set_defaults(parser=one)
        if name in words:
            module = load_options(name)
            one.epilog = getattr(module, "EPILOG", None)
            module.configure(one)
            add_common(one, is_repeated=True)
    return parser


def add_common(parser: argparse.ArgumentParser, is_repeated: bool = False) -> None:
    """Options of every command, before or after its name."""
    default = argparse.SUPPRESS if is_repeated else None
    for name, metavar, choices, text in COMMON:
        said = argparse.SUPPRESS if is_repeated else text
        parser.add_argument(name, metavar=metavar, choices=choices, help=said, default=default)


def load(name: str) -> ModuleType:
    return import_module(f"oneclaw.cli.{name}")


def load_options(name: str) -> ModuleType:
    """The options of a command: in a file of their own, or in that of a command that loads little."""
    try:
        return load(f"options.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"oneclaw.cli.options.{name}":
            raise
        return load(name)


def take_rest(parser: Parser, arguments: argparse.Namespace, rest: list[str]) -> None:
    """Take words that came after an option, which argparse leaves over; refuse anything else."""
    command: Parser = getattr(arguments, "parser", parser)
    options = [word for word in rest if word.startswith("-") and word != "-"]
    if options:
        command.refuse(options)
    rest = command.fill(arguments, rest)
    if rest and not hasattr(arguments, "words"):
        command.refuse(rest)
    if rest:
        arguments.words = [*arguments.words, *rest]


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal may not know every letter
    if "_ARGCOMPLETE" in os.environ:
        load("completion").complete(build_parser(os.environ.get("COMP_LINE", "").split()))
    words = sys.argv[1:] if words is None else words
    parser = build_parser(words)
    arguments, rest = parser.parse_known_args(words)
    if rest:
        take_rest(parser, arguments, rest)
    if arguments.command is None:
        parser.print_help()
        return 0
    try:
        done = load(arguments.command).run(arguments)
        if isinstance(done, int):
            return done
        import asyncio

        return asyncio.run(done)
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of the pipe has gone; point the rest at nothing so that exit does not complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except Exception as error:
        from oneclaw.cli.terminal import print_line, printable
        from oneclaw.core.errors import NotFound, OneClawError

        if isinstance(error, NotFound):
            said = printable(str(error))
            print_line(f"oneclaw: {said[0].lower()}{said[1:]}", "red", sys.stderr)
            if error.noun in NOT_THERE:
                return 3
            return 2 if arguments.command in STARTS or error.noun == "provider" else 1
        if isinstance(error, OneClawError):
            print_line(f"oneclaw: {printable(str(error))}", "red", sys.stderr)
            return 2
        raise


if __name__ == "__main__":
    sys.exit(main())
