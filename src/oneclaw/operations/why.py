"""Explains whether an agent may call a tool, and by which rules."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from oneclaw.agent.small import SmallModel
from oneclaw.core.errors import ToolError
from oneclaw.core.permit.need import PERSON, Mode, State, needs_of
from oneclaw.core.permit.need_status import NeedStatus
from oneclaw.core.permit.policy import PolicyStep, Why
from oneclaw.core.session import Network, Session
from oneclaw.operations.features import how_to_switch_on
from oneclaw.operations.tools import find_tool

if TYPE_CHECKING:
    from oneclaw.app import App
    from oneclaw.core.tool import ToolDefinition


@dataclass(frozen=True, slots=True)
class Explanation:
    """The decision on a tool, how its needs stand, what is said of the arguments, and what to do about it."""

    why: Why
    standings: tuple[NeedStatus, ...]
    notes: tuple[str, ...]
    mode: Mode
    remedy: str

    @property
    def denied(self) -> tuple[str, ...]:
        return tuple(one.need for one in self.standings if one.is_denied)

    @property
    def asks(self) -> tuple[str, ...]:
        """The needs for which a call waits for a person's yes."""
        return tuple(one.need for one in self.standings if one.state is State.ASK)

    @property
    def text(self) -> str:
        """One sentence; a tool that is there but denied a need is of no use to the agent."""
        why = self.why
        if why.allowed and self.asks and not self.denied:
            asked = ", ".join(self.asks)
            return f"{why.tool} asks: agent {why.agent} has it, and a person is asked for {asked}."
        if why.allowed and self.denied:
            denied = ", ".join(self.denied)
            return f"{why.tool} is there for agent {why.agent}, but its calls are refused: {denied} denied."
        return why.text


async def explain(
    app: "App",
    name: str,
    agent: str = "default",
    arguments: Mapping[str, Any] | str = "",
    *,
    is_attended: bool = False,
) -> Explanation:
    """Why a tool may or may not be called; raises `NotFound`, and `ToolError` for wrong arguments.

    `is_attended` says whether a person at this door can answer a question.
    """
    tool = find_tool(app, name)
    why = app.policy.why(tool.definition, agent=agent, origin=tool.origin)
    if PERSON in tool.definition.needs:
        why = _answerable(why, is_attended, app.permissions.mode == "deny")
    standings, notes = await _foresee(app, tool.definition, agent, arguments)
    if small := SmallModel(app.catalog, app.agents, agent).note:
        notes.append(small)
    return Explanation(why, tuple(standings), tuple(notes), app.permissions.mode, _remedy(app, why))


def _answerable(why: Why, is_attended: bool, is_denied: bool) -> Why:
    """The decision on a tool that asks a person, for a run that is started at this door."""
    text = "it asks a person, and one at this terminal can answer."
    if is_denied:
        text = "it asks a person, and in the mode deny nobody is asked."
    elif not is_attended:
        text = (
            "it asks a person, and nobody can answer: this is no terminal, and a run that is started here"
            " does not wait (setting questions.wait)."
        )
    is_there = is_attended and not is_denied
    step = PolicyStep("questions.wait", why.tool, "passes" if is_there else "refuses", text)
    why = replace(why, steps=(*why.steps, step))
    if is_there or not why.allowed:
        return why
    said = f"{why.tool} is not available to agent {why.agent}: {text}"
    return replace(why, allowed=False, decided=step, text=said)


async def _foresee(
    app: "App", definition: "ToolDefinition", agent: str, given: Mapping[str, Any] | str
) -> tuple[list[NeedStatus], list[str]]:
    """How the needs of such a call stand, and what is said of it."""
    from oneclaw.core.check.arguments import ArgumentCheck
    from oneclaw.guard.network.gate import NEED

    asker, permissions, notes = Session(agent=agent), app.permissions, list[str]()
    if not given:
        standings = [await permissions.standing(definition, need, asker) for need in needs_of(definition)]
    else:
        arguments = ArgumentCheck(definition).check(given).arguments
        standings, notes = await permissions.foresee(definition, arguments, asker)
        url = arguments.get("url")
        if "network" in definition.needs and isinstance(url, str):
            for reason in await _private_hosts_of(app, url):
                standings.append(await permissions.standing(definition, NEED, asker, arguments, reason))
                notes.append(reason)
    worth_saying = [
        one
        for one in standings
        if one.need in definition.needs or one.grant is not None or one.state is not State.GRANTED
    ]
    return worth_saying, notes


async def _private_hosts_of(app: "App", url: str) -> list[str]:
    """Why the host of an address is not public, if its text tells; nothing is looked up or connected to."""
    from oneclaw.guard.network.gate import Gate
    from oneclaw.guard.network.url import parse

    reasons: list[str] = []

    async def note(host: str, why: str) -> None:
        reasons.append(f"{host} is not public: it is {why}.")

    async def resolve(host: str, port: int) -> list[str]:
        return []

    listed = app.config.settings.network.private_hosts
    with suppress(ToolError):  # a name that is looked up when it is called, or what the tool itself refuses
        target = parse(url)
        gate = Gate(Network(private_hosts=listed), note, resolve)
        await gate.admit(target.host, target.port, target.is_odd)
    return reasons


def _remedy(app: "App", why: Why) -> str:
    if why.allowed:
        return ""
    if why.decided.setting == f"switches.{why.tool}":
        return f"`oneclaw tools on {why.tool}` switches it on."
    if why.decided.setting == f"features.{why.decided.entry}":
        return how_to_switch_on(app, why.decided.entry)
    return ""
