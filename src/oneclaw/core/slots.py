"""Limits how many calls run at once; waiting calls take turns."""

import asyncio
from collections import deque


class Slots:
    """Take one: `slots.take() or await slots.turn()`. Then work, then `leave`."""

    __slots__ = ("_free", "_waiting")

    def __init__(self, count: int) -> None:
        self._free = count
        self._waiting: deque[asyncio.Future[None]] = deque()

    def take(self) -> bool:
        """Take a slot if one is free; whoever waits comes first, so there is none while somebody does."""
        if self._free:
            self._free -= 1
            return True
        return False

    async def turn(self) -> None:
        """Wait for a slot, which is then taken."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave()  # it was given one all the same
            raise

    def leave(self) -> None:
        """Give the slot to whoever has waited longest, or back."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
