"""Shortens long structured values without changing their type.

Each string longer than a bound is cut to it, and the bound is as high as the room allows, so short strings
stay whole. Where that does not help, lists and objects keep their first items, or first and last. A note in
the outermost list or object says what was cut.
"""

from collections.abc import Iterator
from json.encoder import encode_basestring
from typing import Any, cast

from oneclaw.core.tool import CutPlace
from oneclaw.core.trim import trim
from oneclaw.core.value import compact

NOTE = "(cut)"
"""The member of a cut object that holds the note."""
LEAST_CHARS = 200
"""Shorter strings are left whole, if items can be left out instead."""
_NOTE_ESCAPES = 4  # of the line breaks around the note of a cut


def fit(value: dict[str, Any] | list[Any], chars: int, how: CutPlace = "head", note: str = "") -> Any | None:
    """`value` cut to at most `chars` characters of JSON, `note` included; None where that cannot be done."""
    room = chars - len(compact(with_note(value, note))) + len(compact(value))
    whole = _cut_strings(value, room, how)
    if whole is not None:
        return with_note(whole, note)
    fewer = _most_items(value, room, how)
    return None if fewer is None else with_note(fewer, note)


def with_note(value: Any, note: str) -> Any:
    """A list or object with a note as its last item."""
    if not note:
        return value
    return [*value, note] if isinstance(value, list) else {**value, NOTE: note}


def _most_items(value: Any, room: int, how: CutPlace) -> Any | None:
    """The value with as many items of each list and object as fit, and at least one."""
    best, low, high = None, 0, 1
    is_doubling = True  # from few to many: what is left out costs no time
    while is_doubling or high - low > 1:
        items = high if is_doubling else (low + high) // 2
        cut = _cut_strings(_cut_items(value, items, how), room, how)
        if cut is None:
            is_doubling, high = False, items
        else:
            best, low = cut, items
            high = high * 2 if is_doubling else high
    return best


def _cut_strings(value: Any, room: int, how: CutPlace) -> Any | None:
    """The value with its long strings cut so that it fits; None where cut strings are not enough."""
    total = len(compact(value))
    if total <= room:
        return value
    lengths = sorted(len(encode_basestring(each)) - 2 for each in _strings(value))
    most = float(_bound(lengths, room - total + sum(lengths)))
    while most >= LEAST_CHARS:
        cut = _cut(value, int(most), how)
        if len(compact(cut)) <= room:
            return cut
        most *= 0.9  # the characters that were kept take more escapes than those that were not
    return None


def _bound(lengths: list[int], room: int) -> int:
    """The bound for each length, lengths in order, so that together they take `room` at most."""
    for at, length in enumerate(lengths):
        left = len(lengths) - at
        if length * left > room:
            return room // left
        room -= length
    return 0


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in cast(dict[str, Any], value).values():
            yield from _strings(each)
    elif isinstance(value, list):
        for each in cast(list[Any], value):
            yield from _strings(each)


def _cut(value: Any, most: int, how: CutPlace) -> Any:
    """The value, no string in it longer than `most` characters of JSON."""
    if isinstance(value, str):
        encoded = len(encode_basestring(value)) - 2
        if encoded <= most:
            return value
        return trim(value, most * len(value) // encoded - _NOTE_ESCAPES, how).text
    if isinstance(value, dict):
        return {name: _cut(each, most, how) for name, each in cast(dict[str, Any], value).items()}
    if isinstance(value, list):
        return [_cut(each, most, how) for each in cast(list[Any], value)]
    return value


def _cut_items(value: Any, items: int, how: CutPlace) -> Any:
    """The value, no list or object in it with more than so many items; a note says how many there were."""
    if isinstance(value, dict):
        members = cast(dict[str, Any], value)
        names = _ends(list(members), items, how)
        kept = {name: _cut_items(members[name], items, how) for name in names}
        return kept if len(kept) == len(members) else with_note(kept, _missing(items, len(members), how))
    if isinstance(value, list):
        every = cast(list[Any], value)
        kept = [_cut_items(each, items, how) for each in _ends(every, items, how)]
        return kept if len(kept) == len(every) else with_note(kept, _missing(items, len(every), how))
    return value


def _ends(items: list[Any], most: int, how: CutPlace) -> list[Any]:
    if len(items) <= most:
        return items
    tail = most // 2 if how == "middle" else 0
    return [*items[: most - tail], *items[len(items) - tail :]]


def _missing(shown: int, total: int, how: CutPlace) -> str:
    which = "first" if how == "head" else "first and last"
    return f"(Cut: the {which} {shown:,} of {total:,} items are shown.)"
