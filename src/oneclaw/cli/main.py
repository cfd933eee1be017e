"""The entry of the command line: finds the command, runs it, and turns trouble into one line."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

COMMANDS = ("tools", "call", "log", "why", "grants", "doctor", "config", "demo", "completion")

EPILOG = """\
Start with:
  oneclaw demo                           see every built-in tool at work
  oneclaw tools                          what there is, and what is on
  oneclaw call get_current_time          run one call
"""


def build_parser() -> argparse.ArgumentParser:
    """The whole command line. Only argparse is loaded here; a command loads the rest when it runs."""
    from oneclaw import __version__

    parser = argparse.ArgumentParser(
        prog="oneclaw",
        description="OneClaw runs tools for AI agents: checked, permitted, stopped in time, answered once.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"oneclaw {__version__}")
    parser.add_argument("--config", metavar="FILE", help="read the settings from FILE")
    parser.add_argument("--home", metavar="FOLDER", help="keep the data in FOLDER")
    parser.add_argument("--workspace", metavar="FOLDER", help="let tools work in FOLDER")
    parser.add_argument("--mode", choices=("auto", "ask", "deny"), help="how far tools go without a person")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name in COMMANDS:
        module = load(name)
        one = commands.add_parser(
            name,
            help=module.HELP,
            description=module.HELP[0].upper() + module.HELP[1:] + ".",
            epilog=getattr(module, "EPILOG", None),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.configure(one)
    return parser


def load(name: str) -> ModuleType:
    return import_module(f"oneclaw.cli.{name}")


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = build_parser()
    if "_ARGCOMPLETE" in os.environ:
        load("completion").complete(parser)
    arguments = parser.parse_args(words)
    if arguments.command is None:
        parser.print_help()
        return 0
    try:
        return load(arguments.command).run(arguments)
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of the pipe has gone; point the rest at nothing so that exit does not complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except Exception as error:
        from oneclaw.core.errors import OneClawError

        if isinstance(error, OneClawError):
            print(f"oneclaw: {error}", file=sys.stderr)
            return 2
        raise


if __name__ == "__main__":
    sys.exit(main())
