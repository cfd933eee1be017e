"""Lists, shows and switches tools for an agent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oneclaw.core.define.lint import lint
from oneclaw.core.errors import NotFound
from oneclaw.core.permit.need import State, needs_of
from oneclaw.core.permit.policy import GROUP
from oneclaw.core.registry import nearest
from oneclaw.core.session import Session
from oneclaw.js.work import JavaScriptWork
from oneclaw.operations.features import feature_names

if TYPE_CHECKING:
    from oneclaw.app import App
    from oneclaw.core.define.lint import Finding
    from oneclaw.core.tool import Tool, ToolDefinition


@dataclass(frozen=True, slots=True)
class ToolState:
    """A tool as it stands for an agent.

    label   its name for people
    needs   the powers it declares, and those that the mode has asked for besides
    asks    those of them that a person is asked for
    denied  those of them that are denied
    place   the file it comes from, where it is one
    """

    name: str
    label: str
    on: bool
    why_off: str
    needs: tuple[str, ...]
    asks: tuple[str, ...]
    denied: tuple[str, ...]
    group: str | None
    feature: str
    switchable: bool
    effect: str
    origin: str
    place: str
    description: str


@dataclass(frozen=True, slots=True)
class ToolDetails:
    """A tool, whole; `refused` is what some providers refuse of its schema."""

    state: ToolState
    definition: "ToolDefinition"
    signature: str
    runs: str
    refused: "Sequence[Finding]"


def find_tool(app: "App", name: str) -> "Tool":
    """The tool of a name; raises `NotFound`."""
    entry = app.registry.find(name)
    if entry is not None:
        return entry.tool
    near = nearest(name, [tool.name for tool in app.registry])
    hint = "It is a feature: `oneclaw features` shows it." if name in feature_names(app) else ""
    raise NotFound("tool", name, "tools", near, hint)


async def list_tools(app: "App", agent: str = "default") -> list[ToolState]:
    return [await state_of(app, tool, agent) for tool in app.registry]


async def state_of(app: "App", tool: "Tool", agent: str) -> ToolState:
    definition, asker = tool.definition, Session(agent=agent)
    decision = app.policy.decide(definition, agent=agent, origin=tool.origin)
    states = {
        need: (await app.permissions.standing(definition, need, asker)).state
        for need in needs_of(definition)
        if need in definition.needs or app.permissions.state_of(need) is not State.GRANTED
    }
    return ToolState(
        name=definition.name,
        label=definition.label_in(),
        on=decision.allowed,
        why_off=decision.reason,
        needs=tuple(states),
        asks=tuple(need for need, state in states.items() if state is State.ASK),
        denied=tuple(need for need, state in states.items() if state not in (State.ASK, State.GRANTED)),
        group=definition.group,
        feature=definition.feature or "",
        switchable=definition.switchable,
        effect=definition.effect,
        origin=tool.origin,
        place=place_of(tool),
        description=definition.description,
    )


async def show_tool(app: "App", name: str, agent: str = "default") -> ToolDetails:
    """A tool, whole; raises `NotFound`."""
    tool = find_tool(app, name)
    entry = app.registry.find(tool.name)
    assert entry is not None
    definition = tool.definition
    places = {"thread": "in a thread", "process": "in a process"}
    runs = places.get(definition.isolation or "", "in the event loop")
    if isinstance(tool.execute, JavaScriptWork):
        runs = "in a JavaScript worker"
    refused = lint(definition.parameters, definition.name)
    state, signature = await state_of(app, tool, agent), entry.arguments.signature
    return ToolDetails(state, definition, signature, runs, refused)


async def switch_tools(app: "App", name: str, is_on: bool | None, agent: str = "default") -> list[ToolState]:
    """Switch a tool, or those of `group:NAME` that have a switch; None takes the owner's word back."""
    group = name.removeprefix(GROUP) if name.startswith(GROUP) else None
    tools = [tool for tool in app.registry if tool.definition.group == group and tool.definition.switchable]
    tools = tools or [find_tool(app, name)]
    for tool in tools:
        await app.switch(tool.name, is_on)
    return [await state_of(app, tool, agent) for tool in tools]


def place_of(tool: "Tool") -> str:
    """The file a tool from outside comes from, where it is known."""
    return str(getattr(tool.execute, "place", ""))
