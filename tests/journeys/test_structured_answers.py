"""Structured answers with every provider, over HTTP: each is told the schema in its own way."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.agent.test_structured import City, count, each_type
from tests.journeys.wire_servers import Answer, Refuse, answer, call, opened, story, talking
from tests.providers.formats.every import BY_LABEL, each_format
from tests.providers.formats.format import Format, Heard
from tests.providers.judges import judge

from oneclaw import Agent

ROME = '{"name": "Rome", "people": 2800000, "motto": null}'
WRONG = '{"name": "Rome", "people": "many", "motto": null}'
FIELDS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "openai_chat": lambda body: body.get("response_format"),
    "openai_responses": lambda body: body.get("text"),
    "anthropic": lambda body: body.get("output_config"),
    "gemini": lambda body: body.get("generationConfig", {}).get("responseJsonSchema"),
}
"""Where each format has the schema."""


def is_native(format: Format, heard: Heard) -> bool:
    """Whether the schema went into the format's own field; if not, it has to be in the instructions."""
    found = FIELDS[format.wire](heard.body) is not None
    assert found is not ("that fits this JSON Schema" in json.dumps(without_turns(heard.body)))
    return found


def without_turns(body: dict[str, Any]) -> list[Any]:
    told = [body.get(name) for name in ("system", "instructions", "systemInstruction")]
    return [*told, *(each for each in body.get("messages", ()) if each["role"] == "system")]


def strict(format: Format) -> dict[str, Any]:
    return {} if format.is_local else {f"providers.{format.label}.strict": True}


@each_type
@each_format
async def test_a_tool_a_wrong_answer_and_the_value(
    tmp_path: Path, format: Format, output: Any, value: Any
) -> None:
    replies = [call("count", {"city": "Rome"}), answer(WRONG), answer(ROME)]
    async with story(tmp_path, format, replies, tools=[count], values=strict(format)) as (app, server):
        finished = await app.ask(Agent(output=output), "How big is Rome?")
    assert (finished.reason, finished.value, finished.calls) == ("done", value, 1)
    assert server.complaints == []
    natively = {is_native(format, heard) for heard in server.heard}
    for heard in server.heard:
        judge(format.wire, json.dumps(heard.body).encode())
    old_gemini = format.wire == "gemini" and "gemini-3" not in format.model
    assert natively == {not (format.is_local or old_gemini)}
    assert "'people' expected type 'integer'" in server.heard[-1].users[-1]


@each_format
async def test_a_server_that_refuses_the_field_is_asked_in_words(tmp_path: Path, format: Format) -> None:
    replies = [Refuse(400, "unknown field"), answer(ROME)]
    async with story(tmp_path, format, replies, values=strict(format)) as (app, server):
        finished = await app.ask(Agent(output=City), "How big is Rome?")
    assert finished.value == City("Rome", 2_800_000)
    assert not is_native(format, server.heard[-1])
    judge(format.wire, json.dumps(server.heard[-1].body).encode())


@pytest.mark.parametrize(("first", "second"), [("responses", "ollama"), ("ollama", "anthropic")])
async def test_each_model_of_a_chain_is_told_in_its_own_way(tmp_path: Path, first: str, second: str) -> None:
    one, other = BY_LABEL[first], BY_LABEL[second]
    replies: list[Answer] = [answer(WRONG), answer(ROME)]
    async with talking(one, [Refuse(401)]) as failing, talking(other, replies) as going:
        values = {**strict(one), **strict(other)}
        async with opened(tmp_path, failing, going, values=values) as app:
            finished = await app.ask(Agent(output=City, fallbacks=(going.model,)), "How big is Rome?")
    assert finished.value == City("Rome", 2_800_000)
    assert is_native(one, failing.heard[0]) is not one.is_local
    assert [is_native(other, heard) for heard in going.heard] == [not other.is_local] * 2
