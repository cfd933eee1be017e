"""A program that serves the page of a scripted model, to be killed: prints its link.

The tool waits until the file `go` is in the workspace.
"""

import asyncio
import sys
from pathlib import Path
from typing import Any

from oneclaw import App, Config, Scripted, tool
from oneclaw.core.message import UserMessage
from oneclaw.core.tool import Context
from oneclaw.testing import Call
from oneclaw.web.server import Server


@tool(effect="read", seconds=600)
async def wait_for_go(context: Context) -> str:
    """Wait until the file is there."""
    while not (context.session.workspace.folder / "go").exists():
        await asyncio.sleep(0.05)
    return "gone"


def reply(request: Any) -> Any:
    if isinstance(request.messages[-1], UserMessage):
        return ["First the time.", Call("get_current_time"), Call("wait_for_go")]
    return "All done."


async def main(home: str, port: str) -> None:
    config = Config(home=Path(home), values={"models.default": "scripted/demo"})
    model = Scripted([reply], repeats=True)
    async with App(config, providers={"scripted": model}, tools=[wait_for_go]) as app:
        server = Server(app, port=int(port))
        sys.stdout.write(f"{server.link()}\n")
        sys.stdout.flush()
        await server.serve()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
