"""Conformance kit: faulty model, recorded answers, and checks for providers and tools.

    report = await check_wire("openai_chat", lambda url, key: MyProvider(url, key))
    report = await check_provider(MyLocalModel())
    report = await check_tool(my_tool, examples=[{"city": "Oslo"}])

A check raises `ContractBroken`, an `AssertionError` that lists every problem. No test runner is needed.
"""

from oneclaw.providers.base import Request
from oneclaw.providers.scripted import Call, Cut, End, Fail, Say, Scripted, Think, Wait
from oneclaw.testing.contract import ContractBroken, FailedCheck, Report
from oneclaw.testing.faults import check_conversation, conversation_problems, faults
from oneclaw.testing.fixture import (
    CONVERSATION,
    KEY,
    REQUEST,
    TOOLS,
    WIRES,
    ExpectedOutcome,
    Fixture,
    SentRequest,
    fixture,
    fixtures,
    sent_request,
)
from oneclaw.testing.provider import check_provider, check_wire
from oneclaw.testing.reference import open_provider
from oneclaw.testing.server import AnswerServer, ServedRequest
from oneclaw.testing.tool import check_tool

__all__ = [
    "CONVERSATION",
    "KEY",
    "REQUEST",
    "TOOLS",
    "WIRES",
    "AnswerServer",
    "Call",
    "ContractBroken",
    "Cut",
    "End",
    "ExpectedOutcome",
    "Fail",
    "FailedCheck",
    "Fixture",
    "Report",
    "Request",
    "Say",
    "Scripted",
    "SentRequest",
    "ServedRequest",
    "Think",
    "Wait",
    "check_conversation",
    "check_provider",
    "check_tool",
    "check_wire",
    "conversation_problems",
    "faults",
    "fixture",
    "fixtures",
    "open_provider",
    "sent_request",
]
