"""What a tool returned, made plain."""

import json
import re
from collections import OrderedDict, UserDict, deque
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from uuid import UUID

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core import value as value_module
from oneclaw.core.errors import ToolError
from oneclaw.core.value import compact, plain


class Colour(Enum):
    RED = "red"
    DEEP = ("a", 1)


class Level(IntEnum):
    HIGH = 3


class Word(StrEnum):
    YES = "yes"


class Point(NamedTuple):
    x: int
    y: int


@dataclass
class Leaf:
    day: date
    tags: set[str] = field(default_factory=set[str])


@dataclass(slots=True)
class Branch:
    leaf: Leaf
    point: Point


class Model(pydantic.BaseModel):
    when: datetime
    inner: Leaf


class Names(pydantic.RootModel[list[str]]):
    pass


class Unreadable:
    def __str__(self) -> str:
        raise SystemExit(3)


class Loud(str):
    def __str__(self) -> str:
        raise ValueError("no text")


_EXAMPLES: list[tuple[Any, Any]] = [
    (None, None),
    (True, True),
    (3, 3),
    (1.5, 1.5),
    ("text", "text"),
    (float("nan"), "NaN"),
    (float("inf"), "Infinity"),
    (float("-inf"), "-Infinity"),
    (Colour.RED, "red"),
    (Colour.DEEP, ["a", 1]),
    (Level.HIGH, 3),
    (Word.YES, "yes"),
    (Loud("quiet"), "quiet"),
    (datetime(2026, 1, 2, 3, 4, tzinfo=UTC), "2026-01-02T03:04:00+00:00"),
    (date(2026, 1, 2), "2026-01-02"),
    (time(3, 4), "03:04:00"),
    (timedelta(days=1, hours=1, milliseconds=500), "P1DT3600.5S"),
    (timedelta(days=2), "P2D"),
    (timedelta(), "PT0S"),
    (-timedelta(seconds=90), "-PT90S"),
    (Decimal("0.10"), "0.10"),
    (Fraction(1, 3), "1/3"),
    (PurePosixPath("/a/b"), "/a/b"),
    (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    (b"caf\xc3\xa9", "café"),
    (bytearray(b"ab"), "ab"),
    (memoryview(b"ab"), "ab"),
    (b"\xff\x00", {"base64": "/wA=", "bytes": 2}),
    ((1, 2), [1, 2]),
    (deque([1]), [1]),
    (range(3), [0, 1, 2]),
    (frozenset([1]), [1]),
    ({1: "a"}.keys(), [1]),
    ({1: "a"}.values(), ["a"]),
    (Point(1, 2), {"x": 1, "y": 2}),
    (OrderedDict(a=1), {"a": 1}),
    (UserDict(a=(1,)), {"a": [1]}),
    (2**70, 2**70),
    (10**5000, hex(10**5000)),
    ("\ud83d\ude00", "😀"),
    ("lonely \ud800!", "lonely \ufffd!"),
    (Unreadable(), "(a Unreadable that cannot be shown)"),
    (complex(1, 2), "(1+2j)"),
]


@pytest.mark.parametrize(("given", "expected"), _EXAMPLES, ids=lambda each: type(each).__name__)
def test_each_kind_of_value_becomes_what_json_knows(given: Any, expected: Any) -> None:
    turned = plain(given)
    assert turned == expected
    assert json.loads(json.dumps(turned, allow_nan=False)) == turned
    compact(turned).encode()


def test_keys_become_text_as_json_writes_them() -> None:
    turned = plain({1: 1, None: 2, Colour.RED: 4, 2.5: 5, date(2026, 1, 2): 6, "\ud800": 7, False: 8})
    assert turned == {"1": 1, "null": 2, "red": 4, "2.5": 5, "2026-01-02": 6, "\ufffd": 7, "false": 8}


def test_objects_of_dataclasses_and_models_become_objects_all_the_way_down() -> None:
    branch = Branch(Leaf(date(2026, 1, 2), {"t"}), Point(1, 2))
    assert plain([branch]) == [{"leaf": {"day": "2026-01-02", "tags": ["t"]}, "point": {"x": 1, "y": 2}}]
    model = Model(when=datetime(2026, 1, 2, tzinfo=UTC), inner=Leaf(date(2026, 1, 2)))
    assert plain(model) == {
        "when": "2026-01-02T00:00:00+00:00",
        "inner": {"day": "2026-01-02", "tags": []},
    }
    assert plain(Names(["a"])) == ["a"]


def test_a_class_itself_is_text_not_its_fields() -> None:
    assert plain(Leaf).startswith("<class")
    assert plain(Model).startswith("<class")


def test_an_array_becomes_a_list() -> None:
    class Array:
        def tolist(self) -> list[int]:
            return [1, 2]

    assert plain({"array": Array()}) == {"array": [1, 2]}


def test_a_value_that_holds_itself_is_refused() -> None:
    circle: list[Any] = []
    circle.append({"again": [circle, circle]})
    with pytest.raises(ToolError, match="holds itself"):
        plain(circle)


def test_the_same_list_twice_side_by_side_is_no_circle() -> None:
    shared = [1]
    assert plain([shared, shared, {"again": shared}]) == [[1], [1], {"again": [1]}]


def test_a_value_nested_too_deep_is_refused() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ToolError, match="deeper than 100 levels"):
        plain(deep)
    ninety_nine: Any = "end"
    for _ in range(99):
        ninety_nine = [ninety_nine]
    assert plain(ninety_nine) == ninety_nine


def test_a_list_that_doubles_at_every_level_is_refused_at_once() -> None:
    doubled: list[Any] = [0] * 100
    for _ in range(60):
        doubled = [doubled, doubled]
    with pytest.raises(ToolError, match=re.escape("more than 1,000,000 values")):
        plain(doubled)


def test_without_the_limit_the_doubling_list_would_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_module, "VALUES", 2**62)
    doubled: list[Any] = [0]
    for _ in range(16):
        doubled = [doubled, doubled]
    assert compact(plain(doubled)).count("0") == 2**16


@pytest.mark.parametrize("make", [lambda: iter([1]), lambda: (n for n in [1]), lambda: map(str, [1])])
def test_an_iterator_is_refused_because_reading_it_would_run_the_tool_again(make: Any) -> None:
    with pytest.raises(ToolError, match="return a list"):
        plain(make())


def test_a_coroutine_is_refused() -> None:
    async def work() -> None: ...

    coroutine = work()
    with pytest.raises(ToolError, match="returned a coroutine"):
        plain(coroutine)
    coroutine.close()


_anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters())
    | st.binary()
    | st.decimals()
    | st.datetimes()
    | st.timedeltas()
    | st.uuids(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner) | st.tuples(inner),
    max_leaves=20,
)


@given(_anything)
def test_whatever_is_made_plain_is_json_in_utf8_and_stays_as_it_is(anything: Any) -> None:
    turned = plain(anything)
    text = json.dumps(turned, ensure_ascii=False, allow_nan=False)
    assert json.loads(text.encode()) == turned
    assert plain(turned) == turned
