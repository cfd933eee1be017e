"""Model providers: the protocol and types for writing your own provider. Public."""

from oneclaw.core.answer import (
    Answered,
    AnswerEvent,
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
from oneclaw.providers.model import Model, Price
from oneclaw.providers.packages import Download, ProviderHost, ProviderPackage, WarmProvider

__all__ = [
    "AnswerEvent",
    "AnswerRestarted",
    "Answered",
    "ArgumentsAdded",
    "AssistantMessage",
    "CallBegun",
    "CallPart",
    "Download",
    "Finish",
    "ForeignPart",
    "Message",
    "Model",
    "Part",
    "Price",
    "Provider",
    "ProviderError",
    "ProviderHost",
    "ProviderPackage",
    "Request",
    "ResultsMessage",
    "TextAdded",
    "TextPart",
    "ThoughtAdded",
    "ThoughtPart",
    "Trouble",
    "Usage",
    "UserMessage",
    "WarmProvider",
]
