"""`oneclaw deny`: writes a rule for commands that are refused unasked."""

import argparse

from oneclaw.cli.allow import write_rule
from oneclaw.cli.parser import Parser

EPILOG = """\
Examples:
  oneclaw deny "git push *"          refuse every git push
  oneclaw deny --remove "git push *"

A star at the end matches any words and options. The rule saves you questions; it is not a security
boundary: the sandbox limits what commands can reach. `oneclaw allow` writes rules that allow commands.
"""


def configure(parser: Parser) -> None:
    parser.add("rule", metavar="RULE", help='a command, with stars for words: "git push *"')
    parser.add("--remove", action="store_true", help="remove the rule")
    parser.add("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    return write_rule(arguments, "deny")
