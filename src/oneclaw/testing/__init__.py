"""A scripted model and its steps, for tests of programs that use OneClaw. Public."""

from oneclaw.providers.base import Request
from oneclaw.providers.scripted import Call, Cut, End, Fail, Say, Scripted, Think, Wait

__all__ = ["Call", "Cut", "End", "Fail", "Request", "Say", "Scripted", "Think", "Wait"]
