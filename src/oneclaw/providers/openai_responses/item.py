"""One output item of a Responses answer."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from oneclaw.core.subschema import is_object, list_of, object_of, text_of
from oneclaw.providers.written import is_deep, to_text

ItemPiece = Literal["text", "refusal", "summary", "thought", "arguments"]
"""Kinds of text in an item."""

OWNERS: dict[ItemPiece, str] = {
    "text": "message",
    "refusal": "message",
    "summary": "reasoning",
    "thought": "reasoning",
    "arguments": "function_call",
}
"""The type of the item each piece belongs to."""
_PARTS: dict[str, tuple[ItemPiece, str]] = {
    "output_text": ("text", "text"),
    "refusal": ("refusal", "refusal"),
    "summary_text": ("summary", "text"),
    "reasoning_text": ("thought", "text"),
}


class Item:
    """One item, told from others by its type and its place.

    pieces     its texts as they came, by what they are and their number
    final      the whole item, once it is there: it alone may be sent back
    is_closed  whether the provider said that it, or its arguments, are whole
    number     what tells its call apart, once it has begun
    """

    __slots__ = ("call_id", "final", "id", "is_closed", "kind", "name", "number", "pieces", "place")

    def __init__(self, kind: str, place: int) -> None:
        self.kind = kind
        self.place = place
        self.id = ""
        self.name = ""
        self.call_id = ""
        self.number: int | None = None
        self.pieces: dict[tuple[ItemPiece, int], list[str]] = {}
        self.final: Mapping[str, Any] | None = None
        self.is_closed = False

    def add(self, piece: ItemPiece, index: int, text: str) -> str:
        """Take in more of a piece; what people are shown of it."""
        if not text:
            return ""
        known = self.pieces.get((piece, index))
        if known is not None:
            known.append(text)
            return text
        is_next = bool(self.pieces) and self.kind == "reasoning"
        self.pieces[piece, index] = [text]
        return f"\n\n{text}" if is_next else text

    def settle(self, piece: ItemPiece, index: int, whole: Any) -> str:
        """Take in the whole of a piece; what people are shown of it: what had not come before."""
        if not isinstance(whole, str) or not whole:
            return ""
        before = "".join(self.pieces.get((piece, index), ()))
        if not before:
            return self.add(piece, index, whole)
        self.pieces[piece, index] = [whole]
        return whole[len(before) :] if whole.startswith(before) else ""

    def close(self, final: Mapping[str, Any]) -> None:
        """The item is whole. The first to come counts: the list at the end has other encrypted content."""
        self.is_closed = True
        if self.final is None and not is_deep(final):
            self.final = final

    def is_over(self, event: str) -> bool:
        """Whether an event that begins or ends an item is of another: this one was begun, or is whole."""
        return event == "added" or (event == "done" and self.final is not None)

    @property
    def arguments(self) -> str:
        return "".join(self.pieces.get(("arguments", 0), ()))

    @property
    def text(self) -> str:
        """The item's text: pieces joined in a message, paragraphs in a thought."""
        between = "\n\n" if self.kind == "reasoning" else ""
        order = sorted(self.pieces, key=lambda key: (key[0] == "thought", key[1]))
        return between.join("".join(self.pieces[key]) for key in order)

    @property
    def does_refuse(self) -> bool:
        return any(piece == "refusal" for piece, _ in self.pieces)

    @property
    def status(self) -> Any:
        return None if self.final is None else self.final.get("status")

    @property
    def echo(self) -> Mapping[str, Any] | None:
        """The item to send back; one that was cut is not."""
        return None if self.status == "incomplete" else self.final

    @property
    def label(self) -> str:
        """Display text of an opaque item: `web search call: weather in Rome`."""
        item = self.final or {}
        query = text_of(object_of(item.get("action")).get("query") or item.get("name"))
        kind = self.kind.replace("_", " ")
        return f"{kind}: {query}" if query else kind


def read_part(part: Any) -> tuple[ItemPiece, Any] | None:
    """The kind and text of a part; None for an unknown part."""
    known = _PARTS.get(str(part.get("type"))) if is_object(part) else None
    return None if known is None else (known[0], part.get(known[1]))


def read_texts(item: Mapping[str, Any]) -> Iterator[tuple[ItemPiece, int, Any]]:
    """The texts of a whole item, each with what it is and its number."""
    kind = item.get("type")
    if kind == "function_call":
        yield "arguments", 0, read_arguments(item.get("arguments"))
        return
    for field in ("summary", "content"):
        for index, part in enumerate(list_of(item.get(field))):
            read = read_part(part)
            if read is not None and OWNERS[read[0]] == kind:
                yield read[0], index, read[1]


def read_arguments(arguments: Any) -> str:
    """Arguments as text, which they should be; some servers send the object."""
    if isinstance(arguments, str):
        return arguments
    if arguments is None:
        return ""
    return "arguments that are nested too deeply" if is_deep(arguments) else to_text(arguments)
