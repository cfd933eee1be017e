"""One content block of an Anthropic answer."""

from collections.abc import Mapping
from typing import Any

from oneclaw.core.call import new_call_id
from oneclaw.core.message import ForeignPart, TextPart
from oneclaw.core.subschema import is_object, list_of, objects_in, text_of
from oneclaw.providers.written import as_object, to_text


class AnswerBlock:
    """One block of an answer: how it began, and what was added to each of its fields."""

    __slots__ = ("added", "began", "call_index", "citations", "id", "is_ended", "kind")

    def __init__(self, began: Mapping[str, Any], call_index: int) -> None:
        self.began = began
        self.kind = str(began.get("type"))
        self.call_index = call_index
        self.id = text_of(began.get("id")) or new_call_id()
        self.added: dict[str, list[str]] = {}
        self.citations: list[Any] = [*list_of(began.get("citations"))]
        self.is_ended = False

    def add(self, field: str, text: str) -> None:
        self.added.setdefault(field, []).append(text)

    def whole(self, field: str) -> str:
        return text_of(self.began.get(field)) + "".join(self.added.get(field, ()))

    def arguments(self) -> str | Mapping[str, Any]:
        """The input as the model wrote it, or as an object where it came as one."""
        pieces = "".join(self.added.get("partial_json", ()))
        given = self.began.get("input")
        if pieces.strip():
            return pieces
        if is_object(given):
            return given or "{}"
        return given if isinstance(given, str) else "{}" if given is None else to_text(given)


def text_part(block: AnswerBlock) -> TextPart | None:
    text = block.whole("text")
    # `file_id` is told with a citation, but not taken back.
    citations = [
        {name: value for name, value in each.items() if name != "file_id"}
        for each in objects_in(block.citations)
    ]
    return TextPart(text, {"citations": citations} if citations else None) if text else None


def foreign_part(block: AnswerBlock) -> ForeignPart | None:
    """A block we do not look into, as it is when it has ended; one that was cut cannot be sent back."""
    if not block.is_ended or not isinstance(block.began.get("type"), str):
        return None
    added = {field: block.whole(field) for field in block.added}
    written = added.pop("partial_json", "")
    echo = {**block.began, **added}
    if written.strip():
        echo["input"] = as_object(written)
    return ForeignPart(echo, text_of(echo.get("name")) or block.kind)
