"""@tool: functions of every kind become tools, or are refused in one sentence."""

import functools
import importlib
import math
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, Optional, cast

import cloudpickle
import pytest

from oneclaw.core.define.function import tool
from oneclaw.core.errors import InvalidName, InvalidTool, Kind, ToolError
from oneclaw.core.tool import Context, Tool

pickler: Any = cloudpickle


def properties(made: Tool) -> dict[str, Any]:
    return made.definition.parameters["properties"]


@tool
def greet(name: str, times: int = 1) -> str:
    """Say hello.

    name: Who is greeted.
    """
    return f"Hello {name}! " * times


@pytest.mark.covers("FEAT004-AC-01", "FEAT004-AC-04", "RFC004-GO-01", "RFC004-UT-08", "KAI-CO-01")
def test_a_bare_decorator_takes_everything_from_the_function() -> None:
    definition = greet.definition

    assert definition.name == "greet"
    assert definition.description == "Say hello."
    assert definition.parameters == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "Who is greeted."},
            "times": {"type": "integer", "default": 1},
        },
        "required": ["name"],
    }
    assert (definition.isolation, definition.effect, definition.seconds) == ("thread", "unknown", 30.0)
    assert greet.origin.startswith(__file__)


def test_a_tool_can_still_be_called_as_the_function_it_was() -> None:
    assert greet("you") == "Hello you! "
    assert greet.execute({"name": "you", "times": 2}, Context()) == "Hello you! Hello you! "


@pytest.mark.covers("FEAT004-AC-04", "FEAT004-PR-01")
def test_options_reach_the_definition() -> None:
    output = {"type": "string"}

    @tool(
        name="other",
        description="Else.",
        label="Other",
        needs=["files.read", "network"],
        seconds=5,
        group="files",
        version="2",
        effect="read",
        isolation="process",
        resource="file:{path}",
        secrets="TOKEN",
        feature="beta",
        default_on=False,
        chars=100,
        trim="middle",
        spill=False,
        output=output,
    )
    def some(path: str) -> str:
        """Not this."""
        return path

    found = some.definition
    assert (found.name, found.description, found.label) == ("other", "Else.", "Other")
    assert (found.needs, found.secrets) == (("files.read", "network"), ("TOKEN",))
    assert (found.seconds, found.group, found.version, found.effect) == (5, "files", "2", "read")
    assert (found.isolation, found.resource, found.feature) == ("process", "file:{path}", "beta")
    assert (found.default_on, found.chars, found.trim, found.spill) == (False, 100, "middle", False)
    assert found.output is output


def test_none_stands_for_an_option_that_is_not_given() -> None:
    made = tool(name=None, description=None, isolation=None, resource=None)(greet.function or print)

    assert made.definition == greet.definition


async def test_a_coroutine_runs_inline_and_is_given_back_to_be_awaited() -> None:
    @tool
    async def wait(seconds: float) -> float:
        return seconds

    assert wait.definition.isolation == "inline"
    assert await wait.execute({"seconds": 1}, Context()) == 1.0


def first(context: Context, a: int) -> Any:
    return context, a


def last(a: int, ctx: Context | None = None) -> Any:
    return ctx, a


def optional(a: int, ctx: Optional["Context"]) -> Any:
    return ctx, a


def middle(a: int, /, ctx: "Annotated[Context, 'mine']", *, b: int = 0) -> Any:
    return ctx, a


def positional(ctx: Context, a: int, /) -> Any:
    return ctx, a


@pytest.mark.parametrize("function", [first, last, optional, middle, positional])
def test_the_context_goes_where_it_is_asked_for_and_is_not_shown(function: Callable[..., Any]) -> None:
    made = tool(function)
    context = Context("call-1")

    assert "a" in properties(made)
    assert not {"context", "ctx"} & set(properties(made))
    assert made.execute({"a": 1, "ctx": "forged", "context": "forged"}, context) == (context, 1)


def test_a_context_imported_for_type_checkers_only_is_found_by_its_name() -> None:
    namespace: dict[str, Any] = {"__name__": "elsewhere"}
    exec("def named(a: int, ctx: 'Context'): return ctx", namespace)
    named: Callable[..., Any] = namespace["named"]
    context = Context()

    assert tool(named).execute({"a": 1}, context) is context


