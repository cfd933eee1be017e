"""Whose cancels a task got while a tool ran in it: ours, those of the tool's own scopes, or the caller's.

`task.cancelling()` alone does not tell: scopes of the tool's own raise it too, and before Python 3.13 a
TaskGroup whose child fails while it waits for the others never lowers it again. So each cancel is looked at
when it arrives. The caller's are those nobody else asked for, as long as nobody has taken them back.
"""

import asyncio
from typing import Any

from oneclaw.run.scope import cancelling_scopes, cancels_again, forgets


class Cancels:
    """The cancels of one task during one call."""

    __slots__ = ("_at_wait", "_before", "_callers", "_forgotten", "_ours", "_seen", "_task")

    def __init__(self, task: asyncio.Task[Any]) -> None:
        self._task = task
        self._before = self._at_wait = task.cancelling()
        self._ours = 0
        self._callers = 0
        self._forgotten = 0
        self._seen: list[Any] = []

    def wait(self) -> None:
        """The tool waits from now on; what is asked for while it does comes from outside its code."""
        self._at_wait = self._task.cancelling()

    def cancel(self) -> None:
        """Cancel the task ourselves."""
        self._ours += 1
        self._at_wait += 1
        self._task.cancel()

    def arrive(self, work: Any) -> None:
        """A cancel has arrived where the tool waits: see who asked for it."""
        new = self._task.cancelling() - self._at_wait
        for scope in cancelling_scopes(work):
            if cancels_again(scope):
                return
            if all(scope is not seen for seen in self._seen):
                self._seen.append(scope)
                self._forgotten += forgets(scope)
                new -= 1
        self._callers += max(0, new)

    @property
    def is_callers(self) -> bool:
        """Whether the caller has cancelled the task, and nobody has taken it back."""
        if not self._callers:
            return False
        return self._task.cancelling() - self._before - self._ours - self._forgotten > 0

    def settle(self) -> bool:
        """Take back every cancel but the caller's; whether there is one."""
        is_callers = self.is_callers
        keep = self._before + (self._callers if is_callers else 0)
        while self._task.cancelling() > keep:
            self._task.uncancel()
        return is_callers
