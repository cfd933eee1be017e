"""Options of `oneclaw plugins`."""

from oneclaw.cli.completion import plugin_names
from oneclaw.cli.parser import Parser
from oneclaw.cli.stored_names import agent_names

EPILOG = """\
Examples:
  oneclaw plugins                list them: on or off, version, where they run, their tools
  oneclaw plugins show weather   one plugin: where it is from, what it needs, its tools, what is wrong

Settings for one plugin, in oneclaw.toml:
  [plugins.weather]
  enabled = false                leave it out
  trusted = true                 give its processes your environment
  inline = true                  run its tools in the program instead of a process
  tools.deny = ["forecast"]      leave out a tool
"""


def configure(parser: Parser) -> None:
    parser.add("--json", action="store_true", help="print JSON")
    parser.add(
        "--agent", default="default", metavar="NAME", help="what this agent may call", complete=agent_names
    )
    parser.add("action", nargs="?", choices=("list", "show"), default="list", help="default: list")
    parser.add("name", nargs="?", metavar="PLUGIN", help="the plugin to show", complete=plugin_names)
