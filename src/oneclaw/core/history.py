"""Past messages found by a search in earlier conversations."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from oneclaw.core.session import Session


@dataclass(frozen=True, slots=True)
class PastMessage:
    """A message of an earlier conversation; `created` is seconds since 1970, `title` that of its session."""

    session: str
    title: str
    agent: str
    role: Literal["user", "assistant"]
    created: float
    text: str


SearchHistory = Callable[[Session, str, int], Awaitable[Sequence[PastMessage]]]
"""The messages that fit a query best, of the conversations that a session's agent may read."""
