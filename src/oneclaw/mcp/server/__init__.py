"""Serves the tools of an agent to MCP clients."""
