"""The faster `__init__` makes the same objects as the one of `dataclass`."""

from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest

from oneclaw.core.fast_init import fast_init


@fast_init
@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 2
    tags: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Plain:
    x: int
    y: int = 2
    tags: list[str] = field(default_factory=list[str])


def test_defaults_names_and_positions_work() -> None:
    for made in (Point, Plain):
        point = made(1)
        assert (point.x, point.y, point.tags) == (1, 2, [])
        assert made(y=5, x=4) == made(4, 5)
        assert replace(point, y=9).y == 9
        assert repr(point).startswith(made.__name__)


def test_each_gets_a_list_of_its_own() -> None:
    assert Point(1).tags is not Point(1).tags


def test_it_is_still_frozen_and_slotted() -> None:
    point = Point(1)
    with pytest.raises(FrozenInstanceError):
        point.x = 2  # pyright: ignore[reportAttributeAccessIssue]
    assert not hasattr(point, "__dict__")


def test_a_wrong_argument_is_a_type_error() -> None:
    with pytest.raises(TypeError, match=r"Point.__init__"):
        Point()  # pyright: ignore[reportCallIssue]
    with pytest.raises(TypeError):
        Point(1, 2, [], 4)  # pyright: ignore[reportCallIssue]
