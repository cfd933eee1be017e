"""Arguments that come in pieces, put together again."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.providers.gemini import arguments as gemini_arguments
from oneclaw.providers.gemini.arguments import PiecedArguments, PieceError, read_path

Json = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        | st.dictionaries(st.text(max_size=5), inner, min_size=1, max_size=3)
    ),
    max_leaves=12,
)


def to_pieces(value: Any, path: str = "$") -> Iterator[dict[str, Any]]:
    """A value as Vertex sends it: each string in two pieces and an empty one that ends it."""
    if isinstance(value, dict):
        for name, each in value.items():  # pyright: ignore[reportUnknownVariableType]
            yield from to_pieces(each, f"{path}[{quote(str(name))}]")  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(value, list):
        for number, each in enumerate(value):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            yield from to_pieces(each, f"{path}[{number}]")
    elif isinstance(value, str):
        half = len(value) // 2
        yield {"jsonPath": path, "stringValue": value[:half], "willContinue": True}
        yield {"jsonPath": path, "stringValue": value[half:], "willContinue": True}
        yield {"jsonPath": path, "stringValue": ""}
    elif value is None:
        yield {"jsonPath": path, "nullValue": "NULL_VALUE"}
    else:
        yield {"jsonPath": path, "boolValue" if isinstance(value, bool) else "numberValue": value}


def quote(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


@given(st.dictionaries(st.text(max_size=5), Json, max_size=4))
def test_any_arguments_come_back_whole(arguments: dict[str, Any]) -> None:
    pieced = PiecedArguments()
    for piece in to_pieces(arguments):
        pieced.add(piece)
    assert pieced.value() == arguments


def test_pieces_in_any_order_have_the_right_value() -> None:
    pieced = PiecedArguments()
    for path, value in [("$.a.x", 1), ("$.b", 2), ("$.a.y", 3), ("$.b", 4)]:
        pieced.add({"jsonPath": path, "numberValue": value})
    assert pieced.value() == {"a": {"x": 1, "y": 3}, "b": 4}


def test_a_string_that_was_ended_is_replaced_and_not_added_to() -> None:
    pieced = PiecedArguments()
    pieced.add({"jsonPath": "$.a", "stringValue": "old"})
    pieced.add({"jsonPath": "$.a", "stringValue": "new"})
    assert pieced.value() == {"a": "new"}
    pieced.add({"jsonPath": "$.a", "numberValue": 5})
    assert pieced.value() == {"a": 5}


def test_a_string_goes_on_after_it_was_looked_at() -> None:
    pieced = PiecedArguments()
    pieced.add({"jsonPath": "$.a", "stringValue": "o", "willContinue": True})
    assert pieced.value() == {"a": "o"}
    pieced.add({"jsonPath": "$.a", "stringValue": "k"})
    assert pieced.value() == {"a": "ok"}


def test_whole_arguments_beside_pieces_win() -> None:
    pieced = PiecedArguments()
    pieced.add({"jsonPath": "$.a", "stringValue": "piece", "willContinue": True})
    pieced.merge({"a": "whole", "b": [1]})
    assert pieced.value() == {"a": "whole", "b": [1]}


def test_paths_are_read_in_all_their_forms() -> None:
    assert read_path('$.recipe.steps[0][\'a.b\']["c\\"d"].é') == ("recipe", "steps", 0, "a.b", 'c"d', "é")


@pytest.mark.parametrize(
    "path",
    [
        None,
        5,
        "",
        "a",
        "$",
        "$[0]",
        "$..a",
        "$.a[",
        "$.a[-1]",
        "$.a[*]",
        "$.a" + "[0]" * 200,
        "$." + "a." * 9,
    ],
)
def test_a_path_that_cannot_be_read_is_refused(path: object) -> None:
    with pytest.raises(PieceError):
        read_path(path)


@pytest.mark.parametrize(
    "piece",
    [
        {"jsonPath": "$.list[999999999]", "stringValue": "x"},
        {"jsonPath": "$.list.name", "stringValue": "x"},
        {"jsonPath": "$.list[0].name", "stringValue": "x"},
        {"jsonPath": "$.text.name", "numberValue": 1},
        {"jsonPath": "$.value"},
        {"jsonPath": "$.value", "stringValue": 5},
    ],
)
def test_a_piece_without_a_place_is_refused_and_what_came_stays(piece: dict[str, Any]) -> None:
    pieced = PiecedArguments()
    pieced.add({"jsonPath": "$.list[0]", "stringValue": "first"})
    pieced.add({"jsonPath": "$.text", "stringValue": "t"})
    with pytest.raises(PieceError):
        pieced.add(piece)
    assert pieced.value() == {"list": ["first"], "text": "t"}


def test_without_the_bound_a_far_place_in_a_list_is_no_clean_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    def allow(holder: object, step: object) -> None:
        del holder, step

    monkeypatch.setattr(gemini_arguments, "_check_step", allow)
    with pytest.raises(IndexError):
        PiecedArguments().add({"jsonPath": "$.list[7]", "numberValue": 1})
