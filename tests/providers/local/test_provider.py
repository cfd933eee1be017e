"""Conversations with the embedded model, real and greedy: choice, arguments, refusal, crash, two at once."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from tests.providers.local.conftest import local_models

from oneclaw.app import App
from oneclaw.config import Config
from oneclaw.core.answer import Answered, TextAdded
from oneclaw.core.call import ToolResult
from oneclaw.core.errors import Kind
from oneclaw.core.event import ToolFinished, ToolStarted
from oneclaw.core.message import AssistantMessage, UserMessage
from oneclaw.core.run_event import RunFinished
from oneclaw.core.session import Session
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.base import Request
from oneclaw.providers.local.provider import LocalProvider
from oneclaw.tools.builtin import load

LOOP = "module"
pytestmark = [pytest.mark.asyncio(loop_scope=LOOP)]


@dataclass
class Told:
    """What a message led to."""

    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list[tuple[str, dict[str, Any]]])
    results: list[ToolResult] = field(default_factory=list[ToolResult])
    text: str = ""
    reason: str = ""
    error: str = ""


@dataclass
class House:
    """An app whose model is the embedded one."""

    app: App
    provider: LocalProvider
    folder: Path

    async def say(self, text: str, session: Session | None = None) -> Told:
        told = Told()
        async with aclosing(self.app.run("default", text, session=session)) as events:
            async for event in events:
                if isinstance(event, ToolStarted):
                    told.calls.append((event.tool, dict(event.arguments)))
                elif isinstance(event, ToolFinished):
                    told.results.append(event.result)
                elif isinstance(event, RunFinished):
                    told.text, told.reason, told.error = event.text, event.reason, event.error
        return told


class Lent(LocalProvider):
    """The running processes of another one, which are left running."""

    def __init__(self, provider: LocalProvider) -> None:
        super().__init__(provider.models)
        self._processes = provider._processes  # pyright: ignore[reportPrivateUsage]

    async def close(self) -> None:
        pass


async def open_house(folder: Path, provider: LocalProvider | None = None, **values: Any) -> House:
    provider = provider or LocalProvider(local_models(folder))
    config = Config(home=folder / "home", values={"models.default": "local/smollm2", **values})
    app = App(config, providers={"local": provider})
    await app.__aenter__()
    return House(app, provider, config.workspace_folder)


@pytest_asyncio.fixture(loop_scope=LOOP, scope="module")
async def house(weights: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    opened = await open_house(tmp_path_factory.mktemp("house"))
    yield opened
    await opened.app.__aexit__(None, None, None)


def given(call: tuple[str, dict[str, Any]], *names: str) -> tuple[Any, ...]:
    return (call[0], *(call[1].get(name) for name in names))


async def test_the_time_in_a_city(house: House) -> None:
    told = await house.say("What time is it in Tokyo?")
    assert [given(call, "timezone") for call in told.calls] == [("get_current_time", "Tokyo")]
    assert told.text.startswith("It is ")
    assert "UTC+09:00" in told.text
    assert told.reason == "done"


async def test_a_note_is_written_read_back_and_carried_on(house: House) -> None:
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


async def test_several_requests_in_one_message_are_done_in_order(house: House) -> None:
    told = await house.say("List the files and tell me the time in Berlin")
    assert [call[0] for call in told.calls] == ["list_files", "get_current_time"]
    assert told.text.index("In the workspace") < told.text.index("in Berlin")


async def test_no_part_of_a_request_is_lost(house: House) -> None:
    (house.folder / "one.txt").write_text("first")
    told = await house.say("Copy one.txt to three.txt and then read one.txt and three.txt")
    assert [call[0] for call in told.calls] == ["read_file", "write_file", "read_file", "read_file"]
    assert (house.folder / "three.txt").read_text() == "first"


async def test_what_is_missing_is_asked_for_until_it_is_there(house: House) -> None:
    session = house.app.new_session()
    told = await house.say("Save a file", session)
    assert told.text.startswith("For “write file” I need to know: path (")
    told = await house.say("bread.txt", session)
    assert (told.calls, told.text.count("I need to know: content (")) == ([], 1)
    await house.say("buy bread", session)
    assert (house.folder / "bread.txt").read_text() == "buy bread"


async def test_a_fact_and_the_wish_to_remember_it_are_one_request(house: House) -> None:
    told = await house.say("My favourite colour is teal, remember it")
    assert told.calls == [("memory_store", {"key": "favourite colour", "value": "teal"})]


async def test_plain_talk_calls_nothing(house: House) -> None:
    for text in ("Hello!", "Who are you?", "Thank you!", "help", "How are you today?"):
        told = await house.say(text)
        assert (told.calls, told.reason) == ([], "done")
        assert told.text


async def test_what_it_says_by_itself_is_short_and_marked(house: House) -> None:
    told = await house.say("What is the capital of France?")
    assert told.calls == []
    assert "do not rely on it" in told.text
    assert len(told.text) < 600


async def test_a_path_outside_is_refused_and_said_so(house: House) -> None:
    told = await house.say("Read ../../etc/passwd")
    assert [given(call, "path") for call in told.calls] == [("read_file", "../../etc/passwd")]
    assert told.results[0].kind is Kind.PATH_NOT_ALLOWED
    assert told.text.startswith("I may not go there: ")
    assert "root:" not in told.text


async def test_a_permission_that_is_denied_holds(house: House, tmp_path: Path) -> None:
    opened = await open_house(tmp_path, Lent(house.provider), **{"permissions.needs.files.write": "denied"})
    try:
        told = await opened.say('Save "buy milk" to todo.txt')
        assert told.results[0].kind is Kind.PERMISSION_DENIED
        assert told.text.startswith("I was not allowed to do that: ")
        assert not (opened.folder / "todo.txt").exists()
    finally:
        await opened.app.__aexit__(None, None, None)


async def test_without_the_denial_it_would_have_been_written(house: House) -> None:
    await house.say('Save "other milk" to other.txt')
    assert (house.folder / "other.txt").read_text() == "other milk"


async def test_two_sessions_at_once_each_get_their_own_answer(house: House) -> None:
    first, second = await asyncio.gather(
        house.say("What time is it in Tokyo?"), house.say('Save "two" to two.txt')
    )
    assert first.calls[0][0] == "get_current_time"
    assert "Tokyo" in first.text
    assert (house.folder / "two.txt").read_text() == "two"
    assert second.text == "Saved “two” to two.txt."


@pytest.mark.slow
async def test_a_crash_is_a_sentence_and_the_next_message_is_answered(house: House) -> None:
    await house.say("What time is it in Tokyo?")
    process = house.provider.process_of("smollm2")
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
    fresh = house.provider.process_of("smollm2")
    assert fresh is not None
    assert fresh.pid != process.pid


async def test_stopped_in_the_middle_the_session_goes_on(house: House) -> None:
    session = house.app.new_session()
    async with aclosing(house.app.run("default", "Why is the sky blue?", session=session)) as events:
        async for event in events:
            if isinstance(event, TextAdded):
                break
    process = house.provider.process_of("smollm2")
    assert process is not None
    assert not process.is_busy
    assert (await house.say("What time is it in Rome?", session)).reason == "done"


async def test_a_message_too_long_for_it_is_refused_with_what_to_do(house: House) -> None:
    told = await house.say("word " * 2000)
    assert told.reason == "failed"
    assert "use a bigger model" in told.error


async def test_it_gets_the_tools_for_small_models_alone(house: House) -> None:
    told = await house.say("help")
    assert "edit_file" not in told.text
    assert "Read todo.txt" in told.text


FEW = tuple(load(name).definition for name in ("get_current_time", "read_file", "write_file"))


async def first_answer(provider: LocalProvider, tools: tuple[ToolDefinition, ...]) -> AssistantMessage:
    request = Request("smollm2", [UserMessage("What time is it in Tokyo?")], "", tools)
    async with aclosing(provider.answer(request)) as answers:
        async for answer in answers:
            if isinstance(answer, Answered):
                return answer.message
    raise AssertionError("no answer")


@pytest.mark.slow
@pytest.mark.parametrize("is_warmed", [True, False])
async def test_a_warmed_model_has_read_its_tools_before_it_is_asked(
    weights: Path, tmp_path: Path, is_warmed: bool
) -> None:
    provider = LocalProvider(local_models(tmp_path))
    try:
        if is_warmed:
            await provider.warm("smollm2", FEW)
        message = await first_answer(provider, FEW)
    finally:
        await provider.close()
    assert message.calls[0].name == "get_current_time"
    assert (message.usage.cached > 30) == is_warmed
