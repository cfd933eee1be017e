"""Streaming progress of a model's answer; the last event is `Answered` with the whole message."""

from dataclasses import dataclass

from oneclaw.core.fast_init import fast_init
from oneclaw.core.message import AssistantMessage


@fast_init
@dataclass(frozen=True, slots=True)
class TextAdded:
    """More text for the user."""

    text: str


@dataclass(frozen=True, slots=True)
class ThoughtAdded:
    """More of what the model thinks."""

    text: str


@fast_init
@dataclass(frozen=True, slots=True)
class CallBegun:
    """The model began to write a call. `index` tells the calls of one answer apart while they are written."""

    index: int
    tool: str


@fast_init
@dataclass(frozen=True, slots=True)
class ArgumentsAdded:
    """More of the text of a call's arguments, as the model writes it."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class AnswerRestarted:
    """The request failed and is made again after a wait: what came of this answer so far is void.

    `reason` is one sentence, `attempt` the number of the one that follows (2 and up).
    """

    reason: str
    seconds: float
    attempt: int


@fast_init
@dataclass(frozen=True, slots=True)
class Answered:
    """The answer is whole."""

    message: AssistantMessage


AnswerProgress = TextAdded | ThoughtAdded | CallBegun | ArgumentsAdded
AnswerEvent = AnswerProgress | AnswerRestarted | Answered
