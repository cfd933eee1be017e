"""What happened, past tense: the engine emits these, whoever wants to know listens."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from oneclaw.core.call import ToolResult


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A call passed every check and its work began."""

    call_id: str
    tool: str
    session: str
    agent: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolProgressed:
    """A running tool said how far it is."""

    call_id: str
    tool: str
    session: str
    text: str
    fraction: float | None


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A call got its result, whether it ran or was refused."""

    call_id: str
    tool: str
    session: str
    agent: str
    result: ToolResult


@dataclass(frozen=True, slots=True)
class PermissionAsked:
    """A person is being asked; `prompt_id` is what the answer names."""

    prompt_id: str
    call_id: str
    tool: str
    session: str
    agent: str
    need: str
    text: str


@dataclass(frozen=True, slots=True)
class PermissionAnswered:
    """A prompt got its one answer: a person's, a timeout's, or nobody's."""

    prompt_id: str
    call_id: str
    answer: str


Event = ToolStarted | ToolProgressed | ToolFinished | PermissionAsked | PermissionAnswered
Emit = Callable[[Event], None]
