"""Orders calls that touch the same resource when one of them writes.

A call that names a resource takes a ticket when it is checked. It waits for the earlier tickets that
conflict with it: the same resource, or a folder and what lies in it, where at least one of the two
writes. Calls without a conflict overlap. Tickets are taken without waiting, so the order of the
calls is the order of the tickets, and a later call never holds up an earlier one: no deadlock.
"""

import asyncio
import posixpath
from collections.abc import Mapping
from typing import Any

from oneclaw.core.session import Session
from oneclaw.core.tool import ToolDefinition


class Ticket:
    """A place in the order. Wait for `turn`, then work, then `leave`."""

    __slots__ = ("_blockers", "_followers", "_order", "_turn", "key", "writes")

    def __init__(self, order: "Order", key: str, writes: bool, blockers: set["Ticket"]) -> None:
        self.key = key
        self.writes = writes
        self._order = order
        self._blockers = blockers
        self._followers: list[Ticket] = []
        self._turn: asyncio.Future[None] | None = None
        for blocker in blockers:
            blocker._followers.append(self)

    async def turn(self) -> None:
        if self._blockers:
            self._turn = asyncio.get_running_loop().create_future()
            await self._turn

    def leave(self) -> None:
        self._order.tickets.pop(self, None)
        for follower in self._followers:
            follower._blockers.discard(self)
            turn = follower._turn
            if not follower._blockers and turn is not None and not turn.done():
                turn.set_result(None)
        self._followers.clear()


class Order:
    """The tickets that are out, in the order they were taken."""

    def __init__(self) -> None:
        self.tickets: dict[Ticket, None] = {}

    def take(self, key: str, writes: bool) -> Ticket:
        blockers = {t for t in self.tickets if (t.writes or writes) and overlaps(t.key, key)}
        ticket = Ticket(self, key, writes, blockers)
        self.tickets[ticket] = None
        return ticket


def overlaps(one: str, other: str) -> bool:
    """Whether two keys are the same, or one is a folder above the other."""
    if one == other:
        return True
    short, long = (one, other) if len(one) < len(other) else (other, one)
    return long.startswith(short if short.endswith(("/", ":")) else short + "/")


def resource_key(definition: ToolDefinition, arguments: Mapping[str, Any], session: Session) -> str:
    """The resource a call touches, as `file:/home/me/work/notes.txt`.

    A template that names an argument which is not there stands for everything of its scheme.
    """
    scheme, _, template = (definition.resource or "").partition(":")
    try:
        value = template.format_map(arguments)
    except (KeyError, IndexError, ValueError, AttributeError, TypeError):
        return f"{scheme}:"
    if scheme == "file":
        value = posixpath.normpath(posixpath.join(str(session.workspace.folder), value))
    return f"{scheme}:{value}"
