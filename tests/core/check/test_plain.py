"""A mapping becomes plain JSON of our own, within limits, or is refused."""

import enum
import subprocess
import sys
import types
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from oneclaw.core.check.plain import (
    ARGUMENT_BYTES,
    DEPTH,
    VALUES,
    ArgumentsRefused,
    copy,
    inspect,
    is_large,
    walk,
)


def nest(levels: int, inner: Any = 1) -> Any:
    for _ in range(levels):
        inner = {"a": inner}
    return inner


def test_nothing_in_a_copy_is_shared_with_the_original() -> None:
    raw: dict[str, Any] = {"a": {"b": [1, {"c": 2}]}, "d": [[]]}
    found = copy(raw)
    found["a"]["b"][1]["c"] = 3
    found["d"][0].append(1)
    assert raw == {"a": {"b": [1, {"c": 2}]}, "d": [[]]}


class Colour(enum.StrEnum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


def test_what_json_can_hold_becomes_plain() -> None:
    raw = {
        "t": (1, 2),
        "s": Colour.RED,
        "i": Level.HIGH,
        "m": types.MappingProxyType({"x": 1.5}),
        "n": None,
        "b": True,
    }
    found = copy(raw)
    assert found == {"t": [1, 2], "s": "red", "i": 3, "m": {"x": 1.5}, "n": None, "b": True}
    assert [type(each) for each in found.values()] == [list, str, int, dict, type(None), bool]


class Trap(Mapping[str, Any]):
    """A mapping that fails when it is read."""

    def __getitem__(self, key: str) -> Any:
        raise RuntimeError("trap")

    def __iter__(self) -> Iterator[str]:
        yield "a"

    def __len__(self) -> int:
        return 1


def cycle() -> dict[str, Any]:
    round: dict[str, Any] = {}
    round["a"] = [round]
    return round


def laughs() -> dict[str, Any]:
    value: list[Any] = [1]
    for _ in range(50):
        value = [value, value]
    return {"a": value}


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ({1: 2}, "the key 1, which is not a string"),
        ({"a": {None: 2}}, "the key None, which is not a string"),
        ({"a": object()}, "'a' is a Python object"),
        ({"a": [b"x"]}, "'a[0]' is a Python bytes"),
        ({"a": {"b": {1, 2}}}, "'a.b' is a Python set"),
        ({"a": float("nan")}, "nan in 'a' is not a JSON number"),
        ({"a": [float("-inf")]}, "-inf in 'a[0]' is not a JSON number"),
        ({"a": 10**5000}, "more than 4,300 digits"),
        ({"a": "\ud800"}, "half a character (U+D800) in 'a'"),
        ({"\udfff": 1}, "half a character (U+DFFF)"),
        ({"a": "x" * (ARGUMENT_BYTES + 1)}, "larger than 4,194,304 bytes"),
        ({"a": ["x" * 1_000_000] * 5}, "larger than 4,194,304 bytes"),
        ({"a": [0] * (VALUES + 1)}, "more than 250,000 values"),
        ({str(number): 0 for number in range(VALUES + 1)}, "more than 250,000 values"),
        (nest(DEPTH + 1), "nested deeper than 64 levels"),
        (nest(100_000), "nested deeper than 64 levels"),
        (cycle(), "nested deeper than 64 levels"),
        (laughs(), "more than 250,000 values"),
        (Trap(), "could not be read: RuntimeError"),
        ({"a": Trap()}, "could not be read: RuntimeError"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_json_cannot_hold_is_refused(raw: Any, words: str) -> None:
    with pytest.raises(ArgumentsRefused) as caught:
        copy(raw)
    assert words in str(caught.value)
    assert len(str(caught.value)) < 200


def test_what_is_just_within_the_limits_is_copied() -> None:
    assert copy(nest(DEPTH)) == nest(DEPTH)
    assert copy({"a": 10**4_299})["a"] == 10**4_299
    assert len(copy({"a": "x" * (ARGUMENT_BYTES - 10)})["a"]) == ARGUMENT_BYTES - 10


def test_without_the_limit_on_depth_the_validator_ends_the_process() -> None:
    program = """
import resource, jsonschema_rs
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
value = {}
for _ in range(100_000):
    value = {"a": value}
validator = jsonschema_rs.validator_for({"properties": {"a": {"$ref": "#"}}})
print(validator.is_valid(value))
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60, check=False)
    assert ended.returncode < 0, "killed by a signal"


def test_a_decoded_value_is_inspected_for_the_same_limits() -> None:
    inspect(nest(DEPTH))
    inspect({"a": ["é", {"ü": 1.5}]})
    for value in (nest(DEPTH + 1), {"a": [0] * VALUES}, {"a": ["\ud800"]}, {"\ud800": 1}):
        with pytest.raises(ArgumentsRefused):
            inspect(value)


def test_a_walk_meets_every_value() -> None:
    value = {"a": [1, {"b": "x"}], "c": None}
    met = list(walk(value))
    assert len(met) == 6
    assert all(any(each is one for one in met) for each in (value, value["a"], 1, "x", None))


def test_a_value_is_large_by_its_values_or_its_characters() -> None:
    assert not is_large([0] * 1_000)
    assert is_large([0] * 3_000)
    assert is_large({"a": "x" * 600_000})
