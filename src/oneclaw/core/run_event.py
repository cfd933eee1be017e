"""Events of a run besides answer progress and call events."""

from dataclasses import dataclass
from typing import Any, Literal

from oneclaw.core.answer import AnswerProgress, AnswerRestarted
from oneclaw.core.errors import OneClawError
from oneclaw.core.event import Event
from oneclaw.core.fast_init import fast_init
from oneclaw.core.message import AssistantMessage, Usage


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The model is about to be asked; `text` is what was said to it, empty where a run goes on."""

    session: str
    agent: str
    model: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class MessageQueued:
    """Somebody wrote while the run was going; the model reads it at its next round."""

    message_id: str
    text: str


@dataclass(frozen=True, slots=True)
class MessageRead:
    """A queued message is part of the conversation now."""

    message_id: str
    text: str


@dataclass(frozen=True, slots=True)
class MessageWithdrawn:
    """A queued message was taken back before the model read it."""

    message_id: str


@dataclass(frozen=True, slots=True)
class ModelSwitched:
    """A model failed and the next of the chain answers from here on."""

    failed: str
    model: str
    reason: str


@dataclass(frozen=True, slots=True)
class HistoryCompacted:
    """The window was made to fit: older messages summarised or dropped, results shortened.

    `count` is the number of messages, or of results that were shortened. The store has all of it.
    """

    how: Literal["summarised", "dropped", "shortened"]
    count: int
    tokens_before: int
    tokens_after: int


@fast_init
@dataclass(frozen=True, slots=True)
class AnswerFinished:
    """The model's answer is whole; it stands for all the pieces of it that came before."""

    message: AssistantMessage


@fast_init
@dataclass(frozen=True, slots=True)
class RoundFinished:
    """The model answered and every call of its answer has its result."""

    round: int
    message: AssistantMessage


@fast_init
@dataclass(frozen=True, slots=True)
class UsageCounted:
    """Usage of a request and of the run so far; `cost` in US dollars, None without prices."""

    model: str
    usage: Usage
    cost: float | None
    total: Usage
    total_cost: float | None


Reason = Literal[
    "done",
    "rounds",
    "repeats",
    "calls",
    "tokens",
    "cost",
    "seconds",
    "refusal",
    "length",
    "cut",
    "failed",
    "stopped",
]


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The run is over. `reason` is `done`, the limit that ended it, or `failed`.

    `text` is the answer, empty where there is none; `error` is one sentence on what went wrong.
    `value` is the structured answer of an agent that has an `output`: an object of its type; read back from
    the store, its plain JSON value.
    """

    session: str
    reason: Reason
    text: str
    rounds: int
    calls: int
    usage: Usage
    cost: float | None
    seconds: float
    error: str = ""
    value: Any = None

    @property
    def is_answer(self) -> bool:
        """Whether `text` is an answer of the model, be it cut short by a limit."""
        return bool(self.text) and self.reason not in ("failed", "stopped")


class RunFailed(OneClawError):
    """A run that ended without an answer; `finished` is its end, with the reason and what was spent."""

    def __init__(self, finished: RunFinished) -> None:
        super().__init__(finished.error or "The model answered with nothing.")
        self.finished = finished


RunEvent = (
    RunStarted
    | AnswerProgress
    | AnswerRestarted
    | ModelSwitched
    | HistoryCompacted
    | MessageQueued
    | MessageRead
    | MessageWithdrawn
    | Event
    | AnswerFinished
    | RoundFinished
    | UsageCounted
    | RunFinished
)
