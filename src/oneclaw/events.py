"""Events of calls and runs, and their JSON form. Public."""

from oneclaw.core.answer import AnswerRestarted, ArgumentsAdded, CallBegun, TextAdded, ThoughtAdded
from oneclaw.core.envelope import Envelope
from oneclaw.core.event import (
    Event,
    QuestionAnswered,
    QuestionAsked,
    ToolFinished,
    ToolProgressed,
    ToolStarted,
)
from oneclaw.core.event_json import UnknownEvent, envelope_json, read_envelope
from oneclaw.core.message import AssistantMessage, Message, ResultsMessage, Usage, UserMessage
from oneclaw.core.run_event import (
    AnswerFinished,
    HistoryCompacted,
    MessageQueued,
    MessageRead,
    MessageWithdrawn,
    ModelSwitched,
    RoundFinished,
    RunEvent,
    RunFinished,
    RunStarted,
    UsageCounted,
)

__all__ = [
    "AnswerFinished",
    "AnswerRestarted",
    "ArgumentsAdded",
    "AssistantMessage",
    "CallBegun",
    "Envelope",
    "Event",
    "HistoryCompacted",
    "Message",
    "MessageQueued",
    "MessageRead",
    "MessageWithdrawn",
    "ModelSwitched",
    "QuestionAnswered",
    "QuestionAsked",
    "ResultsMessage",
    "RoundFinished",
    "RunEvent",
    "RunFinished",
    "RunStarted",
    "TextAdded",
    "ThoughtAdded",
    "ToolFinished",
    "ToolProgressed",
    "ToolStarted",
    "UnknownEvent",
    "Usage",
    "UsageCounted",
    "UserMessage",
    "envelope_json",
    "read_envelope",
]
