"""Builds results: plain data, redacted, trimmed, with effects."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Protocol

from oneclaw.core.call import EFFECTS, Effects, Output, ToolResult
from oneclaw.core.call_state import CallState
from oneclaw.core.errors import DESCRIPTION_CHARS, ForeignError, Kind, StoppedError, ToolError, describe
from oneclaw.core.fit import fit
from oneclaw.core.image import check_images
from oneclaw.core.session import Session
from oneclaw.core.tool import ToolDefinition
from oneclaw.core.trim import trim
from oneclaw.core.value import compact, is_plain, plain, readable, with_images

MESSAGE_CHARS = 2_000
FAILED = "Tool execution failed: "
NAME_CHARS = 100
INNER_CHARS = 1_000_000
"""The most of the result of a call that another call made: no model reads it, and half a value is none."""

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

    def from_value(self, walk: CallState, value: Any) -> ToolResult:
        """The result of a call that went well; a text too long is left in `walk.long_text`, see `cut`.

        Raises `ToolError` for what cannot be given on.
        """
        definition = walk.definition
        assert definition is not None
        images, details, repairs = (), None, walk.repairs
        if isinstance(value, Output):
            images = value.images
            details = self.redact(plain(value.details)) or None
            if value.note:
                repairs = (*repairs, self._redact_text(value.note))
            value = value.value
        if (type(value) is not str or not value.isascii()) and not is_plain(value):
            value, found = with_images(value, len(images))
            images = (*images, *found)
        if images:
            images = check_images(images)
        if walk.output is not None:
            walk.output.check(value)
        value = self.redact(value)
        text = value if type(value) is str else compact(value) if isinstance(value, (dict, list)) else ""
        if len(text) > definition.chars and len(text) > most_chars(walk, definition):
            walk.long_text = text
        # By position: this is the hottest line of the product.
        return ToolResult(
            walk.call.id,
            definition.name,
            value,
            None,
            "",
            walk.seconds,
            effects_of(walk, None),
            repairs,
            None,
            images,
            details,
        )

    async def cut(self, walk: CallState, result: ToolResult) -> ToolResult:
        """The result cut to fit, an object still an object, and the whole kept in a file of the session."""
        definition, text, kept_in = walk.definition, walk.long_text, ""
        assert definition is not None
        assert text is not None
        if definition.spill and self._spill is not None:
            # Without room for the whole text the model still gets its head.
            with suppress(OSError):
                kept_in = await self._spill(walk.session, walk.call.id, text)
        chars, how = most_chars(walk, definition), definition.trim
        whole: Any = result.value
        if type(whole) in (dict, list) and not walk.call.parent:
            rest = f" The whole result is in {kept_in}: read it in pieces with read_file." if kept_in else ""
            note = f"(Cut: the result has {len(text):,} characters, at most {chars:,} are shown.{rest})"
            fitted = fit(whole, chars, how, note)
            if fitted is not None:
                return replace(result, value=fitted, truncated_from=len(text))
        cut = trim(text, chars, how, kept_in)
        return replace(result, value=cut.text, truncated_from=cut.truncated_from)

    def from_error(self, walk: CallState, error: BaseException) -> ToolResult:
        """The result of a call that failed, whatever failed it."""
        kind, message = kind_of(error), getattr(error, "message", None)
        if isinstance(error, ToolError) and isinstance(message, str):
            message = self._redact_text(message)
            if isinstance(error, ForeignError):
                message = message[: DESCRIPTION_CHARS + len(FAILED)]
        else:
            # Redacted before it is cut: half a secret is not known as one.
            said = self._redact_text(describe(error, 10 * DESCRIPTION_CHARS))[:DESCRIPTION_CHARS]
            message = FAILED + said
        chars = MESSAGE_CHARS
        if isinstance(error, StoppedError) and walk.definition:
            chars = most_chars(walk, walk.definition)
        unknown = self._redact_text(walk.call.name[: 10 * NAME_CHARS])  # as the model made it up
        return ToolResult(
            call_id=walk.call.id,
            tool=walk.definition.name if walk.definition else unknown[:NAME_CHARS],
            value=None,
            kind=kind,
            message=trim(message, chars, "middle" if chars > MESSAGE_CHARS else "head").text,
            seconds=walk.seconds,
            effects=effects_of(walk, error),
            repairs=walk.repairs,
            details=self._error_details(error),
        )

    def _error_details(self, error: BaseException) -> Mapping[str, Any] | None:
        """The details of a failed call; never raises."""
        try:
            details = error.details if isinstance(error, ToolError) else None
            return self.redact(plain(dict(details))) if details else None
        except Exception:
            return None

    def from_hook(self, result: ToolResult) -> ToolResult:
        """The result as a hook changed it, which knows the call as it was: made plain and redacted again."""
        try:
            value, found = with_images(result.value, len(result.images))
            value, images = self.redact(value), check_images((*result.images, *found))
            details = None if result.details is None else self.redact(plain(result.details))
        except ToolError as error:
            return replace(result, value=None, details=None, kind=error.kind, message=error.message)
        message = self._redact_text(result.message)
        return replace(result, value=value, images=images, details=details, message=message)

    def _redact_text(self, text: str) -> str:
        text = readable(text)
        return text if self.redactor is None else self.redactor.redact(text)


def most_chars(walk: CallState, definition: ToolDefinition) -> int:
    """The most characters of the result that whoever asked for the call is given."""
    return max(definition.chars, INNER_CHARS) if walk.call.parent else definition.chars


def kind_of(error: BaseException) -> Kind:
    """The kind a `ToolError` names, be it by its text; an exception of any other class names none."""
    if isinstance(error, ToolError):
        with suppress(ValueError, AttributeError):
            return Kind(error.kind)
    return Kind.EXECUTION_ERROR


def effects_of(walk: CallState, error: BaseException | None) -> Effects:
    """Effects of the call: none before it ran or for a tool that only reads."""
    said = getattr(error, "effects", None) if isinstance(error, ToolError) else None
    if isinstance(said, str) and said in EFFECTS:
        return said
    if walk.context is None or walk.definition is None or walk.definition.effect == "read":
        return "none"
    return "done" if error is None and walk.definition.effect == "write" else "possible"
