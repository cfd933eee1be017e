"""The names of the MCP SDK that the client uses; no other file of the client imports it.

The SDK takes more than a second to load, so this file is loaded when a server is first connected.
"""

import anyio
import httpx2
import mcp_types as types
from mcp.client import auth
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared import auth as shared_auth
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
    "auth",
    "httpx2",
    "methods",
    "shared_auth",
    "streamable_http_client",
    "types",
]
