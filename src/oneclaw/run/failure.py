"""Errors for timeouts, cancellation and unexpected exceptions."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from oneclaw.core.call import Effects
from oneclaw.core.errors import DESCRIPTION_CHARS, ForeignError, Kind, ToolError, describe
from oneclaw.core.tool import Context, Effect


def out_of_time(
    seconds: float, note: str = "", effects: Effects | None = None, details: Mapping[str, Any] | None = None
) -> ToolError:
    return ToolError(f"Tool execution timed out after {seconds:g}s{note}", Kind.TIMEOUT, effects, details)


def failed(error: BaseException) -> ToolError:
    """Converts SystemExit, KeyboardInterrupt, GeneratorExit or a CancelledError of the tool."""
    return ForeignError(f"Tool execution failed: {describe(error, 10 * DESCRIPTION_CHARS)}")


def effects_of_stopped(effect: Effect) -> Effects:
    """Possible effects of a tool that was stopped half-way."""
    return "none" if effect == "read" else "possible"


def cancel(context: Context) -> None:
    """Tell the tool that its call is over; what its callbacks raise is its own affair."""
    with suppress(Exception):
        context.cancel()
