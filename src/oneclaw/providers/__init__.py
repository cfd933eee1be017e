"""Providers of models: the protocol and the nouns that a provider of one's own needs. Public."""

from oneclaw.core.answer import (
    Answer,
    Answered,
    AnswerRestarted,
    ArgumentsAdded,
    CallBegun,
    TextAdded,
    ThoughtAdded,
)
from oneclaw.core.message import (
    AssistantMessage,
    CallPart,
    Finish,
    ForeignPart,
    Message,
    Part,
    ResultsMessage,
    TextPart,
    ThoughtPart,
    Usage,
    UserMessage,
)
from oneclaw.providers.base import Provider, ProviderError, Request, Trouble

__all__ = [
    "Answer",
    "AnswerRestarted",
    "Answered",
    "ArgumentsAdded",
    "AssistantMessage",
    "CallBegun",
    "CallPart",
    "Finish",
    "ForeignPart",
    "Message",
    "Part",
    "Provider",
    "ProviderError",
    "Request",
    "ResultsMessage",
    "TextAdded",
    "TextPart",
    "ThoughtAdded",
    "ThoughtPart",
    "Trouble",
    "Usage",
    "UserMessage",
]
