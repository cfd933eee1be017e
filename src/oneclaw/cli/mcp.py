"""`oneclaw mcp`: finds the file of an action and runs it."""

import argparse

from oneclaw.cli.main import load


async def run(arguments: argparse.Namespace) -> int:
    return await load(f"mcp_{arguments.action}").run(arguments)
