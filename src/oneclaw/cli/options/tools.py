"""Options of `oneclaw tools`."""

from oneclaw.cli.completion import tools_words
from oneclaw.cli.parser import Parser
from oneclaw.cli.stored_names import agent_names

EPILOG = """\
Examples:
  oneclaw tools                    a table: name, on or off, needs, label
  oneclaw tools show read_file     one tool with its schema and limits
  oneclaw tools off http_request   switch a tool off (on: switch it on again)
  oneclaw tools on group:text      switch all tools of a group
  oneclaw tools on shell           switch a feature on with its tools, as `oneclaw features on shell` does
  oneclaw tools reset http_request remove your switch: the settings decide again
  oneclaw tools sources            where tools come from, and how each source is
  oneclaw tools portability        what each provider is sent: kept, rewritten, dropped, and why
  oneclaw tools new weather        write a JavaScript tool (--group: several; --python: a plugin)
  oneclaw tools check [PATH]       what is wrong with tool files, and whether each function is there
  oneclaw tools test weather       run the examples of its manifest
  oneclaw tools reload             make running programs load changed files now
  oneclaw tools trust [FOLDER]     load the tools in .oneclaw/tools of a project (untrust: no longer)

Exit codes: 0 done, 1 check or test found something wrong, 2 wrong use or settings, 3 no such tool.
"""
PROVIDERS = ("openai", "openai_strict", "anthropic", "gemini", "gemini_parameters")
"""The providers with schema rules of their own, see `providers/dialect/rules.py`."""
ACTIONS = (
    *("list", "show", "on", "off", "reset", "sources", "portability"),
    *("check", "new", "test", "reload", "trust", "untrust"),
)


def configure(parser: Parser) -> None:
    parser.add("--json", action="store_true", help="print JSON")
    parser.add("--agent", default="default", metavar="NAME", help="for this agent", complete=agent_names)
    parser.add("--provider", choices=PROVIDERS, help="portability for this provider alone")
    parser.add("action", nargs="?", choices=ACTIONS, default="list", help="default: list")
    parser.add(
        "name",
        nargs="?",
        metavar="NAME",
        help="the tool; check: a file or folder; trust, untrust: a project (default: the workspace)",
        complete=tools_words,
    )
    parser.add("--group", action="store_true", help="new: a group of tools in one file")
    parser.add("--python", action="store_true", help="new: a Python plugin")
    parser.add("--folder", metavar="FOLDER", help="new: write it here (default: your tools folder)")
