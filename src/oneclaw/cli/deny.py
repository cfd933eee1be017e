"""`oneclaw deny`: writes a rule for commands that are refused unasked."""

import argparse

from oneclaw.cli.allow import write_rule
from oneclaw.cli.parser import Parser

EPILOG = """\
Examples:
  oneclaw deny "git push *"          refuse every git push
  oneclaw deny --remove "git push *"

A star at the end stands for any words and options. The rule spares you questions; it is no fence: what
commands can reach is for the sandbox to say. `oneclaw allow` writes rules for commands that run unasked.
"""


def configure(parser: Parser) -> None:
    parser.add("rule", metavar="RULE", help='a command, with stars for words: "git push *"')
    parser.add("--remove", action="store_true", help="remove the rule")
    parser.add("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    return write_rule(arguments, "deny")