def test_a_parameter_only_named_context_is_a_parameter() -> None:
    @tool
    def explain(context: str) -> str:
        return context

    assert explain.execute({"context": "a"}, Context()) == "a"


def test_types_of_the_function_around_are_found() -> None:
    @dataclass
    class Local:
        x: int
        inner: "Local | None" = None

    def use(local: "list[Local]") -> list[Local]:
        return local

    made = tool(use)

    assert made.execute({"local": [{"x": 1, "inner": {"x": 2}}]}, Context()) == [Local(1, Local(2))]


def test_postponed_annotations_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "postponed_tools.py"
    module.write_text(
        "from __future__ import annotations\n"
        "from dataclasses import dataclass\n"
        "from datetime import date\n"
        "from typing import NotRequired, Required, TypedDict\n"
        "from oneclaw.core.define.function import tool\n"
        "from oneclaw.core.tool import Context\n"
        "@dataclass\n"
        "class Day:\n"
        "    when: date\n"
        "    next: Day | None = None\n"
        "class Keys(TypedDict, total=False):\n"
        "    must: Required[int]\n"
        "    may: int\n"
        "class More(TypedDict):\n"
        "    must: int\n"
        "    may: NotRequired[date]\n"
        "@tool\n"
        "def plan(ctx: Context, day: Day, keys: Keys, more: More, *, weekly: bool = False):\n"
        "    return day, keys, more\n"
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    plan: Tool = importlib.import_module("postponed_tools").plan
    arguments = {
        "day": {"when": "2024-01-01", "next": {"when": "2024-01-02"}},
        "keys": {"must": 1},
        "more": {"must": 2, "may": "2024-01-03"},
    }
    day, keys, more = plan.execute(arguments, Context())

    assert list(properties(plan)) == ["day", "keys", "more", "weekly"]
    assert properties(plan)["keys"]["required"] == ["must"]
    assert properties(plan)["more"]["required"] == ["must"]
    assert day.next.when == date(2024, 1, 2)
    assert (keys, more) == ({"must": 1}, {"must": 2, "may": date(2024, 1, 3)})


def test_every_kind_of_parameter_is_filled() -> None:
    @tool
    def mixed(
        a: int, b: date = date(2024, 1, 1), /, c: str = "c", *, d: float, e: int | None, **rest: date
    ) -> Any:
        return a, b, c, d, e, rest

    assert mixed.definition.parameters["required"] == ["a", "d"]
    assert mixed.definition.parameters["additionalProperties"] == {"type": "string", "format": "date"}
    assert mixed.execute({"a": 1, "d": 2}, Context()) == (1, date(2024, 1, 1), "c", 2.0, None, {})
    assert mixed.execute({"a": 1, "b": "2025-01-01", "d": 2, "f": "2026-01-01"}, Context()) == (
        *(1, date(2025, 1, 1), "c", 2.0, None),
        {"f": date(2026, 1, 1)},
    )


def test_unknown_arguments_reach_a_function_only_through_kwargs() -> None:
    @tool
    def narrow(a: int) -> int:
        return a

    @tool
    def wide(a: int, ctx: Context, **rest: Any) -> Any:
        return rest

    assert narrow.execute({"a": 1, "zz": 2}, Context()) == 1
    assert wide.execute({"a": 1, "zz": 2, "ctx": 3}, Context()) == {"zz": 2}
    assert wide.definition.parameters["additionalProperties"] is True


def test_a_parameter_without_annotation_takes_any_value() -> None:
    @tool
    def anything(x, y=3):  # type: ignore
        return x, y  # type: ignore

    assert properties(anything) == {"x": {}, "y": {"default": 3}}
    assert anything.execute({"x": [1, {"a": None}]}, Context()) == ([1, {"a": None}], 3)


class Weather:
    """Ask for the weather."""

    def __init__(self, unit: str) -> None:
        self.unit = unit

    def today(self, city: str) -> str:
        """Weather of today.

        city: Where.
        """
        return f"{city} in {self.unit}"

    async def soon(self, city: str) -> str:
        return city

    @classmethod
    def everywhere(cls, unit: str) -> str:
        return f"{cls.__name__} {unit}"

    @staticmethod
    def nowhere(unit: str) -> str:
        return unit

    def __call__(self, city: str, days: int = 1) -> str:
        return f"{city} for {days} in {self.unit}"


class AsyncWeather:
    async def __call__(self, city: str) -> str:
        """Ask slowly."""
        return city


def test_bound_methods_are_tools() -> None:
    made = tool(Weather("°C").today)

    assert (made.name, made.definition.description) == ("today", "Weather of today.")
    assert properties(made) == {"city": {"type": "string", "description": "Where."}}
    assert made.execute({"city": "Oslo"}, Context()) == "Oslo in °C"
    assert tool(Weather("°C").soon).definition.isolation == "inline"
    assert tool(Weather.everywhere).execute({"unit": "K"}, Context()) == "Weather K"
    assert tool(Weather.nowhere).execute({"unit": "K"}, Context()) == "K"


def test_objects_that_can_be_called_are_tools_named_after_their_class() -> None:
    made = tool(Weather("°C"))
    slow = tool(AsyncWeather())

    assert (made.name, made.definition.description) == ("weather", "Ask for the weather.")
    assert made.execute({"city": "Oslo", "days": 2}, Context()) == "Oslo for 2 in °C"
    assert (slow.name, slow.definition.description, slow.definition.isolation) == (
        *("async_weather", "Ask slowly."),
        "inline",
    )


def search(key: str, text: str, limit: int = 3, **more: str) -> Any:
    """Search.

    text: What to look for.
    """
    return key, text, limit, more


def test_what_a_partial_has_set_is_neither_shown_nor_changed_by_a_call() -> None:
    made = tool(functools.partial(search, key="secret", colour="red"))

    assert (made.name, made.definition.description) == ("search", "Search.")
    assert "secret" not in str(made.definition.parameters)
    assert made.execute({"text": "a", "key": "stolen", "colour": "blue", "size": "s"}, Context()) == (
        *("secret", "a", 3),
        {"colour": "red", "size": "s"},
    )
    assert tool(functools.partial(search, "secret")).execute({"text": "a"}, Context())[0] == "secret"
    # Python itself would have let the call change it.
    assert functools.partial(search, key="secret")(text="a", key="stolen")[0] == "stolen"


def test_wrapped_functions_show_the_signature_within_and_run_the_wrapper() -> None:
    calls: list[str] = []

    def logged(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            calls.append("called")
            return function(*args, **kwargs)

        return wrapper

    @tool
    @logged
    def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    assert add.execute({"a": 1, "b": 2}, Context()) == 3
    assert calls == ["called"]
    assert tool(functools.lru_cache(search)).name == "search"


def test_functions_written_in_c_are_tools_when_they_tell_their_parameters() -> None:
    made = tool(math.sqrt)

    assert made.execute({"x": 9}, Context()) == 3.0
    assert made.origin == "math.sqrt"
    with pytest.raises(InvalidTool, match="Python cannot tell its parameters"):
        tool(max)


def refused_generator() -> Any:
    yield 1


async def refused_async_generator() -> Any:
    yield 1


def refused_star(*names: str) -> None: ...


REFUSED: list[tuple[Any, str]] = [
    (refused_generator, "yields, but a call has one result; collect a list and return it"),
    (refused_async_generator, "yields, but a call has one result"),
    (refused_star, r"\*names cannot be filled, .*; write names: list instead"),
    (Weather.today, "is a method without its object; make the tool from the bound method"),
    (Weather, r"Weather is a class; make the tool from an object that can be called: tool\(Weather\(\)\)"),
    (classmethod(cast(Any, search)), "a value of type classmethod, which cannot be called"),
    (5, "a value of type int, which cannot be called"),
    (greet, "'greet' is a tool already"),
]


@pytest.mark.parametrize(("function", "text"), REFUSED)
def test_what_cannot_be_a_tool_is_refused_in_one_sentence(function: Any, text: str) -> None:
    with pytest.raises(InvalidTool, match=text):
        tool(function)


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("getWeather", "get_weather"),
        ("_hidden", "hidden"),
        ("a" * 65, "aaaa"),
        ("größe", "gr_"),
        ("<lambda>", "lambda"),
    ],
)
def test_a_function_name_that_is_not_allowed_is_refused_with_one_that_is(name: str, remedy: str) -> None:
    def function() -> None: ...

    function.__name__ = name
    with pytest.raises(InvalidName, match=rf"@tool\(name='{remedy}"):
        tool(function)
    assert tool(function, name="fine").name == "fine"


