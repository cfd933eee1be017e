"""A served app: the page of a scripted model, on a free port of the loopback."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from oneclaw import App, Config, Scripted
from oneclaw.web.server import Server

HEADERS = {"x-oneclaw": "1", "content-type": "application/json"}


@dataclass
class Served:
    """A page that is served, and a client that is logged in to it."""

    app: App
    server: Server
    client: httpx2.AsyncClient

    async def post(self, path: str, **body: Any) -> Any:
        response = await self.client.post(f"/api{path}", json=body, headers=HEADERS)
        assert response.status_code == 200, response.text
        return response.json()

    async def get(self, path: str) -> Any:
        response = await self.client.get(f"/api{path}")
        assert response.status_code == 200, response.text
        return response.json()


Serve = Callable[..., AbstractAsyncContextManager[Served]]


@pytest.fixture
def serve(tmp_path: Path) -> Serve:
    """Serves an app whose model says `turns`, or is `provider`, in the home of the test."""

    @asynccontextmanager
    async def serve_once(
        turns: Sequence[Any] = (), tools: Sequence[Any] = (), provider: Any = None, **values: Any
    ) -> AsyncGenerator[Served]:
        said = {name.replace("__", "."): value for name, value in values.items()}
        config = Config(home=tmp_path, values={"models.default": "scripted/demo", **said})
        providers = {"scripted": provider or Scripted(list(turns))}
        async with App(config, providers=providers, tools=tools) as app:
            server = Server(app, port=0)
            serving = asyncio.get_running_loop().create_task(server.serve())
            async with httpx2.AsyncClient(base_url=server.address, trust_env=False) as client:
                served = Served(app, server, client)
                await served.post("/login", link=server.link().partition("#link=")[2])
                yield served
            server.stop()
            await serving

    return serve_once
