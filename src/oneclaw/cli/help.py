"""`oneclaw help`: short guides to what people do, by topic."""

import argparse
import re
import sys

from oneclaw.cli.completion import help_topics
from oneclaw.cli.parser import Parser, WrongUse, nearest_word, shown
from oneclaw.cli.topics import read_topic, title_of, topics

EPILOG = """\
Examples:
  oneclaw help                the topics
  oneclaw help permissions    a short guide
  oneclaw help log            for a command without a guide, its options

Exit codes: 0 done, 2 no such topic or command.
"""
LINK = re.compile(r"\[([^\]]*)\]\(([^)]*)\)")
FENCE = re.compile(r"^```.*\n((?:.*\n)*?)```$", re.MULTILINE)


def configure(parser: Parser) -> None:
    parser.add(
        "topic", nargs="?", default="", metavar="TOPIC", help="default: list them", complete=help_topics
    )


def run(arguments: argparse.Namespace) -> int:
    from oneclaw.cli.main import COMMANDS, build_parser

    name = arguments.topic.lower()
    if not name:
        show_topics()
    elif name in topics():
        show_topic(name, is_command=name in COMMANDS)
    elif name in COMMANDS:
        build_parser([name]).parse_args([name, "--help"])
    else:
        near = nearest_word(name, {*topics(), *COMMANDS})
        raise WrongUse(f"there is no help on {shown(name)}.{near or ' `oneclaw help` lists the topics.'}")
    return 0


def show_topics() -> None:
    from oneclaw.cli.terminal import print_line, print_table

    print_table(("TOPIC", "GUIDE TO"), [(name, title_of(name)) for name in topics()], ("bold",))
    print_line(
        "\nRead one: oneclaw help TOPIC. Options of a command: oneclaw COMMAND --help.", "dim", sys.stderr
    )


def show_topic(name: str, *, is_command: bool) -> None:
    from oneclaw.cli.terminal import is_terminal

    text = LINK.sub(_place, read_topic(name))
    if is_command:
        text += f"\nOptions: `oneclaw {name} --help`\n"
    if not is_terminal(sys.stdout):
        print(
            FENCE.sub(lambda found: re.sub(r"^", "    ", found[1].rstrip("\n"), flags=re.MULTILINE), text),
            end="",
        )
        return
    from oneclaw.cli.markdown import markdown_console, rendered

    screen = markdown_console()
    screen.print(rendered(text, screen), end="")


def _place(link: re.Match[str]) -> str:
    """A link in a topic as the path of the page in the documentation."""
    target = link[2]
    return f"docs/{target.removeprefix('../')}" if target.startswith("../") else f"docs/reference/{target}"
