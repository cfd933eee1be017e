"""Text and calls of a streamed Gemini answer."""

from collections.abc import Mapping, Sequence
from typing import Any

from oneclaw.core.call import ToolCall, new_call_id
from oneclaw.core.message import TextPart, ThoughtPart
from oneclaw.core.subschema import is_array, is_object
from oneclaw.providers.definitions import Definitions
from oneclaw.providers.gemini.arguments import PiecedArguments, PieceError
from oneclaw.providers.written import to_text

OWN_ID = "local_"
"""Prefix of ids that we give to calls without one; these ids are not sent."""


class TextPiece:
    """Text or thought that goes on from chunk to chunk."""

    __slots__ = ("echo", "is_thought", "texts")

    def __init__(self, is_thought: bool, text: str, echo: dict[str, Any] | None) -> None:
        self.is_thought = is_thought
        self.texts = [text]
        self.echo = echo

    def to_part(self) -> TextPart | ThoughtPart:
        text = "".join(self.texts)
        return ThoughtPart(text, self.echo) if self.is_thought else TextPart(text, self.echo)


class CallPiece:
    """A call as it comes: whole in one part, or open while pieces of its arguments follow."""

    __slots__ = ("_arguments", "_pieced", "echo", "fault", "id", "index", "is_open", "name")

    def __init__(self, index: int, said: Mapping[str, Any], echo: dict[str, Any] | None) -> None:
        name, given = said.get("name"), said.get("id")
        self.index = index
        self.name = name if isinstance(name, str) else ""
        self.id = given if isinstance(given, str) and given else OWN_ID + new_call_id()
        self.echo = echo
        self.is_open = True
        self.fault = ""
        self._arguments: Any = None
        self._pieced: PiecedArguments | None = None

    def add(self, said: Mapping[str, Any]) -> str:
        """Take in what a part says of the call; gives the text that adds to its arguments."""
        whole, pieces = said.get("args"), said.get("partialArgs")
        goes_on = said.get("willContinue") is True
        if goes_on or pieces or self._pieced:
            text = self._add_pieces(whole, pieces if is_array(pieces) else (), goes_on)
        else:
            self._arguments = whole
            text = whole if isinstance(whole, str) else to_text({} if whole is None else whole)
        self.is_open = goes_on
        return text

    def _add_pieces(self, whole: Any, pieces: Sequence[Any], goes_on: bool) -> str:
        self._pieced = pieced = self._pieced or PiecedArguments()
        if is_object(whole):
            pieced.merge(whole)
        try:
            for piece in filter(is_object, pieces):
                pieced.add(piece)
        except PieceError as error:
            self.fault = (
                f"The arguments of this call came in pieces that do not fit: {error}. Make the call again."
            )
        return "" if goes_on else to_text(pieced.value())

    def to_call(self, definitions: Definitions, fault: str) -> ToolCall:
        given = self._pieced.value() if self._pieced else self._arguments
        tool, arguments = definitions.read_call(self.name, {} if given is None else given)
        # The engine reads text, and says what is wrong with arguments that are no object.
        taken = arguments if is_object(arguments) or isinstance(arguments, str) else to_text(arguments)
        return ToolCall(tool, taken, self.id, fault)

    def to_echo(self, call: ToolCall) -> dict[str, Any] | None:
        """Data to send back with the call, including arguments that were renamed."""
        given = self._pieced.value() if self._pieced else self._arguments
        if is_object(given) and given != call.arguments:
            return {**(self.echo or {}), "args": {**given}}
        return self.echo


def read_echo(part: Mapping[str, Any]) -> dict[str, Any] | None:
    """Data that must be sent back with a part."""
    signature = part.get("thoughtSignature")
    return {"thoughtSignature": signature} if isinstance(signature, str) and signature else None
