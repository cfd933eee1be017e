"""Rules, permissions, grants and questions to people. Public."""

from oneclaw.core.permit.broker import Broker
from oneclaw.core.permit.grant import Grant, GrantBook, MemoryBook
from oneclaw.core.permit.need import NEEDS, State
from oneclaw.core.permit.permission import Permissions
from oneclaw.core.permit.policy import Policy, Rules, Why
from oneclaw.core.question import Question, Reply

__all__ = [
    "NEEDS",
    "Broker",
    "Grant",
    "GrantBook",
    "MemoryBook",
    "Permissions",
    "Policy",
    "Question",
    "Reply",
    "Rules",
    "State",
    "Why",
]
