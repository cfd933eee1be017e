"""`oneclaw mcp`: finds the file of an action and runs it."""

import argparse

from oneclaw.cli.main import load

OWN_FILES = ("serve", "install")
"""Actions for MCP clients, each with a file of its own; the others are about servers."""


async def run(arguments: argparse.Namespace) -> int:
    name = f"mcp_{arguments.action}" if arguments.action in OWN_FILES else "mcp_servers"
    return await load(name).run(arguments)
