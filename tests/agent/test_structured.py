"""Structured answers: runs that end with a value, and what happens on the way to it."""

import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from tests.agent.conftest import Open, drive, kept
from tests.agent.validity import is_valid

from oneclaw import Agent, Limits, Scripted, tool
from oneclaw.agent.answer_type import AnswerType
from oneclaw.agent.document import read_agent, write_agent
from oneclaw.agent.roster import Roster
from oneclaw.core.answer import AnswerEvent, TextAdded
from oneclaw.core.errors import InvalidConfig
from oneclaw.core.event import ToolFinished
from oneclaw.core.event_json import fields_of, read_event
from oneclaw.core.message import UserMessage
from oneclaw.core.run_event import RunFinished
from oneclaw.providers.base import ProviderError, Request
from oneclaw.providers.scripted import Call, Cut, End, Say, ScriptedReply


@dataclass
class City:
    """A city."""

    name: str
    people: int
    motto: str | None = None


class CityModel(BaseModel):
    name: str
    people: int
    motto: str | None = None


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "people": {"type": "integer"}, "motto": {"type": "string"}},
    "required": ["name", "people"],
}
each_type = pytest.mark.parametrize(
    ("output", "value"),
    [
        (City, City("Rome", 2_800_000)),
        (CityModel, CityModel(name="Rome", people=2_800_000)),
        (SCHEMA, {"name": "Rome", "people": 2_800_000}),
    ],
    ids=["dataclass", "pydantic", "schema"],
)
ROME = '{"name": "Rome", "people": 2800000}'
WRONG = '{"name": "Rome", "people": "many"}'
HALF = '{"name": "Ro'


@tool(effect="read")
async def count(city: str) -> int:
    """Count people.

    city: Where.
    """
    return 2_800_000


@each_type
async def test_a_run_ends_with_a_value_of_the_type(open_app: Open, output: Any, value: Any) -> None:
    model = Scripted([Call("count", city="Rome"), ROME], chunk=5)
    app = await open_app(model, tools=[count])
    events, finished = await drive(app, agent=Agent(output=output))
    assert (finished.reason, finished.value, finished.error) == ("done", value, "")
    assert finished.text == ROME
    assert "".join(event.text for event in events if isinstance(event, TextAdded)) == ROME
    assert {request.output for request in model.requests} == {model.requests[0].output}
    assert model.requests[0].output is not None
    assert finished.calls == 1, "only the last answer has to fit"


async def test_without_an_output_any_text_is_the_answer(open_app: Open) -> None:
    """The twin: nobody looks at the answer, and the wrong one passes."""
    model = Scripted([WRONG])
    _, finished = await drive(await open_app(model))
    assert (finished.reason, finished.text, finished.value) == ("done", WRONG, None)
    assert model.requests[0].output is None


