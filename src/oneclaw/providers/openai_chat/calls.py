"""Assembles streamed call fragments.

By the book a fragment says by its `index` which call it is of, and the first one has id and name. Servers
leave out the index, give all calls the index 0, repeat id and name in every fragment, cut the name in two,
send a call whole, or its arguments as an object. So a fragment is held against the call it seems to go on
with (the same index, else the same id, else the last call), and begins another one where it cannot be a part
of it.
"""

from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from oneclaw.core.answer import AnswerProgress, ArgumentsAdded, CallBegun
from oneclaw.core.call import ToolCall, new_call_id
from oneclaw.core.message import CallPart
from oneclaw.core.subschema import is_array, is_object
from oneclaw.providers.definitions import Definitions
from oneclaw.providers.written import CUT, fault_of, to_text

_EXTRA = "extra_content"  # the thought signatures of Gemini behind Google's compatible endpoint


@dataclass(slots=True)
class _Draft:
    """One call as far as it is written."""

    number: int
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list[str])
    extra: Any = None
    is_begun: bool = False
    made_id: str = field(default_factory=new_call_id)

    @property
    def is_empty(self) -> bool:
        return not (self.id or self.name or self.arguments)


@dataclass(frozen=True, slots=True)
class _Fragment:
    """The fields of one fragment, in any shape."""

    index: Hashable
    id: str
    name: str
    arguments: str
    extra: Any


class CallCollector:
    """The calls of one answer, in the order they began."""

    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions
        self._known: Collection[str] = {definitions.names.wire(name) for name in definitions.dialected}
        self.drafts: list[_Draft] = []
        self._by_index: dict[Hashable, _Draft] = {}
        self._by_id: dict[str, _Draft] = {}

    def __len__(self) -> int:
        return len(self.drafts)

    def add(self, raw: Any, *, is_whole: bool = False) -> Iterator[AnswerProgress]:
        """Take in what stands in `tool_calls`: fragments of a stream, or whole calls."""
        for each in raw if is_array(raw) else [raw]:
            if is_object(each):
                yield from self._add(_read(each), is_whole)

    def end(self) -> Iterator[AnswerProgress]:
        """Nothing more comes: a call that has only a name begins, too."""
        for draft in self.drafts:
            yield from self._begin(draft)

    def part(self, number: int, is_complete: bool, is_cut: bool) -> CallPart | None:
        """The call of that number; None where nothing was said of it."""
        draft = self.drafts[number]
        if draft.is_empty:
            return None
        text = "".join(draft.arguments)
        fault = fault_of(text, is_cut) if is_complete else CUT
        name, arguments = self._definitions.read_call(draft.name, text if text.strip() else "{}")
        echo = None if draft.extra is None else {_EXTRA: draft.extra}
        return CallPart(ToolCall(name, arguments, draft.id or draft.made_id, fault), echo)

    def _add(self, fragment: _Fragment, is_whole: bool) -> Iterator[AnswerProgress]:
        draft = self._draft_for(fragment, is_whole)
        if fragment.name and fragment.name != draft.name:
            draft.name += fragment.name
        if fragment.id and not draft.id:
            draft.id = fragment.id
            self._by_id.setdefault(fragment.id, draft)
        if fragment.extra is not None:
            draft.extra = fragment.extra
        if draft.name in self._known or fragment.arguments:
            yield from self._begin(draft)
        if fragment.arguments:
            draft.arguments.append(fragment.arguments)
            yield ArgumentsAdded(draft.number, fragment.arguments)

    def _draft_for(self, fragment: _Fragment, is_whole: bool) -> _Draft:
        draft = None
        if not is_whole and fragment.index is not None:
            draft = self._by_index.get(fragment.index)
        elif not is_whole:
            draft = self._by_id.get(fragment.id) or (self.drafts[-1] if self.drafts else None)
        if draft is None or self._begins(fragment, draft):
            draft = _Draft(len(self.drafts))
            self.drafts.append(draft)
        if fragment.index is not None:
            self._by_index[fragment.index] = draft
        return draft

    def _begins(self, fragment: _Fragment, draft: _Draft) -> bool:
        """Whether the fragment begins a call of its own."""
        if not fragment.name or not draft.name:
            return False
        if fragment.id and draft.id and fragment.id != draft.id:
            return True
        if fragment.name != draft.name:
            # The rest of a name that was cut in two comes before any arguments, and is no tool.
            return bool(draft.arguments) or fragment.name in self._known
        # The same again: a name that is repeated with each fragment, or another whole call of the tool.
        return (
            fragment.arguments.lstrip()[:1] == "{"
            and len(draft.arguments) == 1
            and not fault_of(draft.arguments[0], True)
        )

    def _begin(self, draft: _Draft) -> Iterator[AnswerProgress]:
        if not draft.is_begun and not draft.is_empty:
            draft.is_begun = True
            yield CallBegun(draft.number, self._definitions.names.ours(draft.name))


def _read(raw: Mapping[str, Any]) -> _Fragment:
    inner = raw.get("function")
    function = inner if is_object(inner) else raw
    index, name = raw.get("index"), function.get("name")
    call_id = raw.get("id")
    return _Fragment(
        index if isinstance(index, int | str) and not isinstance(index, bool) else None,
        call_id if isinstance(call_id, str) else "" if call_id is None else str(call_id)[:100],
        name if isinstance(name, str) else "",
        _arguments(function.get("arguments")),
        raw.get(_EXTRA),
    )


def _arguments(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    try:
        return to_text(value)
    except RecursionError:
        return '"nested too deep"'  # no object: refused by the check of the tool
