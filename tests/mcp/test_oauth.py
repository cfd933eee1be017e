"""Signing in at an MCP server: authorization code on loopback, registration, refresh, kept tokens."""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest
from tests.mcp.servers import approve, call, config_of, listening_server

from oneclaw import App
from oneclaw.core.errors import InvalidConfig
from oneclaw.guard.outside_mark import unmarked
from oneclaw.guard.secret.secrets import read_secrets
from oneclaw.operations.mcp import list_servers, sign_in, sign_out

pytestmark = pytest.mark.slow


@asynccontextmanager
async def guarded_server(seconds: int) -> AsyncGenerator[str]:
    words = (sys.executable, "-m", "tests.mcp.oauth_server")
    async with listening_server(lambda port: (*words, str(port), str(seconds))) as address:
        yield address


def visit(url: str) -> None:
    """What a browser does: open the page and follow where it leads."""
    with urlopen(url) as page:
        page.read()


async def test_a_person_signs_in_and_tokens_are_kept_refreshed_and_forgotten(tmp_path: Path) -> None:
    async with guarded_server(2) as url:
        config = config_of(tmp_path, {"test": {"url": url}})
        with pytest.raises(InvalidConfig, match="you must sign in first: oneclaw mcp login test"):
            await approve(config)

        async with App(config).looking() as app:
            opened: list[asyncio.Future[None]] = []
            await sign_in(
                app, "test", lambda page: opened.append(asyncio.ensure_future(asyncio.to_thread(visit, page)))
            )
            await asyncio.gather(*opened)
        secrets = config.secrets_file
        assert secrets.stat().st_mode & 0o077 == 0
        first = json.loads(read_secrets(secrets)["MCP_TEST_OAUTH"])["tokens"]["access_token"]

        await approve(config)
        async with App(config) as app:
            assert unmarked((await call(app, "test_echo", text="hi")).text) == "hi"
            assert unmarked((await call(app, "test_echo", text=first)).text) != first, "tokens are masked"
            while json.loads(read_secrets(secrets)["MCP_TEST_OAUTH"])["tokens"]["access_token"] == first:
                assert (await call(app, "test_echo", text="until the token runs out")).ok
                await asyncio.sleep(0.1)
            assert (await call(app, "test_echo", text="with the next token")).ok
        async with App(config) as app:  # a program that starts later
            assert (await call(app, "test_echo", text="later")).ok
            assert sign_out(app, "test")
        async with App(config).looking() as app:
            [record] = await list_servers(app)
            assert "you must sign in first" in record.problem
