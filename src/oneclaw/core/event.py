"""Events of calls and questions, emitted by the engine."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from oneclaw.core.call import ToolResult
from oneclaw.core.fast_init import fast_init


@fast_init
@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A call passed every check and its work began; `parent` is the call that made it, if one did.

    `label` is the tool's name for people.
    """

    call_id: str
    tool: str
    session: str
    agent: str
    arguments: dict[str, Any]
    parent: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class ToolProgressed:
    """A running tool said how far it is."""

    call_id: str
    tool: str
    session: str
    text: str
    fraction: float | None


@fast_init
@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A call got its result, whether it ran or was refused; `arguments` are those of one that never ran.

    `label` is the tool's name for people; `call_number` is its number in the journal, 0 without one.
    """

    call_id: str
    tool: str
    session: str
    agent: str
    result: ToolResult
    parent: str = ""
    arguments: dict[str, Any] | None = None
    label: str = ""
    call_number: int = 0


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """A person is being asked; `question_id` is what the answer names.

    `need` is what a permission is for, `answers` those that can be given, `schema` that of a form; `diff` is
    what the call would change in a file.
    """

    question_id: str
    call_id: str
    tool: str
    session: str
    agent: str
    need: str
    text: str
    kind: str = "permission"
    answers: tuple[str, ...] = ()
    schema: Mapping[str, Any] | None = None
    expires: float = 0.0
    diff: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class QuestionAnswered:
    """A question got its one answer: a person's, a timeout's, or nobody's.

    `answer` says which; `value` is the answer to a choice, a text or a form.
    """

    question_id: str
    call_id: str
    session: str
    answer: str
    value: Any = None


Event = ToolStarted | ToolProgressed | ToolFinished | QuestionAsked | QuestionAnswered
Emit = Callable[[Event], None]


log = logging.getLogger("oneclaw")


class Listeners:
    """Those who are told of events: of every one, or of those of one session. A failure stops no other."""

    __slots__ = ("_every", "_of")

    def __init__(self) -> None:
        self._every: tuple[Emit, ...] = ()
        self._of: dict[str, tuple[Emit, ...]] = {}

    def add(self, listener: Emit, session: str | None = None) -> Callable[[], None]:
        """Have `listener` told of every event, or of those of one session; returns what ends that."""
        if session is None:
            self._every = (*self._every, listener)
        else:
            self._of[session] = (*self._of.get(session, ()), listener)
        return partial(self._remove, listener, session)

    def _remove(self, listener: Emit, session: str | None) -> None:
        if session is None:
            self._every = _without(self._every, listener)
        elif session in self._of:
            self._of[session] = _without(self._of[session], listener)
            if not self._of[session]:
                del self._of[session]

    def hear(self, session: str) -> bool:
        """Whether anybody is told of the events of this session."""
        return bool(self._every) or session in self._of

    def emit(self, event: Event) -> None:
        listeners, every = self._of.get(event.session), self._every
        for listener in every if listeners is None else (*listeners, *every) if every else listeners:
            try:
                listener(event)
            except Exception:
                log.exception("A listener failed on %s", type(event).__name__)


def _without(listeners: tuple[Emit, ...], listener: Emit) -> tuple[Emit, ...]:
    return tuple(one for one in listeners if one is not listener)
