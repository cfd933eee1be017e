"""Queue of messages sent to a running session; the next round reads them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from secrets import token_hex

from oneclaw.core.message import UserMessage


@dataclass(frozen=True, slots=True)
class Queued:
    """A message that waits for the next round.

    `claim` is for one that another program may withdraw as well: False when it did.
    """

    message: UserMessage
    id: str = field(default_factory=lambda: token_hex(8))
    claim: Callable[[], Awaitable[bool]] | None = None


class Inbox:
    """The messages that wait, in their order."""

    def __init__(self) -> None:
        self._waiting: dict[str, Queued] = {}

    def put(self, queued: Queued) -> None:
        self._waiting[queued.id] = queued

    def withdraw(self, message_id: str) -> bool:
        """Take a message back; False when the model has read it already, or there is none."""
        return self._waiting.pop(message_id, None) is not None

    @property
    def foreign(self) -> set[str]:
        """The ids of those that came from another program."""
        return {each.id for each in self._waiting.values() if each.claim is not None}

    async def take(self) -> list[Queued]:
        """All of them but those that another program has withdrawn; they no longer wait."""
        if not self._waiting:
            return []
        waiting = list(self._waiting.values())
        self._waiting.clear()
        return [each for each in waiting if each.claim is None or await each.claim()]
