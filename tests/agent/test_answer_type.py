"""Types of answers: what is read as a value, what is repaired, and what is said of the rest."""

import json
from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import Any, TypedDict

import pytest
from pydantic import BaseModel, Field, field_validator

from oneclaw.agent.answer_type import AnswerMismatch, AnswerType
from oneclaw.core.errors import InvalidConfig
from oneclaw.core.event_json import answer_json


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Car:
    name: str
    built: date
    colour: Colour = Colour.RED
    owner: str | None = None


@dataclass
class Node:
    name: str
    below: "list[Node]"


class Person(BaseModel):
    name: str = Field(alias="fullName")
    age: int

    @field_validator("age")
    @classmethod
    def is_grown(cls, age: int) -> int:
        if age < 18:
            raise ValueError("a person here is 18 or older")
        return age


class Point(TypedDict):
    x: int
    y: int


SCHEMA = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}, "required": ["n"]}


@pytest.mark.parametrize(
    ("output", "text", "value"),
    [
        (Car, '{"name": "A", "built": "2024-01-31"}', Car("A", date(2024, 1, 31))),
        (
            Car,
            '{"name": "A", "built": "2024-01-31", "colour": "blue", "owner": null}',
            Car("A", date(2024, 1, 31), Colour.BLUE),
        ),
        (
            Node,
            '{"answer": {"name": "a", "below": [{"name": "b", "below": []}]}}',
            Node("a", [Node("b", [])]),
        ),
        (Car, '{"name": "A", "built": "2024-01-31", "colour": null}', Car("A", date(2024, 1, 31))),
        (Person, '{"fullName": "Ada", "age": 36}', Person(fullName="Ada", age=36)),
        (Point, '{"x": 1, "y": 2.0}', {"x": 1, "y": 2}),
        (SCHEMA, '{"n": 1}', {"n": 1}),
        (list[Point], '{"answer": [{"x": 1, "y": 2}]}', [{"x": 1, "y": 2}]),
        (int | None, '{"answer": null}', None),
        ({"enum": ["yes", "no"]}, '{"answer": "no"}', "no"),
    ],
)
def test_a_text_that_fits_is_read_as_a_value(output: Any, text: str, value: Any) -> None:
    assert AnswerType(output).read(text) == value


@pytest.mark.parametrize(
    "text",
    [
        '{"n": "1"}',
        '```json\n{"n": 1}\n```',
        'Here it is: {"n": 1,}',
        "{'n': 1}",
        f'Of course. {" " * 5000}\n```json\n{{"n": 1}}\n```',
    ],
)
def test_spelling_is_repaired(text: str) -> None:
    assert AnswerType(SCHEMA).read(text) == {"n": 1}


@pytest.mark.parametrize(
    ("output", "text", "said"),
    [
        (SCHEMA, '{"n": 0}', "'n' must be at least 1 but got the integer 0"),
        (SCHEMA, "{}", "'n' is required but got nothing"),
        (SCHEMA, " \n", "it is empty"),
        (SCHEMA, "I cannot say.", "it is not valid JSON"),
        (SCHEMA, '{"n": 1', "it was cut off"),
        (SCHEMA, "[1]", "it must be a JSON object, not an array of 1 item"),
        (SCHEMA, '{"n": 1, "n": 2}', 'it holds the key "n" twice'),
        (Car, '{"name": 1, "built": "soon"}', "'name' expected type 'string' but got the integer 1"),
        (Car, '{"name": "A", "built": "soon"}', "'built' is 'soon', but must be an ISO 8601 date"),
        (Car, '{"name": "A"}', "'built' is required"),
        (Person, '{"fullName": "Ada", "age": 3}', "a person here is 18 or older"),
        (list[Point], '{"answer": [{"x": 1}]}', "'answer[0].y' is required"),
        (bool, '{"answer": "yes"}', "'answer' expected type 'boolean'"),
    ],
)
def test_what_does_not_fit_names_the_field(output: Any, text: str, said: str) -> None:
    with pytest.raises(AnswerMismatch) as caught:
        AnswerType(output).read(text)
    assert said in str(caught.value)
    assert "argument" not in str(caught.value).lower()


def test_every_problem_is_named_at_once() -> None:
    with pytest.raises(AnswerMismatch, match=r"'x' is required.*'y' expected type"):
        AnswerType(Point).read('{"y": "up"}')


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (object(), "output is <object object"),
        (print, "which has no JSON form"),
        ({"type": "strin"}, "The schema is wrong at $.type"),
        ({"type": "array", "items": {"$ref": "#"}}, "put the schema under $defs"),
    ],
)
def test_what_is_no_type_and_no_schema_is_refused(output: Any, said: str) -> None:
    with pytest.raises(InvalidConfig) as caught:
        AnswerType(output)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("output", "text"),
    [
        (Car, '{"name": "A", "built": "2024-01-31", "colour": "blue"}'),
        (Person, '{"fullName": "Ada", "age": 36}'),
        (SCHEMA, '{"n": 1}'),
    ],
)
def test_the_json_form_of_a_value_fits_its_schema_and_gives_it_back(output: Any, text: str) -> None:
    of = AnswerType(output)
    value = of.read(text)
    form = answer_json(value)
    assert form == json.loads(text)
    assert of.read(json.dumps(form)) == value
