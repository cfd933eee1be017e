"""The errors the work of a call ends with: out of time, or raised by the tool and not meant for us."""

from oneclaw.core.call import Effects
from oneclaw.core.errors import Kind, ToolError, describe
from oneclaw.core.tool import Effect


def out_of_time(seconds: float, note: str = "", effects: Effects | None = None) -> ToolError:
    return ToolError(f"Tool execution timed out after {seconds:g}s{note}", Kind.TIMEOUT, effects)


def failed(error: BaseException) -> ToolError:
    """What SystemExit, KeyboardInterrupt, GeneratorExit or a CancelledError of the tool's own becomes."""
    return ToolError(f"Tool execution failed: {describe(error)}")


def effects_of_stopped(effect: Effect) -> Effects:
    """What a tool may have changed that was stopped half-way."""
    return "none" if effect == "read" else "possible"
