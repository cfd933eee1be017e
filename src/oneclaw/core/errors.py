"""Error kinds that models see, and exceptions that owners see.

Inside a call everything becomes a `ToolResult`; a tool raises `ToolError` to choose the kind:

    ToolError                 one failed call; `kind` is one of `Kind`, the text is for the model

At start and in code the owner's mistakes raise, and name what, where and the remedy:

    OneClawError
    ├── InvalidTool           a definition that cannot be used
    │   ├── InvalidName       a name outside ^[a-z][a-z0-9_]{0,63}$
    │   └── InvalidSchema     parameters that are not JSON Schema 2020-12; `path` says where
    ├── DuplicateTool         two tools with one name; both origins are named
    ├── InvalidConfig         a setting that is wrong; file, line and field are named
    │   ├── NotFound          a name that no agent, provider, session, tool … has; `noun` says which
    │   └── MissingKey        a provider whose key is not set
    ├── NotOpen               an app that is used outside of its `with`
    ├── RunFailed             a run that ended without an answer; `finished` holds its end
    ├── UndoRefused           a change that cannot be undone; `conflicts` names the files
    ├── InvalidMemory         a memory that cannot be kept: too long, empty, one too many
    └── StoreError            a database that cannot be used: newer, corrupt, read-only, locked
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Literal, cast

DESCRIPTION_CHARS = 400


class Kind(StrEnum):
    """Why a call failed, as the model sees it in `error_type`."""

    TOOL_NOT_FOUND = "tool_not_found"
    TOOL_NOT_AVAILABLE = "tool_not_available"
    VALIDATION_ERROR = "validation_error"
    PERMISSION_DENIED = "permission_denied"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    EXECUTION_ERROR = "execution_error"
    PATH_NOT_ALLOWED = "path_not_allowed"
    FILE_NOT_FOUND = "file_not_found"
    FILE_TOO_LARGE = "file_too_large"
    NETWORK_ERROR = "network_error"
    INTERRUPTED = "interrupted"


MEANING: dict[Kind, str] = {
    Kind.TOOL_NOT_FOUND: "No tool has this name; the nearest names are given.",
    Kind.TOOL_NOT_AVAILABLE: "The tool exists but policy keeps it from this agent; the rule is named.",
    Kind.VALIDATION_ERROR: "The arguments do not fit the tool's schema; every problem is listed.",
    Kind.PERMISSION_DENIED: "A need of the call was not granted, by a person, a rule or the machine.",
    Kind.TIMEOUT: "The call ran past its limit and was stopped.",
    Kind.CANCELLED: "The call was cancelled before it ended.",
    Kind.EXECUTION_ERROR: "The tool failed while running.",
    Kind.PATH_NOT_ALLOWED: "The path is outside the workspace or in a protected folder.",
    Kind.FILE_NOT_FOUND: "There is no file at this path.",
    Kind.FILE_TOO_LARGE: "The file is larger than the tool reads at once; the size is named.",
    Kind.NETWORK_ERROR: "The host could not be resolved, reached or read.",
    Kind.INTERRUPTED: "The program ended during the call; its effects are unknown.",
}


class ToolError(Exception):
    """Raised by a tool or a guard to end the call with `kind` and one clear sentence.

    `effects` says what the call may have changed, where whoever raises it knows better than the engine;
    `details` are for people and programs, as what the tool wrote to its log before it failed.
    """

    def __init__(
        self,
        message: str,
        kind: Kind = Kind.EXECUTION_ERROR,
        effects: Literal["none", "done", "possible", "unknown"] | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.effects = effects
        self.details = details

    def __reduce__(self) -> tuple[type["ToolError"], tuple[Any, ...]]:
        return (ToolError, (self.message, self.kind, self.effects, self.details))


def invalid(message: str) -> ToolError:
    """The error of a call whose arguments cannot be used."""
    return ToolError(message, Kind.VALIDATION_ERROR)


class StoppedError(ToolError):
    """Ends a call that was stopped midway: the message holds what was written so far, as long as a result."""


class ForeignError(ToolError):
    """The text of a foreign exception, long enough to redact before it is cut."""


def describe(error: BaseException, chars: int = DESCRIPTION_CHARS) -> str:
    """The first line of what an exception says, at most so many characters; never raises.

    An exception that says nothing, only a key, or that was meant to end the program, is named as well.
    """
    try:
        return _describe(error, chars)
    except BaseException:  # text and even class of a foreign exception may raise whatever they like
        return "an error that cannot be described"


def _describe(error: BaseException, chars: int) -> str:
    name = type(error).__name__
    try:
        # The plain methods of str: a subclass may bring its own.
        lines = str.splitlines(str.strip(str.__str__(str(error))))
    except BaseException:
        return f"{name} (its text cannot be read)"
    text = lines[0].rstrip() if lines else ""
    if isinstance(error, BaseExceptionGroup):
        inner = cast(Sequence[BaseException], error.exceptions)  # pyright: ignore[reportUnknownMemberType]
        text = f"{text}: {describe(inner[0], chars)}"
    if not text:
        text = name
    elif isinstance(error, KeyError) or not isinstance(error, Exception):
        text = f"{name}: {text}"
    return text[:chars].encode("utf-8", "replace").decode()


class OneClawError(Exception):
    """An owner's mistake; the text names what is wrong, where, and what to do."""


class InvalidTool(OneClawError):
    """A tool definition that cannot be used."""


class InvalidName(InvalidTool):
    """A tool name outside ^[a-z][a-z0-9_]{0,63}$."""


class InvalidSchema(InvalidTool):
    """Parameters that are not JSON Schema 2020-12."""

    def __init__(self, message: str, path: str = "$") -> None:
        super().__init__(message)
        self.path = path


class DuplicateTool(OneClawError):
    """Two tools with one name."""


class InvalidConfig(OneClawError):
    """A setting that is wrong."""


class NotOpen(OneClawError, RuntimeError):
    """An app that is used before or after its `with` block."""

    def __init__(self) -> None:
        super().__init__(
            "The app is not open: use it inside `async with App(...) as app:`, or `with` in plain scripts."
        )


class UndoRefused(OneClawError):
    """A change that cannot be undone; `conflicts` says why for each file that stands in the way."""

    def __init__(self, message: str, conflicts: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.conflicts = tuple(conflicts)


class InvalidMemory(OneClawError):
    """A memory that cannot be kept."""


class NotFound(InvalidConfig):
    """A name that nothing has; `noun` says what was looked for, as `session`.

    `listing` is the command that lists what there is; `near` are the names that may be meant; `hint` is said
    in place of both.
    """

    def __init__(
        self, noun: str, name: str | int, listing: str, near: Sequence[str] = (), hint: str = ""
    ) -> None:
        asked = repr(name[:100]) if isinstance(name, str) else str(name)
        meant = f". Did you mean {' or '.join(near)}?" if near else f"; `oneclaw {listing}` lists them."
        super().__init__(f"There is no {noun} {asked}" + (f". {hint}" if hint else meant))
        self.noun = noun


class MissingKey(InvalidConfig):
    """A provider whose key is not set; the text says where to set it."""


class StoreError(OneClawError):
    """A database that cannot be used."""
