"""Answers of the agent's own model to what MCP servers ask of a model (sampling), within limits.

It is done only for a server whose settings allow it, and only while a call of the agent runs there. The
answer counts for the run: its tokens and its cost are spent.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from oneclaw.core.errors import describe
from oneclaw.core.message import AssistantMessage, Message, TextPart, UserMessage
from oneclaw.core.session import Session
from oneclaw.mcp.client.mcp_calls import McpCalls
from oneclaw.mcp.client.sdk import types

AskModel = Callable[[Session, Sequence[Message], str, int], Awaitable[AssistantMessage]]
"""Asks the model that runs in a session: messages, instructions, and the most tokens of the answer."""

MOST_TOKENS = 4_096
MOST_CHARS = 100_000
PER_CALL = 5


async def sample(ask: AskModel, calls: McpCalls, params: Any) -> Any:
    """The answer of the model, in the form that the protocol wants, or why there is none."""
    call = calls.asking()
    if call is None:
        return _refused("no call is running that this could belong to")
    if call.samples >= PER_CALL:
        return _refused(f"a call may ask a model {PER_CALL} times")
    messages, instructions = _messages(params), params.system_prompt or ""
    if sum(len(_text(each)) for each in messages) + len(instructions) > MOST_CHARS:
        return _refused(f"a request has at most {MOST_CHARS:,} characters")
    if not messages or not isinstance(messages[-1], UserMessage):
        return _refused("the last message must be text of the user")
    call.samples += 1
    with call.paused():
        try:
            most = min(params.max_tokens, MOST_TOKENS)
            said = await ask(call.context.session, messages, instructions, most)
        except Exception as error:
            return _refused(describe(error))
    return types.CreateMessageResult(
        role="assistant", content=types.TextContent(text=said.text), model=said.model, stop_reason="endTurn"
    )


def _messages(params: Any) -> list[Message]:
    made: list[Message] = []
    for one in params.messages:
        text = "\n".join(str(block.text) for block in one.content_as_list if block.type == "text")
        made.append(UserMessage(text) if one.role == "user" else AssistantMessage((TextPart(text),)))
    return made


def _text(message: Message) -> str:
    return message.text if isinstance(message, UserMessage | AssistantMessage) else ""


def _refused(why: str) -> Any:
    return types.ErrorData(code=types.INVALID_REQUEST, message=f"The model was not asked: {why}.")
