"""Python types as JSON Schema, and JSON values as those types."""

import json
import typing
from collections import deque
from collections.abc import Collection, Iterable, Mapping, MutableMapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from pathlib import Path, PurePosixPath
from typing import (
    Annotated,
    Any,
    Generic,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    Required,
    TypedDict,
    TypeVar,
)
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
import typing_extensions
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from pydantic import BaseModel, Field, field_validator

from oneclaw.core.check.arguments import ArgumentCheck
from oneclaw.core.define.default import to_json
from oneclaw.core.define.function import tool
from oneclaw.core.errors import InvalidTool, Kind, ToolError
from oneclaw.core.tool import Context, Tool

T = TypeVar("T")


def tool_for(annotation: Any, **default: Any) -> Tool:
    """A tool with one parameter `x` of this type, which gives back what it received."""

    def echo(x: Any) -> Any:
        return x

    echo.__annotations__ = {"x": annotation}
    echo.__defaults__ = tuple(default.values()) or None
    return tool(echo)


def schema_of(annotation: Any) -> Any:
    return tool_for(annotation).definition.parameters["properties"]["x"]


def receive(annotation: Any, value: Any) -> Any:
    """What the function gets for a JSON value, which must pass the check of arguments first."""
    made = tool_for(annotation)
    checked = ArgumentCheck(made.definition).check({"x": value})
    return made.execute(checked.arguments, Context())


def refusal(annotation: Any, value: Any) -> str:
    with pytest.raises(ToolError) as caught:
        tool_for(annotation).execute({"x": value}, Context())
    assert caught.value.kind is Kind.VALIDATION_ERROR
    return str(caught.value)


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Unit(StrEnum):
    METRE = "m"
    FOOT = "ft"


class Corner(Enum):
    TOP = (0, 0)
    END = (1, 1)


@dataclass
class Point:
    """A point.

    x: How far right.
    """

    x: int
    y: int = 0


@dataclass(frozen=True)
class Node:
    value: int
    children: "tuple[Node, ...]" = ()
    parent: "Node | None" = None


@dataclass
class Meeting:
    when: datetime
    places: list[Point]
    length: timedelta = timedelta(hours=1)
    note: str | None = None
    tags: list[str] = field(default_factory=list[str])
    key: str = field(default="k", init=False)

    def __post_init__(self) -> None:
        if self.length < timedelta(0):
            raise ValueError("a meeting cannot end before it starts")


class Movement(TypedDict, total=False):
    to: Required[Point]
    speed: float


class Trip(Movement):
    by: Literal["car", "train"]
    cost: NotRequired[Decimal | None]


class Place(NamedTuple):
    name: str
    at: Point
    height: float = 0.0


class Address(BaseModel):
    street: str
    number: int | None = None


class Person(BaseModel):
    name: str = Field(min_length=1)
    born: date
    home: Address
    others: list[Address] = []
    friends: "list[Person]" = []

    @field_validator("name")
    @classmethod
    def check_name(cls, name: str) -> str:
        if name == "nobody":
            raise ValueError("nobody is not a name")
        return name


UserId = NewType("UserId", int)
Json = typing_extensions.TypeAliasType("Json", "dict[str, Json] | list[Json] | str | int | None")
Pair = typing_extensions.TypeAliasType("Pair", tuple[T, T], type_params=(T,))

