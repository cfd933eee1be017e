"""Builds the imported conversation item by item."""

from collections.abc import Iterable
from typing import Any

from oneclaw.agent.foreign.block import arguments_of, as_text
from oneclaw.core.call import Image, ToolCall, ToolResult
from oneclaw.core.errors import Kind
from oneclaw.core.message import (
    AssistantMessage,
    CallPart,
    Finish,
    Message,
    Part,
    ResultsMessage,
    TextPart,
    ThoughtPart,
    UserMessage,
)
from oneclaw.core.value import readable

NO_REASON = "The tool failed and gave no reason."


class Draft:
    """Takes what a reader finds. Parts of one answer, and results, are gathered until something else comes.

    Signatures of thoughts are left behind: they hold only for the account, the model and the very words they
    were made for, and a provider refuses the whole conversation over one that does not fit.
    """

    def __init__(self) -> None:
        self._messages: list[Message] = []
        self._parts: list[Part] = []
        self._results: list[ToolResult] = []
        self._finish: Finish = "stop"
        self._is_begun = False

    def messages(self) -> list[Message]:
        self.end()
        return self._messages

    def end(self) -> None:
        """End the answer or the results that are being gathered."""
        if self._parts:
            answer = AssistantMessage(tuple(self._parts), self._finish)
            self._parts, self._finish = [], "stop"
            # The same ids once more, with nothing in between: one answer that was saved twice.
            if not (any(call.id for call in answer.calls) and self._messages[-1:] == [answer]):
                self._messages.append(answer)
        if self._results:
            self._messages.append(ResultsMessage(tuple(self._results)))
            self._results = []

    def user(self, text: str, images: Iterable[Image] = ()) -> None:
        pictures = tuple(images)
        if text.strip() or pictures:
            self.end()
            self._is_begun = True
            self._messages.append(UserMessage(text, pictures))

    def system(self, text: str) -> None:
        """Adds instructions that belong to no message.

        At the beginning it is the instructions of another agent, and ours has its own; later it may tell of
        things that happened, and stays.
        """
        if self._is_begun and text.strip():
            self.end()
            self._messages.append(UserMessage(text, origin="guard"))

    def text(self, text: str) -> None:
        if text.strip():
            self._part(TextPart(text))

    def thought(self, text: str) -> None:
        if text.strip():
            self._part(ThoughtPart(text))

    def refused(self, text: str) -> None:
        self.text(text)
        self._finish = "refusal"

    def call(self, name: Any, arguments: Any, call_id: Any) -> None:
        call = ToolCall(as_name(name), arguments_of(arguments), as_name(call_id))
        self._part(CallPart(call))

    def _part(self, part: Part) -> None:
        if self._results:
            self.end()
        self._is_begun = True
        self._parts.append(part)

    def result(
        self,
        call_id: Any,
        value: Any,
        *,
        tool: Any = "",
        is_error: bool = False,
        images: Iterable[Image] = (),
    ) -> None:
        if self._parts:
            self.end()
        self._is_begun = True
        kind = Kind.EXECUTION_ERROR if is_error else None
        message = (as_text(value) or NO_REASON) if is_error else ""
        self._results.append(
            ToolResult(
                as_name(call_id),
                as_name(tool),
                None if is_error else value,
                kind,
                message,
                # What another agent's tool changed, it did not say.
                effects="possible",
                images=tuple(images),
            )
        )


def as_name(value: Any) -> str:
    """A name or an id, whatever stands in its place."""
    if isinstance(value, str):
        return readable(value).strip()
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""