async def test_without_the_check_a_wrong_answer_passes(
    open_app: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin of the check: taken out, `people` is a text in an object that says it is a number."""
    monkeypatch.setattr(AnswerType, "read", lambda self, text: City(**json.loads(text)))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    _, finished = await drive(await open_app([WRONG]), agent=Agent(output=City))
    assert finished.reason == "done"
    assert finished.value.people == "many"


async def test_a_wrong_answer_is_asked_for_again_with_every_problem_named(open_app: Open) -> None:
    model = Scripted(['{"people": "many"}', ROME])
    app = await open_app(model)
    _, finished = await drive(app, agent=Agent(output=City))
    assert finished.value == City("Rome", 2_800_000)
    assert finished.rounds == 2
    told = model.requests[1].messages[-1]
    assert isinstance(told, UserMessage)
    assert told.origin == "guard"
    assert "'name' is required but got nothing" in told.text
    assert "'people' expected type 'integer' but got the string \"many\"" in told.text
    assert "JSON Schema" in told.text
    assert is_valid(await kept(app, finished.session))


@pytest.mark.parametrize(("repairs", "asked"), [(2, 3), (0, 1), (4, 5)])
async def test_a_model_that_never_fits_fails_the_run_and_the_error_names_the_field(
    open_app: Open, repairs: int, asked: int
) -> None:
    model = Scripted([WRONG], repeats=True)
    agent = Agent(output=City, limits=Limits(repairs=repairs))
    _, finished = await drive(await open_app(model), agent=agent)
    assert (finished.reason, finished.value) == ("failed", None)
    assert "'people' expected type 'integer'" in finished.error
    assert "City" in finished.error
    assert model.asked == asked


async def test_two_repairs_are_the_default(open_app: Open) -> None:
    model = Scripted([WRONG], repeats=True)
    _, finished = await drive(await open_app(model), agent=Agent(output=City))
    assert (finished.reason, model.asked) == ("failed", 3)


async def test_a_refusal_is_not_asked_again(open_app: Open) -> None:
    model = Scripted([[Say("I will not."), End("refusal")], ROME])
    _, finished = await drive(await open_app(model), agent=Agent(output=City))
    assert (finished.reason, finished.value) == ("refusal", None)
    assert finished.error
    assert model.asked == 1


@pytest.mark.parametrize("end", [End("length"), Cut()])
async def test_a_cut_answer_is_asked_for_once_more_and_shorter(open_app: Open, end: End | Cut) -> None:
    model = Scripted([[Say(HALF), end], ROME])
    app = await open_app(model)
    _, finished = await drive(app, agent=Agent(output=City))
    assert finished.value == City("Rome", 2_800_000)
    told = model.requests[1].messages[-1]
    assert isinstance(told, UserMessage)
    assert "shorter" in told.text
    assert is_valid(await kept(app, finished.session))


@pytest.mark.parametrize(("end", "reason"), [(End("length"), "length"), (Cut(), "cut")])
async def test_an_answer_that_is_cut_twice_ends_the_run(open_app: Open, end: End | Cut, reason: str) -> None:
    model = Scripted([[Say(HALF), end]], repeats=True)
    _, finished = await drive(await open_app(model), agent=Agent(output=City))
    assert (finished.reason, finished.value, model.asked) == (reason, None, 2)


async def test_an_empty_answer_is_asked_again(open_app: Open) -> None:
    app = await open_app(["", ROME])
    _, finished = await drive(app, agent=Agent(output=City))
    assert finished.value == City("Rome", 2_800_000)


async def test_the_limits_of_the_run_hold_over_the_repairs(open_app: Open) -> None:
    model = Scripted([WRONG], repeats=True)
    agent = Agent(output=City, limits=Limits(rounds=1, repairs=None))
    _, finished = await drive(await open_app(model), agent=agent)
    assert (finished.reason, finished.value, model.asked) == ("rounds", None, 2)
    assert "'people' expected type 'integer'" in finished.error


async def test_a_last_answer_at_a_limit_has_its_value(open_app: Open) -> None:
    app = await open_app([Call("count", city="Rome"), ROME], tools=[count])
    _, finished = await drive(app, agent=Agent(output=City, limits=Limits(rounds=1)))
    assert (finished.reason, finished.value) == ("rounds", City("Rome", 2_800_000))


class Old:
    """A provider whose server knows no field for a schema, and refuses it."""

    def __init__(self, reply: str = ROME, status: int = 400) -> None:
        self.asked: list[bool] = []
        self._inner = Scripted([reply], repeats=True)
        self._status = status

    async def answer(self, request: Request) -> AsyncGenerator[AnswerEvent]:
        assert request.output is not None
        self.asked.append(request.output.is_native)
        if request.output.is_native:
            raise ProviderError("unknown field response_format", "request", status=self._status)
        async for answer in self._inner.answer(request):
            yield answer

    async def close(self) -> None:
        """There is nothing to close."""


async def test_a_server_that_refuses_the_field_is_told_the_schema_in_words(open_app: Open) -> None:
    model = Old()
    app = await open_app(model)
    _, finished = await drive(app, agent=Agent(output=City))
    assert finished.value == City("Rome", 2_800_000)
    assert model.asked == [True, False]


async def test_another_refusal_ends_the_run_at_once(open_app: Open) -> None:
    model = Old(status=404)
    _, finished = await drive(await open_app(model), agent=Agent(output=City))
    assert (finished.reason, model.asked) == ("failed", [True])


@pytest.mark.parametrize("output", [City, CityModel, SCHEMA])
async def test_an_asked_agent_returns_its_value(open_app: Open, output: Any) -> None:
    asking = Agent(name="boss", agents=("geo",))
    geo = Agent(name="geo", output=output, model="other/model")
    replies: list[ScriptedReply] = [Call("ask_geo", text="Rome?"), "Done."]
    app = await open_app(replies, providers={"other": Scripted([WRONG, ROME])}, agents=[asking, geo])
    events, finished = await drive(app, agent="boss")
    [result] = [event.result for event in events if isinstance(event, ToolFinished)]
    assert result.value == {"name": "Rome", "people": 2_800_000}
    assert (finished.text, finished.value) == ("Done.", None)


async def test_an_asked_agent_without_a_value_is_an_error(open_app: Open) -> None:
    asking = Agent(name="boss", agents=("geo",))
    geo = Agent(name="geo", output=City, model="other/model")
    refuses = Scripted([[Say("No."), End("refusal")]])
    app = await open_app(
        [Call("ask_geo", text="Rome?"), "Done."], providers={"other": refuses}, agents=[asking, geo]
    )
    events, _ = await drive(app, agent="boss")
    [result] = [event.result for event in events if isinstance(event, ToolFinished)]
    assert result.kind is not None
    assert "refused" in result.message


async def test_the_store_keeps_the_value_in_its_json_form(open_app: Open) -> None:
    app = await open_app([ROME])
    handle = await app.runs.start(Agent(output=City), "go")
    finished = await handle.wait()
    plain = {"name": "Rome", "people": 2_800_000}
    assert fields_of(finished)["value"] == plain
    stored = [each.event for each in await app.store.events.read(handle.id)]
    [last] = [event for event in stored if isinstance(event, RunFinished)]
    assert (last.value, finished.value) == (plain, City("Rome", 2_800_000))
    assert read_event("run_finished", json.loads(json.dumps(fields_of(finished)))).value == plain


async def test_a_file_has_the_schema_as_a_table(open_app: Open, tmp_path: Path) -> None:
    (tmp_path / "geo.toml").write_text("""
[output]
type = "object"
required = ["name", "people"]

[output.properties]
name = { type = "string" }
people = { type = "integer" }
""")
    app = await open_app([WRONG, ROME])
    _, finished = await drive(app, agent=Roster(tmp_path).get("geo"))
    assert finished.value == {"name": "Rome", "people": 2_800_000}


def test_a_document_keeps_the_schema_and_refuses_a_wrong_one() -> None:
    document = write_agent(Agent(name="geo", output=City))
    assert document["output"]["required"] == ["name", "people"]
    assert write_agent(read_agent(document, "geo", "here")) == document
    with pytest.raises(InvalidConfig, match=r"here: output: The schema is wrong at \$.type"):
        read_agent({"output": {"type": "strin"}}, "geo", "here")
    with pytest.raises(InvalidConfig, match="output is 'City'; it must be a table"):
        read_agent({"output": "City"}, "geo", "here")