SCHEMAS: list[tuple[Any, dict[str, Any]]] = [
    (str, {"type": "string"}),
    (int, {"type": "integer"}),
    (float, {"type": "number"}),
    (bool, {"type": "boolean"}),
    (None, {"type": "null"}),
    (Any, {}),
    (object, {}),
    (bytes, {"type": "string", "contentEncoding": "base64"}),
    (date, {"type": "string", "format": "date"}),
    (datetime, {"type": "string", "format": "date-time"}),
    (time, {"type": "string", "format": "time"}),
    (timedelta, {"type": "string", "format": "duration"}),
    (UUID, {"type": "string", "format": "uuid"}),
    (Path, {"type": "string"}),
    (PurePosixPath, {"type": "string"}),
    (list, {"type": "array", "items": {}}),
    (list[int], {"type": "array", "items": {"type": "integer"}}),
    (typing.List[int], {"type": "array", "items": {"type": "integer"}}),  # noqa: UP006  # pyright: ignore[reportDeprecated]
    (typing.Tuple, {"type": "array", "items": {}}),  # noqa: UP006  # pyright: ignore[reportDeprecated]
    (Sequence[int], {"type": "array", "items": {"type": "integer"}}),
    (Iterable[int], {"type": "array", "items": {"type": "integer"}}),
    (Collection, {"type": "array", "items": {}}),
    (list[int | None], {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}),
    (set[str], {"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
    (frozenset, {"type": "array", "items": {}, "uniqueItems": True}),
    (tuple, {"type": "array", "items": {}}),
    (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
    (tuple[int, int], {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}),
    (
        tuple[int, str],
        {
            "type": "array",
            "prefixItems": [{"type": "integer"}, {"type": "string"}],
            "items": False,
            "minItems": 2,
            "maxItems": 2,
        },
    ),
    (tuple[()], {"type": "array", "items": False, "minItems": 0, "maxItems": 0}),
    (dict, {"type": "object"}),
    (dict[str, Any], {"type": "object"}),
    (Mapping[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
    (
        dict[Color, int],
        {
            "type": "object",
            "additionalProperties": {"type": "integer"},
            "propertyNames": {"type": "string", "enum": ["red", "blue"]},
        },
    ),
    (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
    (Literal[1, 2], {"type": "integer", "enum": [1, 2]}),
    (
        Literal["a", 1, True],
        {
            "anyOf": [
                {"type": "string", "enum": ["a"]},
                {"type": "integer", "enum": [1]},
                {"type": "boolean", "enum": [True]},
            ]
        },
    ),
    (Literal[Color.RED], {"type": "string", "enum": ["red"]}),
    (Color, {"type": "string", "enum": ["red", "blue"]}),
    (Level, {"type": "integer", "enum": [1, 2]}),
    (Unit, {"type": "string", "enum": ["m", "ft"]}),
    (Corner, {"type": "string", "enum": ["TOP", "END"]}),
    (typing.Optional[int], {"type": "integer"}),  # noqa: UP045
    (int | None, {"type": "integer"}),
    (Literal["a", None], {"type": "string", "enum": ["a"]}),
    (Literal["a"] | Literal["b"], {"type": "string", "enum": ["a", "b"]}),
    (int | float, {"type": "number"}),
    (int | float | None, {"type": "number"}),
    (str | Path, {"type": "string"}),
    (int | Any, {}),
    (typing.Union[int, str], {"anyOf": [{"type": "integer"}, {"type": "string"}]}),  # noqa: UP007
    (int | list[int], {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}]}),
    (UserId, {"type": "integer"}),
    (Pair[int], {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}),
    (T, {}),
    (Annotated[int, "How many."], {"type": "integer", "description": "How many."}),
    (Annotated[int, {"minimum": 1, "examples": [3]}], {"type": "integer", "minimum": 1, "examples": [3]}),
    (Annotated[int, Field(gt=0, lt=10)], {"type": "integer", "minimum": 1, "maximum": 9}),
    (Annotated[float, Field(gt=0, le=1)], {"type": "number", "exclusiveMinimum": 0, "maximum": 1}),
    (Annotated[int, Field(multiple_of=5, ge=0)], {"type": "integer", "multipleOf": 5, "minimum": 0}),
    (
        Annotated[str, Field(min_length=1, max_length=9, pattern="^a", description="A word.")],
        {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "^a", "description": "A word."},
    ),
    (
        Annotated[list[int], Field(max_length=3)],
        {"type": "array", "items": {"type": "integer"}, "maxItems": 3},
    ),
    (Annotated[dict[str, Any], Field(min_length=1)], {"type": "object", "minProperties": 1}),
    (Annotated[int | None, Field(ge=1)], {"type": "integer", "minimum": 1}),
    (Annotated[int, typing_extensions.Doc("How many.")], {"type": "integer", "description": "How many."}),
    (
        Point,
        {
            "type": "object",
            "description": "A point.",
            "properties": {
                "x": {"type": "integer", "description": "How far right."},
                "y": {"type": "integer", "default": 0},
            },
            "required": ["x"],
        },
    ),
    (
        Address,
        {
            "type": "object",
            "properties": {"street": {"type": "string"}, "number": {"type": "integer"}},
            "required": ["street"],
        },
    ),
]


@pytest.mark.covers("RFC004-UT-08")
@pytest.mark.parametrize(("annotation", "schema"), SCHEMAS, ids=[str(each[0]) for each in SCHEMAS])
def test_a_type_has_its_schema(annotation: Any, schema: dict[str, Any]) -> None:
    assert schema_of(annotation) == schema


VALUES: list[tuple[Any, Any, Any]] = [
    (float, 5, 5.0),
    (int, 5.0, 5),
    (bytes, "aGk=", b"hi"),
    (date, "2024-02-29", date(2024, 2, 29)),
    (datetime, "2024-02-29T10:00:00Z", datetime(2024, 2, 29, 10, tzinfo=UTC)),
    (datetime, "2024-02-29 10:00", datetime(2024, 2, 29, 10)),
    (datetime, "2024-02-29T10:00:00+02:00", datetime(2024, 2, 29, 10, tzinfo=timezone(timedelta(hours=2)))),
    (time, "10:30", time(10, 30)),
    (timedelta, "PT1H30M", timedelta(hours=1, minutes=30)),
    (timedelta, "P1W", timedelta(weeks=1)),
    (timedelta, "P1DT0.5S", timedelta(days=1, milliseconds=500)),
    (timedelta, "-PT5M", timedelta(minutes=-5)),
    (timedelta, "90", timedelta(seconds=90)),
    (UUID, "12345678-1234-5678-1234-567812345678", UUID("12345678-1234-5678-1234-567812345678")),
    (Path, "a/b", Path("a/b")),
    (Decimal, 0.1, Decimal("0.1")),
    (Decimal, 7, Decimal(7)),
    (Decimal, "12345678901234567890.123456789", Decimal("12345678901234567890.123456789")),
    (Color, "red", Color.RED),
    (Level, 2, Level.HIGH),
    (Level, 2.0, Level.HIGH),
    (Unit, "m", Unit.METRE),
    (Corner, "END", Corner.END),
    (Literal[Color.BLUE], "blue", Color.BLUE),
    (set[int], [1, 2], {1, 2}),
    (frozenset[date], ["2024-01-01"], frozenset({date(2024, 1, 1)})),
    (AbstractSet[int], [1], {1}),
    (deque[int], [1], deque([1])),
    (tuple[int, ...], [1, 2, 3], (1, 2, 3)),
    (tuple[int, date], [1, "2024-01-01"], (1, date(2024, 1, 1))),
    (Sequence[Color], ["red"], [Color.RED]),
    (dict[int, date], {"-5": "2024-01-01"}, {-5: date(2024, 1, 1)}),
    (dict[Color, int], {"red": 1}, {Color.RED: 1}),
    (MutableMapping[UUID, int], {"1" * 32: 1}, {UUID("1" * 32): 1}),
    (int | str, "5", "5"),
    (str | int, 5, 5),
    (date | str, "2024-01-01", date(2024, 1, 1)),
    (date | str, "soon", "soon"),
    (bool | int, True, True),
    (Literal[1] | bool, True, True),
    (list[date] | date, ["2024-01-01"], [date(2024, 1, 1)]),
    (UserId, 5, 5),
    (Pair[date], ["2024-01-01", "2024-01-02"], (date(2024, 1, 1), date(2024, 1, 2))),
    (Point, {"x": 1}, Point(1, 0)),
    (list[Point], [{"x": 1, "y": 2}], [Point(1, 2)]),
    (
        Meeting,
        {"when": "2024-01-01T00:00:00", "places": [{"x": 1}], "length": "PT2H"},
        Meeting(datetime(2024, 1, 1), [Point(1)], timedelta(hours=2)),
    ),
    (
        Node,
        {"value": 1, "children": [{"value": 2, "children": [{"value": 3}]}]},
        Node(1, (Node(2, (Node(3),)),)),
    ),
    (Node, {"value": 1, "parent": {"value": 2}}, Node(1, (), Node(2))),
    (Movement, {"to": {"x": 1}, "speed": 2}, {"to": Point(1), "speed": 2.0}),
    (Trip, {"to": {"x": 1}, "by": "car", "cost": None}, {"to": Point(1), "by": "car", "cost": None}),
    (Place, {"name": "here", "at": {"x": 1}}, Place("here", Point(1))),
    (Json, {"a": [1, {"b": None}], "c": "d"}, {"a": [1, {"b": None}], "c": "d"}),
    (
        Person,
        {"name": "Ann", "born": "2000-01-01", "home": {"street": "s"}, "friends": []},
        Person(name="Ann", born=date(2000, 1, 1), home=Address(street="s")),
    ),
]


@pytest.mark.parametrize(
    ("annotation", "given_value", "expected"), VALUES, ids=[f"{v[0]} {v[1]}" for v in VALUES]
)
def test_a_value_arrives_as_its_type(annotation: Any, given_value: Any, expected: Any) -> None:
    received = receive(annotation, given_value)

    assert received == expected
    assert type(received) is type(expected)


REFUSED: list[tuple[Any, Any, str]] = [
    (date, "2024-13-45", "Argument 'x' is '2024-13-45', but must be an ISO 8601 date such as 2024-01-31."),
    (datetime, "soon", "an ISO 8601 date and time"),
    (time, "25:00", "an ISO 8601 time"),
    (timedelta, "P1Y", "an ISO 8601 duration such as PT1H30M, or a number of seconds"),
    (timedelta, "P", "an ISO 8601 duration"),
    (timedelta, "P999999999999D", "an ISO 8601 duration"),
    (timedelta, "nan", "an ISO 8601 duration"),
    (UUID, "12", "a UUID"),
    (bytes, "not base64!", "base64 text"),
    (bytes, "ü", "base64 text"),
    (Decimal, "NaN", "a decimal number"),
    (Decimal, "1e99999999999999999999", "a decimal number"),
    (float, 10**400, "a number that fits a float"),
    (int, True, "an integer"),
    (int, 1.5, "an integer"),
    (str, 5, "a string"),
    (bool, 1, "true or false"),
    (Color, "green", "one of 'red', 'blue'"),
    (Level, True, "one of 1, 2"),
    (Literal["a"], [], "one of 'a'"),
    (list[date], ["2024-01-01", "x"], "Argument 'x[1]' is 'x'"),
    (dict[str, date], {"a": "x"}, "Argument 'x.a' is 'x'"),
    (dict[int, int], {"a": 1}, "Argument 'x.a' is 'a', but must be an integer"),
    (tuple[int, int], [1], "an array of 2 items"),
    (set[Any], [[1]], "an array of values that a set can hold"),
    (list[int], "12", "an array"),
    (dict[str, int], [], "an object"),
    (int | date, "x", "an integer or an ISO 8601 date"),
    (Point, {"y": 1}, "Argument 'x.x' is missing"),
    (Point, [], "an object"),
    (list[Point], [{"x": "1"}], "Argument 'x[0].x' is '1'"),
    (
        Meeting,
        {"when": "2024-01-01", "places": [], "length": -5},
        "Argument 'x' was refused by Meeting: a meeting cannot end before it starts",
    ),
    (
        Person,
        {"name": "nobody", "born": "2000-01-01", "home": {"street": 5}},
        "Argument 'x' does not fit Person: name: Value error, nobody is not a name; home.street: Input",
    ),
    (Annotated[date, Field(ge=date(2020, 1, 1))], "2019-12-31", "at least 2020-01-01"),
    (Annotated[timedelta, Field(gt=timedelta(0))], "PT0S", "more than 0:00:00"),
    (Annotated[Decimal, Field(ge=0)], "-1", "at least 0"),
    (Annotated[Decimal, Field(multiple_of=5)], "7", "a multiple of 5"),
    (Annotated[bytes, Field(max_length=1)], "aGk=", "of maximum length 1"),
]


@pytest.mark.parametrize(
    ("annotation", "value", "text"), REFUSED, ids=[f"{v[0]} {str(v[1])[:20]}" for v in REFUSED]
)
def test_a_value_that_is_not_of_its_type_is_refused_in_one_sentence(
    annotation: Any, value: Any, text: str
) -> None:
    message = refusal(annotation, value)

    assert text in message
    assert len(message) < 400
    assert "\n" not in message


def test_a_long_value_is_shortened_in_the_message() -> None:
    assert len(refusal(date, "x" * 1_000_000)) < 300
    assert len(refusal(date, ["x" * 1000] * 1000)) < 300
    assert "a value of type int" in refusal(date, 10**5000)


def test_a_record_that_knows_every_key_wins_in_a_union() -> None:
    @dataclass
    class Small:
        x: int

    @dataclass
    class Large:
        x: int
        y: int = 0

    assert receive(Small | Large, {"x": 1}) == Small(1)
    assert receive(Small | Large, {"x": 1, "y": 2}) == Large(1, 2)


def test_a_tag_chooses_the_record_in_a_union() -> None:
    @dataclass
    class Cat:
        name: str
        kind: Literal["cat"] = "cat"

    @dataclass
    class Dog:
        name: str
        kind: Literal["dog"] = "dog"

    assert receive(Cat | Dog, {"name": "Rex", "kind": "dog"}) == Dog("Rex")


def test_a_type_that_holds_itself_becomes_a_definition() -> None:
    parameters = tool_for(list[Node]).definition.parameters

    assert parameters["properties"]["x"] == {"type": "array", "items": {"$ref": "#/$defs/Node"}}
    assert parameters["$defs"]["Node"]["properties"]["children"]["items"] == {"$ref": "#/$defs/Node"}


def test_types_with_one_name_that_hold_themselves_keep_their_own_definitions() -> None:
    def first() -> type[Any]:
        @dataclass
        class Tree:
            left: "Tree | None" = None

        return Tree

    def second() -> type[Any]:
        @dataclass
        class Tree:
            right: "Tree | None" = None

        return Tree

    parameters = tool_for(tuple[first(), second()]).definition.parameters

    assert set(parameters["$defs"]) == {"Tree", "Tree_2"}
    assert list(parameters["$defs"]["Tree_2"]["properties"]) == ["right"]


def test_only_models_that_hold_themselves_stay_references() -> None:
    parameters = tool_for(Person).definition.parameters
    person = parameters["$defs"]["Person"]

    assert list(parameters["$defs"]) == ["Person"]
    assert person["properties"]["friends"]["items"] == {"$ref": "#/$defs/Person"}
    assert person["properties"]["home"] == schema_of(Address)
    assert "title" not in json.dumps(parameters)


@pytest.mark.parametrize(
    ("annotation", "default", "shown"),
    [
        (int, 5, 5),
        (Color, Color.RED, "red"),
        (date, date(2024, 1, 1), "2024-01-01"),
        (timedelta, timedelta(hours=-1), "-PT3600S"),
        (Path, Path("a"), "a"),
        (set[str], {"b", "a", "c"}, ["a", "b", "c"]),
        (tuple[int, ...], (1, 2), [1, 2]),
        (Point, Point(1, 2), {"x": 1, "y": 2}),
        (Place, Place("a", Point(1)), {"name": "a", "at": {"x": 1, "y": 0}, "height": 0.0}),
        (Address, Address(street="s", number=1), {"street": "s", "number": 1}),
        (bytes, b"hi", "aGk="),
        (int | None, 5, 5),
    ],
)
def test_a_default_is_shown_as_the_json_that_brings_it_back(
    annotation: Any, default: Any, shown: Any
) -> None:
    made = tool_for(annotation, x=default)
    schema = made.definition.parameters

    assert schema["properties"]["x"]["default"] == shown
    assert "required" not in schema
    assert made.execute({}, Context()) == made.execute({"x": shown}, Context()) == default


@pytest.mark.parametrize("default", [None, object(), float("nan"), float("inf"), [object()], (1, 2)])
def test_a_default_without_a_json_form_stays_with_the_function(default: Any) -> None:
    made = tool_for(Any, x=default)

    assert "default" not in made.definition.parameters["properties"]["x"]
    assert made.execute({}, Context()) is default


def test_null_is_shown_only_where_it_differs_from_leaving_out() -> None:
    assert tool_for(int | None).definition.parameters == {
        "type": "object",
        "properties": {"x": {"type": "integer"}},
    }
    assert tool_for(int | None, x=None).definition.parameters["properties"]["x"] == {"type": "integer"}
    assert tool_for(int, x=None).definition.parameters["properties"]["x"] == {"type": "integer"}
    shown = tool_for(int | None, x=5).definition.parameters["properties"]["x"]
    assert shown == {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": 5}


def test_what_is_left_out_of_an_optional_type_arrives_as_none() -> None:
    assert tool_for(int | None).execute({}, Context()) is None
    assert tool_for(int | None, x=5).execute({"x": None}, Context()) is None
    assert tool_for(int, x=None).execute({"x": None}, Context()) is None


class Opaque:
    pass


class Box(Generic[T]):
    pass


@pytest.mark.parametrize(
    "annotation",
    [Opaque, complex, Box[int], type[int], Literal[b"x"], dict[float, int], dict[tuple[int, int], int], 5],
    ids=str,
)
def test_a_type_without_a_json_form_is_refused_with_its_place_and_a_remedy(annotation: Any) -> None:
    with pytest.raises(InvalidTool) as caught:
        tool_for(list[annotation] if annotation != 5 else annotation)

    message = str(caught.value)
    assert message.startswith("Tool 'echo': parameter 'x' has ")
    assert "use str, int" in message


def test_a_refused_type_deep_inside_is_named_with_its_field() -> None:
    @dataclass
    class Outer:
        inner: dict[str, Opaque]

    with pytest.raises(InvalidTool, match=r"parameter 'x' has the type Opaque.* \(in 'inner'\)"):
        tool_for(list[Outer])


def is_one(moment: datetime) -> bool:
    """Whether the clock of its zone shows the time exactly once; Python finds no equal to any other time."""
    return moment.utcoffset() == moment.replace(fold=1 - moment.fold).utcoffset()


SIMPLE: list[tuple[Any, SearchStrategy[Any]]] = [
    (str, st.text()),
    (int, st.integers()),
    (float, st.floats(allow_nan=False, allow_infinity=False)),
    (int | float, st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))),
    (bool, st.booleans()),
    (bytes, st.binary()),
    (date, st.dates()),
    (datetime, st.datetimes(timezones=st.one_of(st.none(), st.just(UTC), st.timezones())).filter(is_one)),
    (time, st.times()),
    (timedelta, st.timedeltas()),
    (UUID, st.uuids()),
    (Path, st.text().map(Path)),
    (Decimal, st.decimals(-(10**20), 10**20, allow_nan=False)),
    (Color, st.sampled_from(Color)),
    (Level, st.sampled_from(Level)),
    (Corner, st.sampled_from(Corner)),
    (Literal["a", 1, True], st.sampled_from(["a", 1, True])),
    (int | None, st.none() | st.integers()),
    (Point, st.builds(Point)),
    (Place, st.builds(Place, height=st.floats(allow_nan=False, allow_infinity=False))),
    (
        Node,
        st.recursive(
            st.builds(Node, st.integers()),
            lambda n: st.builds(Node, st.integers(), st.lists(n, max_size=3).map(tuple)),
        ),
    ),
    (Address, st.builds(Address)),
]
HASHABLE = [pair for pair in SIMPLE if pair[0] not in (Point, Place, Address)]


def structures(
    inner: SearchStrategy[tuple[Any, SearchStrategy[Any]]],
) -> SearchStrategy[tuple[Any, SearchStrategy[Any]]]:
    return st.one_of(
        inner.map(lambda pair: (list[pair[0]], st.lists(pair[1], max_size=4))),
        inner.map(lambda pair: (tuple[pair[0], ...], st.lists(pair[1], max_size=4).map(tuple))),
        inner.map(lambda pair: (dict[str, pair[0]], st.dictionaries(st.text(), pair[1], max_size=4))),
        inner.map(lambda pair: (dict[int, pair[0]], st.dictionaries(st.integers(), pair[1], max_size=4))),
        inner.map(lambda pair: (pair[0] | None, st.none() | pair[1])),
        st.sampled_from(HASHABLE).map(lambda pair: (set[pair[0]], st.sets(pair[1], max_size=4))),
        st.tuples(inner, inner).map(
            lambda two: (tuple[two[0][0], two[1][0]], st.tuples(two[0][1], two[1][1]))
        ),
    )


TYPED = st.recursive(st.sampled_from(SIMPLE), structures, max_leaves=4)


@given(TYPED.flatmap(lambda pair: st.tuples(st.just(pair[0]), pair[1])))
def test_any_value_of_a_supported_type_survives_the_way_through_json(case: tuple[Any, Any]) -> None:
    annotation, value = case
    made = tool_for(annotation)
    arguments = {} if value is None else {"x": json.loads(json.dumps(to_json(value)))}

    checked = ArgumentCheck(made.definition).check(arguments)
    received = made.execute(checked.arguments, Context())

    assert received == value
    assert type(received) is type(value)
    assert checked.repairs == ()


@pytest.mark.parametrize("fold", [0, 1])
def test_an_hour_that_the_clock_shows_twice_keeps_its_offset(fold: int) -> None:
    moment = datetime(1999, 10, 31, 1, tzinfo=ZoneInfo("Europe/Lisbon"), fold=fold)
    assert not is_one(moment)
    made = tool_for(datetime)
    received = made.execute({"x": to_json(moment)}, Context())
    assert isinstance(received, datetime)
    assert received.astimezone(UTC) == moment.astimezone(UTC)
