"""Options of `oneclaw skills`."""

from oneclaw.cli.completion import skills_words
from oneclaw.cli.parser import Parser

EPILOG = """\
Examples:
  oneclaw skills                   a table: name, where it is from, what it is for
  oneclaw skills show pdf          one skill: its files, its text, what the standard forbids about it
  oneclaw skills add ./pdf         copy a skill, or every skill in a folder, into your own folder
  oneclaw skills check [NAME]      hold skills to the standard (agentskills.io); also a folder
  oneclaw skills remove pdf        remove a skill that was added
  oneclaw skills trust [FOLDER]    load the skills of a project (untrust: no longer)

Skills are found in .agents/skills and .claude/skills of the project and of your home, and in the folder
`skills` in the data folder. In a chat, /NAME loads one.
Exit codes: 0 done, 1 check found something, 2 wrong use or settings, 3 no such skill.
"""
ACTIONS = ("list", "show", "add", "check", "remove", "trust", "untrust")


def configure(parser: Parser) -> None:
    parser.add("--json", action="store_true", help="print JSON")
    parser.add("action", nargs="?", choices=ACTIONS, default="list", help="default: list")
    parser.add(
        "name",
        nargs="?",
        metavar="NAME",
        help="the skill; add, check: a folder; trust, untrust: a project (default: the workspace's)",
        complete=skills_words,
    )
    parser.add("--replace", action="store_true", help="add: replace a skill of the same name")
