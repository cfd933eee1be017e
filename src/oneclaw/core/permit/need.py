"""Needs: the powers tools ask for, and their default states."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from oneclaw.core.settings.tree import Mode
from oneclaw.core.tool import ToolDefinition

MODES: dict[Mode, str] = {
    "auto": "Calls run; needs that must ask are asked for.",
    "ask": "As auto, and every call that does not only read is confirmed.",
    "deny": "Nobody is asked; what would ask, and every call that does not only read, is denied.",
}
CHANGES = "changes"
OVERWRITE = "files.overwrite"
MCP = "mcp"
"""The need of tools of MCP servers: nobody here knows what they do."""
PERSON = "person"
"""The need of tools that ask a person; available only where one can answer."""


class State(StrEnum):
    """How a need stands for a call."""

    GRANTED = "granted"
    ASK = "ask"
    DENIED = "denied"
    DENIED_FOR_GOOD = "denied_for_good"


@dataclass(frozen=True, slots=True)
class Need:
    """A power a tool may need: what it lets a tool do, and how it stands where nobody has said.

    `narrower` says how the owner allows a part of it, where that can be said.
    """

    name: str
    meaning: str
    state: State
    narrower: str = ""


NEEDS: dict[str, Need] = {
    need.name: need
    for need in (
        Need("files.read", "read files in the workspace", State.GRANTED),
        Need("files.write", "make and change files in the workspace", State.GRANTED),
        Need(OVERWRITE, "replace a file that is there by moving, copying or the tiny model", State.ASK),
        Need("files.delete", "delete files and folders in the workspace", State.ASK),
        Need("files.protected", "write files that your own programs run or obey", State.ASK),
        Need("network", "reach public hosts on the internet", State.GRANTED),
        Need(
            "network.private",
            "reach this machine or hosts of a private network",
            State.ASK,
            "list the host in network.private_hosts (the shell has all or nothing)",
        ),
        Need(
            "shell",
            "run programs on this machine",
            State.ASK,
            "list the command in shell.allow",
        ),
        Need("code", "run scripts that a model wrote", State.ASK),
        Need("location", "learn where this machine is", State.ASK),
        Need("notify", "show notifications", State.GRANTED),
        Need("calendar", "read and change calendars", State.ASK),
        Need("mail", "read and send mail", State.ASK),
        Need("browser", "steer a web browser", State.ASK),
        Need(
            "sessions.read", "read other conversations of the agent, and of agents it may ask", State.GRANTED
        ),
        Need("sessions.write", "write into other conversations of the agent", State.ASK),
        Need(MCP, "use tools of other programs (MCP servers)", State.ASK),
        Need(PERSON, "ask you questions", State.GRANTED),
        Need(CHANGES, "do something that is not only reading", State.GRANTED),
    )
}
"""The needs we know. One that a tool declares and nobody knows is asked for."""


def needs_of(definition: ToolDefinition) -> tuple[str, ...]:
    """Needs of a call: those declared, and `changes` unless it only reads."""
    changes = () if definition.effect == "read" else (CHANGES,)
    return tuple(dict.fromkeys((*definition.needs, *changes)))


def meaning_of(need: str) -> str:
    known = NEEDS.get(need)
    return "a power that OneClaw does not know, named by the tool" if known is None else known.meaning


def narrower_than(need: str) -> str:
    known = NEEDS.get(need)
    return "" if known is None else known.narrower


def base_state(need: str, mode: Mode, states: Mapping[str, State]) -> State:
    """How a need stands before any grant: DENIED where a grant could still allow it, else for good."""
    state = states.get(need)
    if state is None:
        known = NEEDS.get(need)
        must_confirm = need == CHANGES and mode != "auto"
        state = State.ASK if known is None or must_confirm else known.state
    elif state is State.DENIED:
        state = State.DENIED_FOR_GOOD
    return State.DENIED if state is State.ASK and mode == "deny" else state
