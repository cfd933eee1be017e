"""The names of the MCP SDK that the client uses; no other file of the client imports it.

The SDK takes more than a second to load, so this file is loaded when a server is first connected.
"""

import anyio
import httpx2
import mcp_types as types
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types import methods
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

__all__ = [
    "MODERN_PROTOCOL_VERSIONS",
    "Client",
    "MCPError",
    "SessionMessage",
    "ValidationError",
    "anyio",
    "httpx2",
    "methods",
    "streamable_http_client",
    "types",
]
