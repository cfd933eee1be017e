"""`oneclaw mcp serve`: serves the tools of an agent to the MCP client that started it."""

import argparse
import gc
import logging
import sys
from typing import TextIO

from oneclaw.cli.opened import open_app

MOST_LINES = 1_000
"""The most lines of log that go to standard error: most clients keep them all."""


class BoundedLog(logging.StreamHandler[TextIO]):
    """Writes the first lines of the log to standard error, and says when it stops."""

    def __init__(self, most: int = MOST_LINES) -> None:
        super().__init__(sys.stderr)
        self._left = most

    def emit(self, record: logging.LogRecord) -> None:
        self._left -= 1
        if self._left > 0:
            super().emit(record)
        elif self._left == 0:
            print("oneclaw: the log has too many lines; no more are shown.", file=sys.stderr)


async def run(arguments: argparse.Namespace) -> int:
    gc.disable()  # what is loaded now stays: looking through it for garbage takes a tenth of the start
    from oneclaw.operations.mcp_serving import serve_stdio

    if sys.stdin.isatty():
        print(
            "oneclaw: this speaks MCP with the program that starts it; a person has no use for it here."
            " `oneclaw mcp install CLIENT` sets a client up. Ctrl-C ends it.",
            file=sys.stderr,
        )
    log = BoundedLog()
    log.setFormatter(logging.Formatter("oneclaw: %(levelname)s %(name)s: %(message).400s"))
    logging.basicConfig(level=logging.WARNING, handlers=[log])
    async with open_app(arguments) as app:
        await serve_stdio(app, arguments.agent, arguments.agents, _loaded)
    return 0


def _loaded() -> None:
    gc.freeze()
    gc.enable()
