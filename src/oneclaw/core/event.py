"""What happened, past tense: the engine emits these, whoever wants to know listens."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from oneclaw.core.call import ToolResult
from oneclaw.core.quick import quick


@quick
@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A call passed every check and its work began; `parent` is the call that made it, if one did."""

    call_id: str
    tool: str
    session: str
    agent: str
    arguments: dict[str, Any]
    parent: str = ""


@dataclass(frozen=True, slots=True)
class ToolProgressed:
    """A running tool said how far it is."""

    call_id: str
    tool: str
    session: str
    text: str
    fraction: float | None


@quick
@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A call got its result, whether it ran or was refused; `arguments` are those of one that never ran."""

    call_id: str
    tool: str
    session: str
    agent: str
    result: ToolResult
    parent: str = ""
    arguments: dict[str, Any] | None = None


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


log = logging.getLogger("oneclaw")


class Listeners:
    """Those who are told of events, in the order they came. One that fails does not stop the others."""

    __slots__ = ("all",)

    def __init__(self) -> None:
        self.all: tuple[Emit, ...] = ()

    def add(self, listener: Emit) -> Callable[[], None]:
        """Have `listener` told of every event; returns the function that ends it."""
        self.all = (*self.all, listener)

        def remove() -> None:
            self.all = tuple(one for one in self.all if one is not listener)

        return remove

    def emit(self, event: Event) -> None:
        for listener in self.all:
            try:
                listener(event)
            except Exception:
                log.exception("A listener failed on %s", type(event).__name__)
