"""Keeps a thought with the fields that must be sent back."""

from collections.abc import Mapping, Sequence
from typing import Any

from oneclaw.core.subschema import is_array, is_object, objects_in, text_of

_TEXTS = {"reasoning.text": "text", "reasoning.summary": "summary"}


class _Detail:
    """One entry of OpenRouter's `reasoning_details`, of which a stream sends the text in pieces."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self._fields = dict(raw)
        self._key = _TEXTS.get(str(raw.get("type")), "")
        text = raw.get(self._key)
        self._pieces = [text] if isinstance(text, str) else []

    def takes(self, raw: Mapping[str, Any]) -> bool:
        """Whether `raw` goes on with this entry."""
        is_same_kind = bool(self._key) and raw.get("type") == self._fields.get("type")
        is_same_place = raw.get("index") == self._fields.get("index")
        return is_same_kind and is_same_place and raw.get("id") in (None, self._fields.get("id"))

    def add(self, raw: Mapping[str, Any]) -> None:
        text = raw.get(self._key)
        if isinstance(text, str):
            self._pieces.append(text)
        self._fields |= {
            name: value for name, value in raw.items() if name != self._key and value is not None
        }

    def whole(self) -> dict[str, Any]:
        return {**self._fields, self._key: "".join(self._pieces)} if self._pieces else self._fields


class Thought:
    """One thought, as far as it came."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._field = ""
        self._details: list[_Detail] = []
        self._chunk: dict[str, Any] | None = None
        self._others: list[Any] = []

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    @property
    def echo(self) -> dict[str, Any] | None:
        """Data to send back: details, a content chunk, or the field the text came in."""
        if self._details:
            return {"reasoning_details": [detail.whole() for detail in self._details]}
        if self._chunk is not None:
            text = [{"type": "text", "text": self.text}] if self._pieces else []
            return {"chunk": {**self._chunk, "thinking": [*text, *self._others]}}
        return {"field": self._field} if self._field else None

    def add(self, text: str, field: str, details: Sequence[Any]) -> str:
        """Take in a delta; gives what is new of the text. Details say the same as the text beside them."""
        self._field = self._field or field
        told = [self._add_detail(raw) for raw in objects_in(details)]
        added = text or "".join(told)
        if added:
            self._pieces.append(added)
        return added

    def add_chunk(self, raw: Mapping[str, Any]) -> str:
        """Take in a `thinking` part of a content; gives what is new of the text."""
        self._chunk = {**(self._chunk or {}), **raw}
        items = raw.get("thinking")
        told: list[str] = []
        for each in items if is_array(items) else [items]:
            text = each.get("text") if is_object(each) else each
            if isinstance(text, str):
                told.append(text)
            elif is_object(each):
                self._others.append(each)
        added = "".join(told)
        if added:
            self._pieces.append(added)
        return added

    def _add_detail(self, raw: Mapping[str, Any]) -> str:
        if self._details and self._details[-1].takes(raw):
            self._details[-1].add(raw)
        else:
            self._details.append(_Detail(raw))
        return text_of(raw.get(_TEXTS.get(str(raw.get("type")), "")))
