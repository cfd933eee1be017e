"""Requests of the API for MCP servers: their state, a trial, and the approval of what a person has seen."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from oneclaw.core.errors import OneClawError
from oneclaw.operations import mcp
from oneclaw.web.endpoint import Endpoint

if TYPE_CHECKING:
    from oneclaw.app import App

Given = Mapping[str, Any]


async def list_servers(app: "App", given: Given) -> Any:
    return [_shown(record) for record in await mcp.list_servers(app)]


async def test_server(app: "App", given: Given) -> Any:
    """Start a server, or connect to it, and list what it offers; nothing is approved."""
    async with mcp.try_server(app, given["server"]) as trial:
        return _shown(trial.record)


async def approve_server(app: "App", given: Given) -> Any:
    """Approve tools as they were seen; without names, all that are not quarantined."""
    async with mcp.try_server(app, given["server"]) as trial:
        if _digest(trial.record) != given["digest"]:
            raise OneClawError(f"{given['server']} offers other tools than those you saw; look again.")
        trial.approve(given["tools"])
    await app.reload()
    return _shown(await mcp.show_server(app, given["server"]))


def _shown(record: mcp.McpServerRecord) -> dict[str, Any]:
    return {**asdict(record), "digest": _digest(record)}


def _digest(record: mcp.McpServerRecord) -> str:
    """The hash of what a person sees of the tools: an approval names it, and holds for nothing else."""
    seen = [(tool.raw, tool.title, tool.description, tool.differences) for tool in record.tools]
    return hashlib.sha256(json.dumps(seen, default=asdict).encode()).hexdigest()


MCP_ENDPOINTS = (
    Endpoint("GET", "/mcp", "List MCP servers", list_servers),
    Endpoint("POST", "/mcp/{server}/test", "Try an MCP server", test_server),
    Endpoint(
        "POST",
        "/mcp/{server}/approve",
        "Approve tools of an MCP server",
        approve_server,
        body={
            "digest": {"type": "string", "maxLength": 64},
            "tools": {"type": "array", "items": {"type": "string", "maxLength": 200}, "default": []},
        },
        required=("digest",),
    ),
)
