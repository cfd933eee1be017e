"""Journal: the protocol for recording calls before and after they run."""

from collections.abc import Mapping
from typing import Any, Protocol

from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.session import Session
from oneclaw.core.tool import ToolDefinition


class Journal(Protocol):
    """The engine's journal. Each method raises `StoreError` when a row cannot be stored.

    Everything passed in is already redacted; a journal bounds what it keeps, and keeps no image bytes.
    """

    async def open(
        self, call: ToolCall, definition: ToolDefinition, session: Session, arguments: Mapping[str, Any]
    ) -> int:
        """Write a call that is about to start; the key names its row.

        The row is kept when this returns. A caller cancelled meanwhile leaves no open row behind.
        """
        ...

    async def close(self, key: int, result: ToolResult) -> None:
        """Write the one result of an opened call; a second one changes nothing, the first stands."""
        ...

    async def record(
        self, call: ToolCall, session: Session, arguments: Mapping[str, Any] | None, result: ToolResult
    ) -> int:
        """Write a call that never started, with its result: one row, closed; the key names it.

        `arguments` is None when the model's text was not understood; the raw text is not kept.
        """
        ...
