"""Serves sessions that write at a steady rate: our page with its store, or bare Starlette sockets.

It prints where it is as one line of JSON, and begins when it reads a line.
"""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path
from time import monotonic, time
from typing import Any

from oneclaw import App, Config
from oneclaw.agent.run_handle import RunHandle
from oneclaw.core.answer import Answered, AnswerEvent, TextAdded
from oneclaw.core.message import AssistantMessage, TextPart
from oneclaw.providers.base import Request
from oneclaw.web.server import Server
from oneclaw.web.server_address import ServerAddress

WORD = "sixteen letters "
BEGIN_SECONDS = 1.0
"""The sessions begin one after the other within this time."""


class Steady:
    """A model that writes so many pieces a second, for so many seconds."""

    def __init__(self, rate: float, seconds: float) -> None:
        self.rate = rate
        self.count = round(rate * seconds)

    async def answer(self, request: Request) -> AsyncGenerator[AnswerEvent]:
        begun = monotonic()
        for number in range(1, self.count + 1):
            yield TextAdded(WORD)
            await asyncio.sleep(max(0.0, begun + number / self.rate - monotonic()))
        yield Answered(AssistantMessage((TextPart(WORD * self.count),)))

    async def close(self) -> None: ...


def say(document: Any) -> None:
    print(json.dumps(document), flush=True)


async def hear() -> None:
    """Wait for a line."""
    await asyncio.to_thread(sys.stdin.readline)


async def serve_ours(sessions: int, rate: float, seconds: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        config = Config(home=Path(folder), values={"models.default": "steady/one"})
        async with App(config, providers={"steady": Steady(rate, seconds)}) as app:
            server = Server(app, port=0)
            serving = asyncio.get_running_loop().create_task(server.serve())
            made = [
                await app.store.sessions.create("default", config.workspace_folder) for _ in range(sessions)
            ]
            names = [each.id for each in made]
            link = server.link().partition("#link=")[2]
            say({"port": server.port, "link": link, "sessions": names, "pid": os.getpid()})
            await hear()
            opened = [await app.resume_session(name) for name in names]
            runs: list[RunHandle] = []
            for each in opened:
                runs.append(await app.runs.start("default", "Go", session=each))
                await asyncio.sleep(BEGIN_SECONDS / sessions)
            await asyncio.gather(*(run.wait() for run in runs))
            await hear()
            server.stop()
            await serving


async def serve_bare(sessions: int, rate: float, seconds: float) -> None:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.routing import WebSocketRoute
    from starlette.websockets import WebSocket

    watching: dict[str, list[WebSocket]] = {str(number): [] for number in range(sessions)}

    async def open_socket(socket: WebSocket) -> None:
        await socket.accept()
        for name in json.loads(await socket.receive_text())["watch"]:
            watching[name].append(socket)
        await socket.send_text('{"events":[]}')
        await socket.receive()

    async def write(name: str) -> None:
        await asyncio.sleep(BEGIN_SECONDS * list(watching).index(name) / sessions)
        begun = monotonic()
        for number in range(1, round(rate * seconds) + 1):
            event = {"event": "text_added", "number": number, "time": time(), "session": name, "text": WORD}
            text = json.dumps({"events": [event]})
            for socket in watching[name]:
                await socket.send_text(text)
            await asyncio.sleep(max(0.0, begun + number / rate - monotonic()))
        for socket in watching[name]:
            await socket.send_text(json.dumps({"events": [{"event": "run_finished", "session": name}]}))

    app = Starlette(routes=[WebSocketRoute("/api/socket", open_socket)])
    config = uvicorn.Config(app, log_config=None, lifespan="off", ws="websockets-sansio")
    server = uvicorn.Server(config)
    listening = ServerAddress(port=0).listen()
    port = listening.getsockname()[1]
    serving = asyncio.get_running_loop().create_task(server.serve(sockets=[listening]))
    say({"port": port, "link": "", "sessions": list(watching), "pid": os.getpid()})
    await hear()
    await asyncio.gather(*map(write, watching))
    await hear()
    server.should_exit = True
    await serving


if __name__ == "__main__":
    kind, count, pieces, length = sys.argv[1:]
    serve = serve_ours if kind == "ours" else serve_bare
    asyncio.run(serve(int(count), float(pieces), float(length)))
