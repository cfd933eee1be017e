"""`ask_NAME`: an agent as a tool of another, in its own session, with no more rights than the caller."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from oneclaw.agent.agent import Agent
from oneclaw.core.call import Output
from oneclaw.core.errors import Kind, OneClawError, ToolError
from oneclaw.core.event import ToolStarted
from oneclaw.core.event_json import answer_json
from oneclaw.core.tool import Context, Tool, ToolDefinition

if TYPE_CHECKING:
    from oneclaw.agent.runs import Runs

DEEPEST = 4
SECONDS = 3_600.0
GRACE_SECONDS = 30.0
"""So that the run ends by its own limit, and what it found out is not lost."""


def delegate_tools(agents: Iterable[Agent], runs: "Callable[[], Runs]") -> list[Tool]:
    """One tool for each agent that another may ask; only those that name it have the tool.

    `runs` is asked for when one is called.
    """
    every = {agent.name: agent for agent in agents}
    askers: dict[str, list[str]] = {}
    for agent in every.values():
        for asked in agent.agents:
            if asked in every and asked != agent.name:
                askers.setdefault(asked, []).append(agent.name)
    return [_tool(every[asked], tuple(names), runs) for asked, names in sorted(askers.items())]


def tool_name(agent: str) -> str:
    return "ask_" + agent.replace("-", "_")


def _tool(agent: Agent, askers: tuple[str, ...], runs: "Callable[[], Runs]") -> Tool:
    about = agent.description or f"the agent {agent.name}"
    definition = ToolDefinition(
        name=tool_name(agent.name),
        label=f"Ask {agent.name}",
        description=(
            f"Ask another agent and wait for its answer: {about} It knows nothing of this conversation:"
            " say all that it needs."
        ),
        parameters={
            "type": "object",
            "properties": {
                "text": {"type": "string", "minLength": 1, "description": "What it is to do, in full."}
            },
            "required": ["text"],
            "additionalProperties": False,
        },
        group="agents",
        # Its own calls may change things, each permitted by itself: cut short, nobody knows which have.
        effect="unknown",
        output=None if agent.answer_type is None else agent.answer_type.schema,
        isolation="inline",
        seconds=(agent.limits.seconds or SECONDS) + GRACE_SECONDS,
        agents=askers,
    )

    async def execute(arguments: dict[str, Any], context: Context) -> Output:
        return await _ask(agent, arguments["text"], context, runs())

    return Tool(definition, execute, origin="agents")


async def _ask(agent: Agent, text: str, context: Context, runs: "Runs") -> Output:
    if len(context.session.line) >= DEEPEST:
        raise ToolError(
            f"Agents may ask each other {DEEPEST - 1} deep and no deeper; do the work with your own tools."
        )
    try:
        handle = await runs.start(agent, text, parent=context.session, pause=context.paused)
    except OneClawError as error:
        raise ToolError(f"The agent {agent.name} could not be asked: {error}") from error
    try:
        async for envelope in handle.events():
            if isinstance(envelope.event, ToolStarted):
                context.progress(f"{agent.name}: {envelope.event.tool}")
        finished = await handle.wait()
    except OneClawError as error:
        raise ToolError(f"The agent {agent.name} failed: {error}") from error
    finally:
        await handle.stop()
    if finished.reason == "failed":
        raise ToolError(f"The agent {agent.name} failed: {finished.error}", Kind.EXECUTION_ERROR)
    details = {"session": finished.session, "reason": finished.reason, "rounds": finished.rounds}
    if agent.answer_type is None:
        return Output(finished.text or finished.error, details=details)
    if finished.value is None and finished.error:
        raise ToolError(f"The agent {agent.name} gave no answer that fits: {finished.error}")
    return Output(answer_json(finished.value), details=details)