def test_a_misspelt_option_is_refused_with_those_there_are() -> None:
    options: dict[str, Any] = {"second": 5}
    with pytest.raises(InvalidTool, match=r"@tool has no option 'second'; known are name, .*seconds"):
        tool(**options)(search)


def test_a_resource_that_names_no_parameter_is_refused() -> None:
    with pytest.raises(
        InvalidTool, match="names 'file', which is not a parameter; parameters are key, text, limit"
    ):
        tool(search, resource="file:{file}")


def with_annotations(name: str, **annotations: Any) -> Callable[..., Any]:
    def function(x: Any) -> Any:
        return x

    function.__name__ = name
    function.__annotations__ = annotations
    return function


def test_a_type_that_cannot_be_found_is_refused_with_its_name() -> None:
    with pytest.raises(InvalidTool, match=r"Tool 'lost': parameter 'x' has an annotation.*'Nowhere' is not"):
        tool(with_annotations("lost", x="Nowhere"))
    with pytest.raises(
        InvalidTool, match=r"Tool 'broken': parameter 'x' has an annotation that cannot be read"
    ):
        tool(with_annotations("broken", x="two words"))


def test_a_return_type_that_cannot_be_found_does_no_harm() -> None:
    lost = with_annotations("lost", **{"x": "int", "return": "Nowhere"})

    assert tool(lost).execute({"x": 1}, Context()) == 1


