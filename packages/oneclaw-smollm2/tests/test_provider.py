"""Conversations with the tiny model, real and greedy: choice, arguments, refusal, crash, two at once."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from evaluation.trial import Trial, open_model, open_trial

from oneclaw import Kind, ToolDefinition
from oneclaw.config import user_folder
from oneclaw.providers import Answered, AssistantMessage, Request, UserMessage
from oneclaw.tools.builtin import load
from oneclaw_smollm2.provider import NAME, SmolProvider

CACHE = user_folder("cache") / "models"
LOOP = "module"
pytestmark = [pytest.mark.asyncio(loop_scope=LOOP)]


@pytest_asyncio.fixture(loop_scope=LOOP, scope="module")
async def house(model: SmolProvider, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Trial]:
    async with open_trial(tmp_path_factory.mktemp("house"), model) as opened:
        yield opened


def given(call: tuple[str, dict[str, Any]], *names: str) -> tuple[Any, ...]:
    return (call[0], *(call[1].get(name) for name in names))


async def test_the_time_in_a_city(house: Trial) -> None:
    told = await house.say("What time is it in Tokyo?")
    assert [given(call, "timezone") for call in told.calls] == [("get_current_time", "Tokyo")]
    assert told.text.startswith("It is ")
    assert "UTC+09:00" in told.text
    assert told.reason == "done"


async def test_a_note_is_written_read_back_and_carried_on(house: Trial) -> None:
    session = house.app.new_session()
    told = await house.say('Save "buy milk" to todo.txt', session)
    assert [given(call, "path", "content") for call in told.calls] == [("write_file", "todo.txt", "buy milk")]
    assert (house.folder / "todo.txt").read_text() == "buy milk"
    assert told.text == "Saved “buy milk” to todo.txt."
    told = await house.say("Read it back", session)
    assert [given(call, "path") for call in told.calls] == [("read_file", "todo.txt")]
    assert told.text == "todo.txt says:\n\n> buy milk"
    told = await house.say("Read todo.txt and save it as copy.txt", session)
    assert [call[0] for call in told.calls] == ["read_file", "write_file"]
    assert (house.folder / "copy.txt").read_text() == "buy milk"


async def test_several_requests_in_one_message_are_done_in_order(house: Trial) -> None:
    told = await house.say("List the files and tell me the time in Berlin")
    assert [call[0] for call in told.calls] == ["list_files", "get_current_time"]
    assert told.text.index("In the workspace") < told.text.index("in Berlin")


async def test_no_part_of_a_request_is_lost(house: Trial) -> None:
    (house.folder / "one.txt").write_text("first")
    told = await house.say("Read one.txt and save it as three.txt and then read one.txt and three.txt")
    assert [call[0] for call in told.calls] == ["read_file", "write_file", "read_file", "read_file"]
    assert (house.folder / "three.txt").read_text() == "first"


async def test_what_is_missing_is_asked_for_until_it_is_there(house: Trial) -> None:
    session = house.app.new_session()
    told = await house.say("Save a file", session)
    assert told.text.startswith("What shall I write, and to which file?")
    told = await house.say("bread.txt", session)
    assert (told.calls, told.text.count("What shall I write to the file?")) == ([], 1)
    await house.say("buy bread", session)
    assert (house.folder / "bread.txt").read_text() == "buy bread"


async def test_a_fact_and_the_wish_to_remember_it_are_one_request(house: Trial) -> None:
    told = await house.say("My favourite colour is teal, remember it")
    assert told.calls == [("memory_store", {"key": "favourite colour", "value": "teal"})]


async def test_plain_talk_calls_nothing(house: Trial) -> None:
    for text in ("Hello!", "Who are you?", "Thank you!", "help", "How are you today?"):
        told = await house.say(text)
        assert (told.calls, told.reason) == ([], "done")
        assert told.text


async def test_a_question_that_no_tool_answers_is_refused_and_nothing_is_made_up(house: Trial) -> None:
    told = await house.say("What is the capital of France?")
    assert told.calls == []
    assert "Paris" not in told.text
    assert told.text.startswith("I cannot do that")


async def test_what_is_added_to_a_file_never_replaces_it(house: Trial) -> None:
    (house.folder / "shopping.txt").write_text("eggs\n")
    await house.say("put cheese on my shopping list in shopping.txt")
    assert (house.folder / "shopping.txt").read_text() == "eggs\ncheese"


async def test_a_path_outside_is_refused_and_said_so(house: Trial) -> None:
    told = await house.say("Read ../../etc/passwd")
    assert [given(call, "path") for call in told.calls] == [("read_file", "../../etc/passwd")]
    assert told.results[0].kind is Kind.PATH_NOT_ALLOWED
    assert told.text.startswith("I may not go there: ")
    assert "root:" not in told.text


async def test_a_permission_that_is_denied_holds(model: SmolProvider, tmp_path: Path) -> None:
    values = {"permissions.needs.files.write": "denied"}
    async with open_trial(tmp_path, model, **values) as opened:
        told = await opened.say('Save "buy milk" to todo.txt')
        assert told.results[0].kind is Kind.PERMISSION_DENIED
        assert told.text.startswith("I was not allowed to do that: ")
        assert not (opened.folder / "todo.txt").exists()


async def test_without_the_denial_it_would_have_been_written(house: Trial) -> None:
    await house.say('Save "other milk" to other.txt')
    assert (house.folder / "other.txt").read_text() == "other milk"


async def test_two_sessions_at_once_each_get_their_own_answer(house: Trial) -> None:
    first, second = await asyncio.gather(
        house.say("What time is it in Tokyo?"), house.say('Save "two" to two.txt')
    )
    assert first.calls[0][0] == "get_current_time"
    assert "Tokyo" in first.text
    assert (house.folder / "two.txt").read_text() == "two"
    assert second.text == "Saved “two” to two.txt."


async def test_a_crash_is_a_sentence_and_the_next_message_is_answered(
    house: Trial, model: SmolProvider
) -> None:
    await house.say("What time is it in Tokyo?")
    process = model.host.processes.get(NAME)
    assert process is not None
    os.kill(process.pid, signal.SIGSTOP)  # so that it cannot answer before it is killed
    asked = asyncio.ensure_future(house.say("What time is it in Oslo?"))
    while not process.is_busy:
        await asyncio.sleep(0)
    os.kill(process.pid, signal.SIGKILL)
    told = await asked
    assert told.reason == "failed"
    assert "Ask again, and a new one is started." in told.error
    told = await house.say("What time is it in Oslo?")
    assert "in Oslo" in told.text
    fresh = model.host.processes.get(NAME)
    assert fresh is not None
    assert fresh.pid != process.pid


async def test_stopped_in_the_middle_the_session_goes_on(house: Trial, model: SmolProvider) -> None:
    await house.say("What time is it in Tokyo?")
    process, session = model.host.processes.get(NAME), house.app.new_session()
    assert process is not None
    asked = asyncio.ensure_future(house.say("What time is it in Rome?", session))
    while not process.is_busy:
        await asyncio.sleep(0)
    asked.cancel()
    await asyncio.wait([asked])
    assert not process.is_busy
    assert (await house.say("What time is it in Rome?", session)).reason == "done"


async def test_a_message_too_long_for_it_is_refused_with_what_to_do(house: Trial) -> None:
    for size in (500, 20_000):
        told = await house.say("word " * size)
        assert (told.reason, told.calls) == ("done", [])
        assert "shorten it, or use a bigger model" in told.text


async def test_it_gets_the_tools_for_small_models_alone(house: Trial) -> None:
    told = await house.say("help")
    assert "execute_shell_command" not in told.text
    assert "Read todo.txt" in told.text


FEW = tuple(load(name).definition for name in ("get_current_time", "read_file", "write_file"))


async def first_answer(provider: SmolProvider, tools: tuple[ToolDefinition, ...]) -> AssistantMessage:
    request = Request("smollm2", [UserMessage("What time is it in Tokyo?")], "", tools)
    async with aclosing(provider.answer(request)) as answers:
        async for answer in answers:
            if isinstance(answer, Answered):
                return answer.message
    raise AssertionError("no answer")


@pytest.mark.parametrize("is_warmed", [True, False])
async def test_a_warmed_model_has_read_its_tools_before_it_is_asked(
    weights: Path, tmp_path: Path, is_warmed: bool
) -> None:
    async with open_model(tmp_path) as provider:
        if is_warmed:
            await provider.warm("smollm2", FEW)
        message = await first_answer(provider, FEW)
    assert message.calls[0].name == "get_current_time"
    assert (message.usage.cached > 30) == is_warmed
