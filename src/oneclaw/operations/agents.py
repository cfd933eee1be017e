"""Lists, saves and removes agents."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oneclaw.agent.document import read_agent, write_agent
from oneclaw.agent.small import SmallModel
from oneclaw.core.errors import InvalidConfig, NotFound
from oneclaw.core.permit.policy import match
from oneclaw.skills.block import TOOL as LOAD_SKILL

if TYPE_CHECKING:
    from oneclaw.agent.roster import Listed
    from oneclaw.app import App


@dataclass(frozen=True, slots=True)
class AgentState:
    """An agent as it stands: its model, the tools it may call, where it is written, what is wrong with it."""

    name: str
    model: str
    tools: tuple[str, ...]
    source: str
    place: str
    description: str
    problem: str
    skills: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeptAgent:
    """An agent that was kept in the store, and whether there was none of its name."""

    agent: AgentState
    is_new: bool


def list_agents(app: "App") -> list[AgentState]:
    return [_state(app, listed) for listed in app.agents.all().values()]


def agent_state(app: "App", name: str) -> AgentState:
    """One agent; raises `InvalidConfig` when there is none of this name, or it is written wrong."""
    return _state(app, app.agents.all()[app.agents.get(name).name])


def agent_document(app: "App", name: str) -> dict[str, Any]:
    """An agent as a document that `add_agent` takes; raises as `agent_state` does."""
    return write_agent(app.agents.get(name))


async def add_agent(app: "App", document: Mapping[str, Any], name: str, source: str) -> KeptAgent:
    """Keep an agent, in place of one of its name; raises `InvalidConfig`.

    name    what it is called where the document does not say
    source  where the document is from, as errors name it
    """
    agent = read_agent(document, name, source)
    is_new = await app.store.agents.get(agent.name) is None
    try:
        await app.store.agents.save(agent.name, {**document, "name": agent.name})
    except (TypeError, ValueError) as error:
        raise InvalidConfig(
            f"{source}: {error}; write texts, numbers, lists and tables, and no dates."
        ) from None
    await app.refresh()
    return KeptAgent(_state(app, app.agents.all()[agent.name]), is_new)


async def remove_agent(app: "App", name: str) -> None:
    """Forget an agent of the store; raises `NotFound`."""
    if await app.store.agents.remove(name):
        await app.refresh()
        return
    listed = app.agents.all().get(name)
    if listed is None:
        hint = "There is no such agent; `oneclaw agents` lists them."
    elif listed.source == "file":
        hint = f"It is written in {listed.place}; remove that file."
    else:
        hint = "It comes with OneClaw."
    raise NotFound("agent in the store named", name, "agents", hint=hint)


def _state(app: "App", listed: "Listed") -> AgentState:
    agent = listed.agent
    tools = () if agent is None else _tools_of(app, listed.name)
    return AgentState(
        name=listed.name,
        model="" if agent is None else agent.model or app.catalog.default or "",
        tools=tools,
        skills=tuple(app.skills.skills) if app.skills is not None and LOAD_SKILL in tools else (),
        source=listed.source,
        place=listed.place,
        description="" if agent is None else agent.description,
        problem=listed.problem,
    )


def _tools_of(app: "App", agent: str) -> tuple[str, ...]:
    """The tools an agent may call, by the rules that hold now, with the model it has."""
    only = SmallModel(app.catalog, app.agents, agent).tools
    return tuple(
        tool.name
        for tool in app.registry
        if app.policy.decide(tool.definition, agent=agent, origin=tool.origin).allowed
        and (only is None or match(only, tool.definition) is not None)
    )
