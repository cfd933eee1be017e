"""Options of `oneclaw mcp`."""

import argparse
from collections.abc import Iterable

from oneclaw.cli.completion import mcp_words
from oneclaw.cli.parser import Parser
from oneclaw.cli.stored_names import agent_names

EPILOG = """\
Examples:
  oneclaw mcp                                     the servers, their state, tools that are held or quarantined
  oneclaw mcp add time -- mcp-server-time         add a local server: see its command line, then approve it
  oneclaw mcp add tickets --url https://tickets.example/mcp --header "Authorization=Bearer {TICKETS_TOKEN}"
  oneclaw mcp import claude_desktop_config.json   add the servers of another product
  oneclaw mcp show time                           one server: its tools, what changed, its log
  oneclaw mcp approve time [TOOL]                 see what changed, word by word, and approve it
  oneclaw mcp test time                           connect and list the tools
  oneclaw mcp disable time                        do not use it (enable, remove)
  oneclaw mcp login tickets                       sign in at a server that wants it (logout)
  oneclaw mcp resources notes                     list its resources; read one: oneclaw mcp read notes URI
  oneclaw mcp prompts notes                       list its prompts; fill one in: mcp prompt notes NAME topic=x
  oneclaw mcp serve                               serve the tools of the agent default on stdin and stdout
  oneclaw mcp serve --agent writer                those of another agent
  oneclaw mcp install cursor                      have a client start it: shows the change, and asks

A secret is named, never written: `--env GITHUB_TOKEN=MY_TOKEN` gives the server the secret MY_TOKEN
(`oneclaw keys set MY_TOKEN`).
Exit codes: 0 done, 1 a server failed, 2 wrong use or settings, 5 not approved.
"""
ACTIONS = (
    *("list", "add", "import", "show", "approve", "test", "enable", "disable", "remove"),
    *("login", "logout", "resources", "read", "prompts", "prompt"),
    *("serve", "install"),
)
CLIENTS = ("claude-desktop", "claude-code", "cursor", "vscode", "zed")
"""The clients that `install` knows, as `operations/mcp_installing.py` has them."""


def _name_words(prefix: str, parsed_args: argparse.Namespace, **more: object) -> Iterable[str]:
    if parsed_args.action == "install":
        return [client for client in CLIENTS if client.startswith(prefix)]
    return mcp_words(prefix, parsed_args, **more)


def configure(parser: Parser) -> None:
    parser.add("--json", action="store_true", help="print JSON")
    parser.add("--yes", action="store_true", help="add, approve, install: ask nothing")
    parser.add("--file", metavar="FILE", help="install: the settings of the client, if they are elsewhere")
    parser.add("--url", metavar="URL", help="add: the address of a server that is reached by HTTP")
    parser.add("--env", action="append", metavar="NAME=SECRET", help="add: a variable of a local server")
    parser.add("--header", action="append", metavar="NAME=SECRET", help="add: a header of each request")
    parser.add("--folder", metavar="FOLDER", help="add: where a local server starts")
    parser.add("--sandbox", action="store_true", help="add: run a local server in the sandbox of commands")
    parser.add("--network", action="store_true", help="add: let a server in the sandbox reach the network")
    parser.add("--required", action="store_true", help="add: start nothing without this server")
    parser.add(
        "--agent",
        default="default",
        metavar="NAME",
        help="serve, install: whose tools are served",
        complete=agent_names,
    )
    parser.add(
        "--agents", action="store_true", help="serve, install: offer the other agents as tools, ask_NAME"
    )
    parser.add(
        "action", nargs="?", choices=ACTIONS, default="list", metavar="ACTION", help=", ".join(ACTIONS)
    )
    parser.add(
        "name",
        nargs="?",
        metavar="NAME",
        help="the server; import: a file; install: a client",
        complete=_name_words,
    )
    parser.add(
        "words",
        nargs="*",
        metavar="WORD",
        help="add: the command; approve: tools; read: a URI; prompt: its name, KEY=VALUE",
    )
