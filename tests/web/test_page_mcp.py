"""The MCP servers on the page: started by a click, approved as seen, a change shown word by word."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.mcp.servers import RAW, local
from tests.web.browser import axe_script, browsing, needs_chromium
from tests.web.conftest import HEADERS, Serve, Served

pytestmark = pytest.mark.slow


def write(file: Path, description: str) -> None:
    tools = [
        {"name": "weigh", "description": description, "inputSchema": {"type": "object"}},
        {"name": "bad", "description": "Bad.", "inputSchema": {"type": "nonsense"}},
    ]
    file.write_text(json.dumps(tools))


def servers(file: Path) -> dict[str, Any]:
    return {"mcp": {"servers": {"scales": local(*RAW, "file", str(file))}}}


async def until_held(served: Served) -> dict[str, Any]:
    while True:
        (server,) = await served.get("/mcp")
        if any(tool["state"] == "held" for tool in server["tools"]):
            return server
        await asyncio.sleep(0.05)


async def test_an_approval_holds_for_what_was_seen_and_nothing_else(serve: Serve, tmp_path: Path) -> None:
    file = tmp_path / "tools.json"
    write(file, "Weigh one apple.")
    async with serve(**servers(file)) as served:
        (server,) = await served.get("/mcp")
        assert (server["state"], server["tools"]) == ("not approved", [])
        tried = await served.post("/mcp/scales/test")
        assert {tool["raw"]: tool["state"] for tool in tried["tools"]} == {
            "weigh": "held",
            "bad": "quarantined",
        }
        write(file, "Weigh everything.")
        body = {"digest": tried["digest"]}
        refused = await served.client.post("/api/mcp/scales/approve", json=body, headers=HEADERS)
        assert refused.status_code == 409
        assert "look again" in refused.text
        write(file, "Weigh one apple.")
        kept = await served.post("/mcp/scales/approve", **body)
        assert {tool["raw"]: tool["state"] for tool in kept["tools"]}["weigh"] == "on"
        write(file, "Weigh two apples.")
        (weigh,) = [tool for tool in (await until_held(served))["tools"] if tool["raw"] == "weigh"]
        words = [run for one in weigh["differences"] for run in one["words"] if run["change"] != "same"]
        assert {run["text"].strip() for run in words} >= {"one", "two"}


@needs_chromium
async def test_a_change_is_shown_word_by_word_and_approved(serve: Serve, tmp_path: Path) -> None:
    file = tmp_path / "tools.json"
    write(file, "Weigh one apple.")
    async with serve(**servers(file)) as served, browsing(served) as (page, seen):
        await page.evaluate("location.hash = '#/mcp'")
        await page.click("text=Start it and see its tools")
        await page.wait_for_selector("text=bad is in quarantine")
        await page.click("text=Approve all 1")
        await page.wait_for_selector("text=1 on · 0 held · 1 in quarantine")
        write(file, "Weigh two apples.")
        await until_held(served)
        await page.reload()
        await page.wait_for_selector(".words ins:has-text('two')")
        assert await page.locator(".words del").first.inner_text()
        await page.evaluate(axe_script())
        found = await page.evaluate("async () => (await axe.run()).violations.map((one) => one.id)")
        assert found == []
        await page.click("text=Approve it")
        await page.wait_for_selector("text=1 on · 0 held · 1 in quarantine")
        seen.check()


async def test_a_message_is_sent_while_a_server_is_configured(serve: Serve, tmp_path: Path) -> None:
    """A server is no folder of files: sending a message looks at those alone."""
    file = tmp_path / "tools.json"
    write(file, "Weigh one apple.")
    async with serve(["Hello."], **servers(file)) as served:
        assert (await served.post("/messages", text="Hi"))["session"]
