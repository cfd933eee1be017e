"""Policy: decides which tools exist for an agent, and explains why.

A tool exists for an agent when all gates are open; the first closed one, in this order, is the reason:

    machine  this machine has what the tool needs
    feature  the tool names no feature, or the feature is on (one that nobody mentions is off; one that has
             the name of a tool is on when that tool is switched on)
    switch   the tool is on: by its switch, else by its own default (some go with their feature alone)
    agents   the tool is for all agents, or for this one (then no allow list has to name it)
    deny     no deny list names it: everyone's, the agent's, its plugin's; a deny always wins
    allow    the allow lists that count name it

Which allow lists count: the narrower ones replace everyone's; where both of them speak, both must name it.
`-` is a list nobody wrote, `+` one that names the tool, `0` one that does not (an empty list names nothing):

    everyone  agent  plugin  exists
    -         -      -       yes
    +         -      -       yes
    0         -      -       no
    any       +      -       yes   the agent's list replaces everyone's
    any       0      -       no
    any       -      +       yes   so does the plugin's
    any       -      0       no
    any       +      +       yes   the agent may have it and the plugin may offer it
    any       +      0       no
    any       0      +       no
    any       0      0       no

So `tools.allow = ["read_*"]` with `agents.writer.tools.allow = ["write_file"]` gives the writer write_file
and nothing else, unless some deny list names write_file. An allow list does not switch a tool on.

An entry of a list is a tool's name, a glob (`file*`, `*`) or a group (`group:files`).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Literal

from oneclaw.core.tool import Tool, ToolDefinition

GROUP = "group:"
_REMEMBERED = 200_000


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules of one scope. `allow` is None when unset; an empty one allows nothing."""

    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a tool exists for an agent; `reason` names the rule when it does not."""

    allowed: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PolicyStep:
    """One gate or list that was looked at: the setting, the entry that matched, and what came of it."""

    setting: str
    entry: str
    verdict: Literal["passes", "refuses", "replaced"]
    text: str


@dataclass(frozen=True, slots=True)
class Why:
    """The chain of decisions for one tool and agent, the step that decided, and one sentence."""

    tool: str
    agent: str
    allowed: bool
    steps: tuple[PolicyStep, ...]
    decided: PolicyStep
    text: str


@dataclass(frozen=True, slots=True)
class Unused:
    """An entry of the settings that matches no tool: most likely a slip of the pen."""

    setting: str
    entry: str


@dataclass(frozen=True, slots=True)
class Policy:
    """The owner's rules, as data: to change them, make another policy. Plugins are named as `Tool.origin`."""

    everyone: Rules = Rules()
    agents: Mapping[str, Rules] = field(default_factory=dict[str, Rules])
    plugins: Mapping[str, Rules] = field(default_factory=dict[str, Rules])
    switches: Mapping[str, bool] = field(default_factory=dict[str, bool])
    features: Mapping[str, bool] = field(default_factory=dict[str, bool])
    sources: Mapping[str, str] = field(default_factory=dict[str, str])
    """By whose word a switch or feature is as it is, where that is not the setting of its name."""
    find: Callable[[str], Tool] | None = field(default=None, repr=False, compare=False)
    """Gives the tool of a name, and raises where there is none."""
    _known: dict[tuple[str, str, str], tuple[ToolDefinition, Decision]] = field(
        default_factory=dict[tuple[str, str, str], tuple[ToolDefinition, Decision]],
        init=False,
        repr=False,
        compare=False,
    )

    def decide(self, definition: ToolDefinition, agent: str, origin: str = "") -> Decision:
        """Whether the tool exists for the agent. Remembered until the tool's definition is another one."""
        key = (definition.name, agent, origin)
        known = self._known.get(key)
        if known is not None and known[0] is definition:
            return known[1]
        why = self.why(definition, agent=agent, origin=origin)
        decision = Decision(why.allowed, "" if why.allowed else why.decided.text)
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[key] = (definition, decision)
        return decision

    def why(self, definition: ToolDefinition | str, *, agent: str = "default", origin: str = "") -> Why:
        """Every gate that was looked at, in order, and the step that decided.

        A name is looked up by `find`. A policy without one judges the name alone: lists that name groups and
        features pass it by, so ask `Engine.why` or `App.why` where there is one.
        """
        if isinstance(definition, str):
            tool = None if self.find is None else self.find(definition)
            definition = ToolDefinition(name=definition) if tool is None else tool.definition
            origin = origin if tool is None else tool.origin
        steps = (
            *self._gates(definition, agent),
            *self._denials(definition, agent, origin),
            *self._allows(definition, agent, origin),
        )
        refusals = [step for step in steps if step.verdict == "refuses"]
        counted = [step for step in steps if step.verdict != "replaced"]
        decided = refusals[0] if refusals else counted[-1]
        which = "is not available" if refusals else "is available"
        text = f"{definition.name} {which} to agent {agent}: {decided.text}"
        return Why(definition.name, agent, not refusals, steps, decided, text)

    def unused(self, definitions: Iterable[ToolDefinition]) -> list[Unused]:
        """Entries, switches and features that match none of the tools there are."""
        tools = list(definitions)
        scopes = {"tools": self.everyone}
        scopes |= {f"agents.{name}.tools": rules for name, rules in self.agents.items()}
        scopes |= {f"plugins.{name}.tools": rules for name, rules in self.plugins.items()}
        found = [
            Unused(f"{setting}.{which}", entry)
            for setting, rules in scopes.items()
            for which, entries in (("allow", rules.allow or ()), ("deny", rules.deny))
            for entry in unused(entries, tools)
        ]
        names = {name for tool in tools if tool.switchable for name in (tool.name, *tool.aliases)}
        features = {tool.feature for tool in tools}
        found += [Unused("switches", name) for name in self.switches if name not in names]
        found += [Unused("features", name) for name in self.features if name not in features]
        return found

    def _scopes_of(self, agent: str, origin: str) -> list[tuple[str, Rules]]:
        scopes = [("tools", self.everyone)]
        if agent in self.agents:
            scopes.append((f"agents.{agent}.tools", self.agents[agent]))
        if origin in self.plugins:
            scopes.append((f"plugins.{origin}.tools", self.plugins[origin]))
        return scopes

    def _gates(self, definition: ToolDefinition, agent: str) -> list[PolicyStep]:
        steps: list[PolicyStep] = []
        missing = "" if definition.missing is None else definition.missing()
        if missing:
            steps.append(PolicyStep("machine", definition.name, "refuses", missing))
        feature = definition.feature
        if feature is not None:
            is_on = self.features.get(feature, self.switches.get(feature, False))
            source = self.sources.get(f"features.{feature}", "")
            by = f" by {source}" if source else ""
            text = f"the feature {feature} is {'on' if is_on else 'off'}{by}."
            steps.append(PolicyStep(f"features.{feature}", feature, _verdict(is_on), text))
        if definition.switchable:
            said = [name for name in (definition.name, *definition.aliases) if name in self.switches]
            is_on = self.switches[said[0]] if said else definition.default_on
            setting = f"switches.{said[0]}" if said else ""
            whose = self.sources.get(setting, setting) or "its own default"
            text = f"it is switched {'on' if is_on else 'off'} by {whose}."
            steps.append(PolicyStep(f"switches.{definition.name}", definition.name, _verdict(is_on), text))
        if definition.agents is not None:
            has = agent in definition.agents
            others = f"it belongs to the agents {', '.join(definition.agents)}."
            text = "it is the agent's." if has else others
            steps.append(PolicyStep("agents", agent, _verdict(has), text))
        return steps

    def _denials(self, definition: ToolDefinition, agent: str, origin: str) -> list[PolicyStep]:
        return [
            PolicyStep(f"{scope}.deny", entry, "refuses", f'{scope}.deny has "{entry}".')
            for scope, rules in self._scopes_of(agent, origin)
            if (entry := match(rules.deny, definition)) is not None
        ]

    def _allows(self, definition: ToolDefinition, agent: str, origin: str) -> list[PolicyStep]:
        if definition.agents is not None:
            return [PolicyStep("agents", agent, "passes", f"the agent {agent} names it itself.")]
        lists = [
            (f"{scope}.allow", rules.allow)
            for scope, rules in self._scopes_of(agent, origin)
            if rules.allow is not None
        ]
        if not lists:
            return [PolicyStep("tools.allow", "", "passes", "no list limits it.")]
        is_narrowed = any(setting != "tools.allow" for setting, _ in lists)
        return [_allow(setting, entries, definition, is_narrowed) for setting, entries in lists]


def match(entries: Iterable[str], definition: ToolDefinition) -> str | None:
    """The first entry that names the tool, or None."""
    for entry in entries:
        if entry.startswith(GROUP):
            if definition.group and fnmatchcase(definition.group, entry[len(GROUP) :]):
                return entry
        elif any(fnmatchcase(name, entry) for name in (definition.name, *definition.aliases)):
            return entry
    return None


def unused(entries: Iterable[str], definitions: Iterable[ToolDefinition]) -> list[str]:
    """The entries that name none of the tools."""
    tools = list(definitions)
    return [entry for entry in entries if not any(match((entry,), tool) for tool in tools)]


def _allow(setting: str, entries: Iterable[str], definition: ToolDefinition, is_narrowed: bool) -> PolicyStep:
    entry = match(entries, definition)
    if setting == "tools.allow" and is_narrowed:
        return PolicyStep(setting, entry or "", "replaced", "tools.allow is replaced by a narrower list.")
    if entry is None:
        return PolicyStep(setting, "", "refuses", f"{setting} does not name it.")
    return PolicyStep(setting, entry, "passes", f'{setting} has "{entry}".')


def _verdict(is_on: bool) -> Literal["passes", "refuses"]:
    return "passes" if is_on else "refuses"
