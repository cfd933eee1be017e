"""From what a tool returned or raised to the result: made plain, redacted, trimmed, its effects named."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import monotonic
from typing import Any, Protocol

from oneclaw.core.call import Effects, Output, ToolResult
from oneclaw.core.errors import Kind, ToolError, describe
from oneclaw.core.image import check_images
from oneclaw.core.session import Session
from oneclaw.core.tool import ToolDefinition
from oneclaw.core.trim import trim
from oneclaw.core.value import compact, plain, readable
from oneclaw.core.walk import Walk

MESSAGE_CHARS = 2_000

Spill = Callable[[Session, str, str], Awaitable[str]]
"""Keeps a long text of a call in the session's folder and returns the path `read_file` takes."""


class Redactor(Protocol):
    """Takes secrets out of what is stored, shown or given to a model."""

    def redact(self, text: str) -> str: ...

    def redact_value(self, value: Any) -> Any: ...


class ResultMaker:
    """Makes the results of an engine."""

    def __init__(self, redactor: Redactor | None = None, spill: Spill | None = None) -> None:
        self.redactor = redactor
        self._spill = spill

    def redact(self, value: Any) -> Any:
        return value if self.redactor is None else self.redactor.redact_value(value)

    async def from_value(self, walk: Walk, value: Any) -> ToolResult:
        """The result of a call that went well. Raises `ToolError` for what cannot be given on."""
        definition = walk.definition
        assert definition is not None
        images, details = (), None
        if isinstance(value, Output):
            images = check_images(value.images)
            details = self.redact(plain(value.details)) or None
            value = value.value
        if type(value) is not str or not value.isascii():
            value = plain(value)
        value = self.redact(value)
        text = value if type(value) is str else compact(value) if isinstance(value, (dict, list)) else ""
        truncated_from = None
        if len(text) > definition.chars:
            value, truncated_from = await self._fit(walk, definition, text)
        # By position: this is the hottest line of the product.
        return ToolResult(
            walk.call.id,
            definition.name,
            value,
            None,
            "",
            monotonic() - walk.started,
            effects_of(walk, None),
            walk.repairs,
            truncated_from,
            images,
            details,
        )

    def from_error(self, walk: Walk, error: BaseException) -> ToolResult:
        """The result of a call that failed, whatever failed it."""
        if isinstance(error, ToolError):
            kind, message = error.kind, error.message
        else:
            kind, message = Kind.EXECUTION_ERROR, f"Tool execution failed: {describe(error)}"
        message = readable(message)
        if self.redactor is not None:
            message = self.redactor.redact(message)
        return ToolResult(
            call_id=walk.call.id,
            tool=walk.definition.name if walk.definition else walk.call.name[:100],
            value=None,
            kind=kind,
            message=trim(message, MESSAGE_CHARS).text,
            seconds=monotonic() - walk.started,
            effects=effects_of(walk, error),
            repairs=walk.repairs,
        )

    async def _fit(self, walk: Walk, definition: ToolDefinition, text: str) -> tuple[str, int | None]:
        kept_in = ""
        if definition.spill and self._spill is not None:
            # Without room for the whole text the model still gets its head.
            with suppress(OSError):
                kept_in = await self._spill(walk.session, walk.call.id, text)
        fitted = trim(text, definition.chars, definition.trim, kept_in)
        return fitted.text, fitted.truncated_from


def effects_of(walk: Walk, error: BaseException | None) -> Effects:
    """What the call may have changed: nothing before it ran, and nothing by a tool that only reads."""
    said = getattr(error, "effects", None)
    if said is not None:
        return said
    if walk.context is None or walk.definition is None or walk.definition.effect == "read":
        return "none"
    return "done" if error is None and walk.definition.effect == "write" else "possible"
