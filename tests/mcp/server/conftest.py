"""An app whose tools are served to MCP clients, and clients of both eras of the protocol."""

import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest

from mcp import Client, StdioServerParameters
from oneclaw import App, Config
from oneclaw.mcp.server.sdk import SdkServer
from oneclaw.operations.mcp_serving import make_server

ERAS = {"auto": "2026-07-28", "legacy": "2025-11-25"}
"""How the client of the SDK is asked for an era, and the version that it then speaks."""


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> Any:
    return request.param


@dataclass
class Person:
    """A person at the client: gives the answers in order, and remembers what was asked."""

    answers: list[types.ElicitResult | Exception]
    asked: list[Any] = field(default_factory=list[Any])

    async def __call__(self, context: Any, params: Any) -> Any:
        self.asked.append(params)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def says(**content: Any) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content=content)


@dataclass
class ServedTools:
    """Tools that are served in this process."""

    app: App
    sdk: SdkServer

    def client(self, era: Any, person: Any = None, **more: Any) -> Client:
        return Client(self.sdk.server, mode=era, elicitation_callback=person, **more)


ServeTools = Callable[..., AbstractAsyncContextManager[ServedTools]]


@pytest.fixture
def serve_tools(tmp_path: Path) -> ServeTools:
    """Serves an app's tools, in the home of the test."""

    @asynccontextmanager
    async def serve_once(
        tools: Sequence[Any] = (), agent: str = "default", asks_agents: bool = False, **values: Any
    ) -> AsyncGenerator[ServedTools]:
        more = {name: values.pop(name) for name in ("agents", "providers", "builtins") if name in values}
        said = {name.replace("__", "."): value for name, value in values.items()}
        async with App(Config(home=tmp_path, values=said), tools=tools, **more) as app:
            sdk = await make_server(app, agent, asks_agents=asks_agents)
            async with sdk.watching():
                yield ServedTools(app, sdk)
                await sdk.tools.close()

    return serve_once


def command(home: Path, *words: str) -> StdioServerParameters:
    """`oneclaw mcp serve` in a home of its own."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "oneclaw.cli.main", "mcp", "serve", *words],
        env={"ONECLAW_HOME": str(home), "XDG_CONFIG_HOME": str(home / "config")},
        cwd=str(home),
    )


def text_of(result: types.CallToolResult) -> str:
    return "".join(block.text for block in result.content if isinstance(block, types.TextContent))


def first_text(result: types.CallToolResult) -> str:
    block = result.content[0]
    assert isinstance(block, types.TextContent)
    return block.text
