"""What comes of a model while it answers; the last is `Answered`, with the whole message."""

from dataclasses import dataclass

from oneclaw.core.message import AssistantMessage
from oneclaw.core.quick import quick


@quick
@dataclass(frozen=True, slots=True)
class TextAdded:
    """More text for the user."""

    text: str


@dataclass(frozen=True, slots=True)
class ThoughtAdded:
    """More of what the model thinks."""

    text: str


@quick
@dataclass(frozen=True, slots=True)
class CallBegun:
    """The model began to write a call. `index` tells the calls of one answer apart while they are written."""

    index: int
    tool: str


@quick
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


@quick
@dataclass(frozen=True, slots=True)
class Answered:
    """The answer is whole."""

    message: AssistantMessage


Progress = TextAdded | ThoughtAdded | CallBegun | ArgumentsAdded
Answer = Progress | AnswerRestarted | Answered
