"""`oneclaw allow`: writes a rule for commands that run unasked."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from oneclaw.cli.parser import Parser
from oneclaw.cli.terminal import print_json, print_line, printable

if TYPE_CHECKING:
    from oneclaw.operations.rules import RuleChange, RuleList

EPILOG = """\
Examples:
  oneclaw allow "git commit **"      run every git commit without a question
  oneclaw allow "make test"          exactly this command
  oneclaw allow --remove "make test"

One * matches one word (at the end one or more words), ** any number of words. Neither matches an option,
except -m and similar ones of git commit. `oneclaw deny` refuses commands.
"""


def configure(parser: Parser) -> None:
    parser.add("rule", metavar="RULE", help='a command, with stars for words: "git commit **"')
    parser.add("--remove", action="store_true", help="remove the rule")
    parser.add("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    return write_rule(arguments, "allow")


def write_rule(arguments: argparse.Namespace, to: "RuleList") -> int:
    """Write or remove a rule, and say what holds now."""
    from dataclasses import asdict

    from oneclaw.config import settings_file
    from oneclaw.operations.rules import change_rule

    file = settings_file(Path(arguments.config) if arguments.config else None)
    changed = change_rule(file, to, arguments.rule, remove=arguments.remove)
    if arguments.json:
        print_json(asdict(changed))
    else:
        tell(changed, arguments.remove)
    return 0


def tell(changed: "RuleChange", is_removed: bool) -> None:
    rule = printable(changed.rule)
    if is_removed:
        done = (
            f"Removed from {changed.setting}: {rule}" if changed.has_changed else f"There is no rule {rule}"
        )
    else:
        done = f"{'Added to' if changed.has_changed else 'Already in'} {changed.setting}: {rule}"
    print_line(f"{done} ({printable(str(changed.file))})")
    if changed.is_asked_once and not is_removed:
        print_line("It has stars and may do harm with some words, so you are asked about it once.", "dim")
