"""`/mcp` of `oneclaw serve`: both eras, with a token; other requests are refused, each guard with a twin."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client
from tests.mcp.server.conftest import ERAS, Person, says, text_of
from tests.web.conftest import Serve, Served
from tests.web.conftest import serve as serve

from mcp import Client
from oneclaw import tool
from oneclaw.operations.access import AccessBook, access_file
from oneclaw.web import request_gate
from oneclaw.web.request_gate import RequestGate

pytestmark = pytest.mark.slow

LIST = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/list",
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    },
}
HEADERS = {
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/list",
}


@tool(effect="write", needs=["files.delete"])
def erase(name: str) -> str:
    """Erase something."""
    return f"erased {name}"


def make_token(served: Served) -> str:
    return AccessBook(access_file(served.app.config.home)).make_token("client")


@asynccontextmanager
async def connect(served: Served, era: Any, path: str = "mcp", **more: Any) -> AsyncGenerator[Client]:
    headers = {"authorization": f"Bearer {make_token(served)}"}
    async with httpx2.AsyncClient(headers=headers, trust_env=False, timeout=60) as http:
        transport = streamable_http_client(f"{served.server.address}{path}", http_client=http)
        async with Client(transport, mode=era, **more) as client:
            yield client


async def test_a_client_lists_calls_and_is_asked(serve: Serve, era: Any) -> None:
    person = Person([says(answer="once")])
    async with serve(tools=[erase]) as served, connect(served, era, elicitation_callback=person) as client:
        assert client.protocol_version == ERAS[era]
        assert "erase" in {one.name for one in (await client.list_tools()).tools}
        assert text_of(await client.call_tool("erase", {"name": "a"})) == "erased a"
    assert len(person.asked) == 1


async def test_another_agent_has_a_path_of_its_own(serve: Serve) -> None:
    async with serve(tools=[erase], agents__reader__tools__allow=["read_file"]) as served:
        await served.app.store.agents.save("reader", {})
        await served.app.refresh()
        async with connect(served, "auto", "mcp/reader") as client:
            assert [one.name for one in (await client.list_tools()).tools] == ["read_file"]


async def status(served: Served, path: str = "/mcp", **headers: str) -> int:
    async with httpx2.AsyncClient(base_url=served.server.address, trust_env=False) as client:
        sent = {**HEADERS, **headers}
        return (await client.post(path, content=json.dumps(LIST), headers=sent)).status_code


REFUSED: dict[str, tuple[int, dict[str, str]]] = {
    "another host": (421, {"host": "evil.example"}),
    "another origin": (403, {"origin": "http://evil.example"}),
    "no token": (401, {"authorization": ""}),
    "a wrong token": (401, {"authorization": "Bearer x"}),
}


@pytest.mark.parametrize("what", REFUSED)
async def test_it_is_refused(serve: Serve, what: str) -> None:
    async with serve() as served:
        token = {"authorization": f"Bearer {make_token(served)}"}
        assert await status(served, **token) == 200
        assert await status(served, **{**token, **REFUSED[what][1]}) == REFUSED[what][0]


@pytest.mark.parametrize("what", REFUSED)
async def test_without_the_check_it_would_be_answered(
    serve: Serve,
    monkeypatch: pytest.MonkeyPatch,
    what: str,
) -> None:
    """The twin."""
    monkeypatch.setattr(RequestGate, "_check", lambda self, scope: None)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    async with serve() as served:
        assert await status(served, **REFUSED[what][1]) == 200


async def test_the_cookie_of_a_browser_opens_nothing(
    serve: Serve,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with serve() as served:
        cookie = "; ".join(f"{name}={value}" for name, value in served.client.cookies.items())
        given = {"cookie": cookie, "x-oneclaw": "1"}
        assert await status(served, **given) == 401
        monkeypatch.setattr(request_gate, "MCP", "/elsewhere")  # the twin: as any path that is no API
        assert await status(served, **given) == 200


async def test_an_agent_that_is_not_there_is_not_found(serve: Serve) -> None:
    async with serve() as served:
        token = {"authorization": f"Bearer {make_token(served)}"}
        assert await status(served, "/mcp/nobody", **token) == 404
