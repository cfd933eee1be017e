"""Queue of messages sent to a running session; the next round reads them."""

from dataclasses import dataclass, field
from secrets import token_hex

from oneclaw.core.message import UserMessage


@dataclass(frozen=True, slots=True)
class Queued:
    """A message that waits for the next round."""

    message: UserMessage
    id: str = field(default_factory=lambda: token_hex(8))


class Inbox:
    """The messages that wait, in their order."""

    def __init__(self) -> None:
        self._waiting: dict[str, Queued] = {}

    def put(self, queued: Queued) -> None:
        self._waiting[queued.id] = queued

    def withdraw(self, message_id: str) -> bool:
        """Take a message back; False when the model has read it already, or there is none."""
        return self._waiting.pop(message_id, None) is not None

    def take(self) -> list[Queued]:
        """All of them; they no longer wait."""
        waiting = list(self._waiting.values())
        self._waiting.clear()
        return waiting