def test_a_value_that_passes_the_schema_but_not_its_type_is_a_validation_error() -> None:
    @tool
    def plan(day: date) -> date:
        return day

    with pytest.raises(ToolError) as caught:
        plan.execute({"day": "2024-13-45"}, Context())
    assert caught.value.kind is Kind.VALIDATION_ERROR
    assert str(caught.value) == (
        "Argument 'day' is '2024-13-45', but must be an ISO 8601 date such as 2024-01-31."
    )


def test_a_missing_argument_is_a_validation_error_even_past_the_schema() -> None:
    with pytest.raises(ToolError, match=r"Argument 'name' is missing; it is required\."):
        greet.execute({}, Context())


def test_an_error_of_the_function_itself_is_not_touched() -> None:
    @tool
    def fail(x: int) -> None:
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        fail.execute({"x": 1}, Context())


def test_annotated_text_is_not_overruled_by_the_docstring() -> None:
    @tool
    def said(a: Annotated[int, "Annotated."], b: Annotated[int | None, {"minimum": 1}] = None) -> None:
        """Say.

        a: Docstring.
        b: Docstring.
        """

    assert properties(said)["a"]["description"] == "Annotated."
    assert properties(said)["b"] == {"type": "integer", "minimum": 1, "description": "Docstring."}


class Mode(Enum):
    FAST = "fast"


def test_a_tool_travels_to_another_process(tmp_path: Path) -> None:
    factor = 3

    @dataclass
    class Item:
        price: int
        parts: "list[Item]"

    @tool
    def total(item: Item, mode: Mode, day: date, kind: Literal["a"] = "a", *, ctx: Context) -> Any:
        return (
            (item.price + sum(part.price for part in item.parts)) * factor,
            mode.value,
            day.year,
            ctx.call_id,
        )

    carried = tmp_path / "tool.pickle"
    pickler.register_pickle_by_value(sys.modules[__name__])  # the other process cannot import this test
    try:
        carried.write_bytes(pickler.dumps(total.execute))
    finally:
        pickler.unregister_pickle_by_value(sys.modules[__name__])
    script = (
        "import pickle, sys\n"
        "from oneclaw.core.tool import Context\n"
        "execute = pickle.load(open(sys.argv[1], 'rb'))\n"
        "item = {'price': 1, 'parts': [{'price': 2, 'parts': []}]}\n"
        "print(execute({'item': item, 'mode': 'fast', 'day': '2024-01-01'}, Context('c')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(carried)], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "(9, 'fast', 2024, 'c')"


def test_making_tools_imports_nothing_heavy() -> None:
    script = (
        "import sys, oneclaw.core.define.function\n"
        "print([name for name in ('pydantic', 'annotated_types', 'typing_extensions', 'decimal', 'uuid',"
        " 'jsonschema_rs', 'asyncio') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
