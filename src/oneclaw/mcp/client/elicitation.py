"""Answers of people to what MCP servers ask while a call runs (elicitation)."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.text.display import one_line
from oneclaw.core.tool import Context
from oneclaw.mcp.client.mcp_calls import McpCalls
from oneclaw.mcp.client.sdk import types

OPENED, DECLINED = "I have opened it and finished there", "No"
TEXT_CHARS = 4_000
NO_CALL = "No call is running that this question could belong to."


async def elicit(server: str, calls: McpCalls, params: Any) -> Any:
    """The answer of a person, in the form that the protocol wants."""
    call = calls.asking()
    if call is None:
        return types.ErrorData(code=types.INVALID_REQUEST, message=NO_CALL)
    with call.paused():
        if isinstance(params, types.ElicitRequestURLParams):
            return await _ask_url(server, call.context, params)
        return await _ask_form(server, call.context, params)


async def _ask_form(server: str, context: Context, params: Any) -> Any:
    schema: Mapping[str, Any] = params.requested_schema
    text = f"The MCP server {server} asks: {one_line(params.message, TEXT_CHARS)}"
    try:
        given = await context.ask(text, schema={"type": "object", **schema})
    except ToolError as error:
        return types.ElicitResult(action=_action(error))
    return types.ElicitResult(action="accept", content=given)


async def _ask_url(server: str, context: Context, params: Any) -> Any:
    parts = urlsplit(str(params.url))
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return types.ElicitResult(action="decline")
    text = (
        f"The MCP server {server} asks you to open a page of {one_line(parts.hostname, 300)}:"
        f" {one_line(params.message, TEXT_CHARS)}\n{one_line(params.url, TEXT_CHARS)}"
    )
    try:
        given = await context.ask(text, options=(OPENED, DECLINED))
    except ToolError as error:
        return types.ElicitResult(action=_action(error))
    return types.ElicitResult(action="accept" if given == OPENED else "decline")


def _action(error: ToolError) -> Any:
    """A person who said no declined; where nobody was there or answered in time, the question is off."""
    is_no = error.kind is Kind.EXECUTION_ERROR and error.message.startswith("The person gave no answer")
    return "decline" if is_no else "cancel"
