"""Agents that ask each other, and the tools by which they reach each other's sessions."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from tests.agent.conftest import Open, drive

from oneclaw import Agent, App, Kind, Limits, Scripted, tool
from oneclaw.core.event import QuestionAsked, ToolFinished, ToolProgressed
from oneclaw.core.message import ResultsMessage, Usage, UserMessage
from oneclaw.core.permit.policy import Rules
from oneclaw.core.question import Question
from oneclaw.core.session import Session
from oneclaw.providers.base import Request
from oneclaw.providers.scripted import Call, End, ScriptedReply


def by_agent(**replies: list[ScriptedReply]) -> Callable[[Request], Any]:
    """Replies for each agent, told apart by their instructions."""
    queues = {name: list(each) for name, each in replies.items()}

    def reply(request: Request) -> Any:
        return queues[request.instructions].pop(0)

    return reply


BOSS = Agent(name="boss", instructions="boss", agents=("helper",))
HELPER = Agent(name="helper", instructions="helper", description="Looks things up.")


def results_of(events: list[Any]) -> list[Any]:
    return [event.result for event in events if isinstance(event, ToolFinished)]


async def test_an_agent_asks_another_one_and_gets_its_answer(open_app: Open) -> None:
    model = Scripted(
        [by_agent(boss=[Call("ask_helper", text="the time?"), "It is noon."], helper=["Noon."])], repeats=True
    )
    app = await open_app(model, agents=[HELPER])
    events, finished = await drive(app, agent=BOSS)
    assert [result.value for result in results_of(events)] == ["Noon."]
    assert finished.text == "It is noon."
    asked = next(one for one in model.requests if one.instructions == "helper")
    assert [message.text for message in asked.messages if isinstance(message, UserMessage)] == ["the time?"]
    child = (await app.store.sessions.list(agent="helper"))[0]
    assert child.parent == finished.session


async def test_only_agents_that_name_another_have_the_tool_to_ask_it(open_app: Open) -> None:
    model = Scripted([Call("ask_helper", text="x"), "no"])
    app = await open_app(model, agents=[BOSS, HELPER])
    events, _ = await drive(app, agent="default")
    assert "ask_helper" not in {definition.name for definition in model.requests[0].tools}
    assert results_of(events)[0].kind is Kind.TOOL_NOT_AVAILABLE
    assert "belongs to the agents boss" in results_of(events)[0].message


@pytest.mark.parametrize("is_asked_by_boss", [True, False])
async def test_an_agent_may_not_do_for_another_what_that_one_may_not(
    open_app: Open, is_asked_by_boss: bool
) -> None:
    written: list[str] = []

    @tool(effect="write")
    async def publish(text: str) -> str:
        """Publish.

        text: What.
        """
        written.append(text)
        return "published"

    boss = Agent(name="boss", instructions="boss", agents=("helper",), tools=Rules(deny=("publish",)))
    model = Scripted(
        [
            by_agent(
                boss=[Call("ask_helper", text="publish it"), "ok"],
                helper=[Call("publish", text="secret"), "done"],
            )
        ],
        repeats=True,
    )
    app = await open_app(model, agents=[HELPER, boss], tools=[publish])
    await drive(app, agent="boss" if is_asked_by_boss else "helper")
    assert written == ([] if is_asked_by_boss else ["secret"])  # alone the helper may


async def test_what_an_asked_agent_needs_is_asked_of_the_person_for_the_one_that_asked(
    open_app: Open,
) -> None:
    @tool(needs=["shell"], effect="write")
    async def act() -> str:
        """Act."""
        return "acted"

    model = Scripted(
        [
            by_agent(
                boss=[Call("ask_helper", text="act"), Call("ask_helper", text="again"), "ok"],
                helper=[Call("act"), "done", Call("act"), "done"],
            )
        ],
        repeats=True,
    )
    app = await open_app(model, agents=[HELPER, BOSS], tools=[act])
    prompts: list[Question] = []

    def show(prompt: Question) -> None:
        prompts.append(prompt)
        app.broker.answer(prompt.id, "session")

    app.broker.bind(show, lambda _: None)
    events, finished = await drive(app, agent="boss")
    assert len(prompts) == 1  # the answer holds for the whole of the session that was asked in
    assert (prompts[0].session, prompts[0].agent) == (finished.session, "boss")
    assert any(isinstance(event, QuestionAsked) for event in events)
    grants = await app.grants.of("act")
    assert {grant.holder for grant in grants} == {finished.session}


async def test_a_denial_of_the_asking_agent_holds_for_the_asked_one(open_app: Open) -> None:
    @tool(needs=["shell"], effect="write")
    async def act() -> str:
        """Act."""
        return "acted"

    replies = by_agent(
        boss=[Call("act"), Call("ask_helper", text="act"), "ok"], helper=[Call("act"), "could not"]
    )
    app = await open_app(Scripted([replies], repeats=True), agents=[HELPER, BOSS], tools=[act])

    def refuse(prompt: Question) -> None:
        app.broker.answer(prompt.id, "never")

    app.broker.bind(refuse, lambda _: None)
    told: list[ToolFinished] = []
    app.engine.subscribe(lambda event: told.append(event) if isinstance(event, ToolFinished) else None)
    await drive(app, agent="boss")
    assert [event.result.kind for event in told if event.tool == "act"] == [Kind.PERMISSION_DENIED] * 2


async def test_an_agent_has_the_tool_to_ask_those_it_names_whatever_its_allow_list_says(
    open_app: Open,
) -> None:
    boss = Agent(name="boss", instructions="boss", agents=("helper",), tools=Rules(("read_*",)))
    model = Scripted(["ok"])
    app = await open_app(model, agents=[HELPER])
    await drive(app, agent=boss)
    assert {tool.name for tool in model.requests[0].tools} == {"ask_helper", "read_file"}


async def test_what_a_stopped_agent_has_changed_is_not_told_as_nothing(open_app: Open) -> None:
    @tool(effect="write")
    async def act() -> str:
        """Act."""
        return "acted"

    @tool(effect="read")
    async def hang() -> str:
        """Never come back."""
        hanging.set()
        await asyncio.Event().wait()
        return ""

    hanging = asyncio.Event()
    replies = by_agent(
        boss=[Call("ask_helper", text="act, then wait"), "ok"], helper=[Call("act"), Call("hang")]
    )
    app = await open_app(Scripted([replies], repeats=True), agents=[HELPER], tools=[act, hang])
    run = asyncio.ensure_future(app.ask(BOSS, "go"))
    await hanging.wait()
    run.cancel()
    await asyncio.wait((run,))
    session = (await app.store.sessions.list(agent="boss"))[0].id
    last = (await app.store.messages.load(session))[-1].message
    assert isinstance(last, ResultsMessage)
    assert (last.results[0].kind, last.results[0].effects) == (Kind.CANCELLED, "possible")


async def test_agents_that_ask_in_a_circle_are_ended_by_depth(open_app: Open) -> None:
    one = Agent(name="one", instructions="one", agents=("two",))
    two = Agent(name="two", instructions="two", agents=("one",))

    def reply(request: Request) -> Any:
        if len(request.messages) == 1:
            return Call("ask_two" if request.instructions == "one" else "ask_one", text="you do it")
        results = request.messages[-1]
        assert isinstance(results, ResultsMessage)
        return results.results[0].text

    app = await open_app(Scripted([reply], repeats=True), agents=[one, two])
    _, finished = await drive(app, agent="one")
    assert "no deeper" in finished.text
    assert len(await app.store.sessions.list()) == 4


async def test_what_an_asked_agent_spends_counts_for_the_one_that_asked(open_app: Open) -> None:
    spent = End(usage=Usage(input=600, output=0))
    replies = by_agent(
        boss=[Call("ask_helper", text="x"), "not asked"],
        helper=[[Call("get_current_time"), spent], [Call("get_current_time"), spent], "not asked"],
    )
    app = await open_app(Scripted([replies], repeats=True), agents=[HELPER])
    boss = Agent(name="boss", instructions="boss", agents=("helper",), limits=Limits(tokens=1000))
    _, finished = await drive(app, agent=boss)
    assert (finished.reason, finished.usage.input) == ("tokens", 1200)


async def test_an_asked_agent_that_fails_is_an_error_of_the_call_and_not_of_the_run(open_app: Open) -> None:
    broken = Agent(name="helper", instructions="helper", model="nowhere/model")
    app = await open_app([Call("ask_helper", text="x"), "It failed."], agents=[broken])
    events, finished = await drive(app, agent=BOSS)
    assert results_of(events)[0].kind is Kind.EXECUTION_ERROR
    assert "nowhere" in results_of(events)[0].message
    assert finished.text == "It failed."


async def test_the_work_of_an_asked_agent_is_seen_as_progress(open_app: Open) -> None:
    replies = by_agent(boss=[Call("ask_helper", text="x"), "ok"], helper=[Call("get_current_time"), "done"])
    app = await open_app(Scripted([replies], repeats=True), agents=[HELPER])
    events, _ = await drive(app, agent=BOSS)
    assert "helper: get_current_time" in [event.text for event in events if isinstance(event, ToolProgressed)]


# Sessions of others

ON = {"switches.sessions": True, "switches.message": True, "permissions.needs.sessions.write": "granted"}


async def say(app: App, agent: str, text: str) -> str:
    _, finished = await drive(app, text, agent=agent)
    return finished.session


async def call(app: App, agent: str, name: str, **arguments: Any) -> Any:
    from oneclaw import ToolCall

    return await app.engine.call(ToolCall(name, arguments), app.new_session(agent))


async def test_an_agent_lists_reads_and_writes_its_own_sessions_and_those_of_agents_it_may_ask(
    open_app: Open,
) -> None:
    app = await open_app(
        Scripted(["Hello there."], repeats=True), agents=[BOSS, HELPER, Agent(name="other")], settings=ON
    )
    mine, helpers, others = [await say(app, name, f"I am {name}") for name in ("boss", "helper", "other")]
    listed = await call(app, "boss", "sessions")
    ids = {row["id"] for row in listed.value}
    assert ids >= {mine, helpers}
    assert others not in ids
    read = await call(app, "boss", "sessions", action="read", session=helpers)
    assert "user: I am helper" in read.value
    assert "assistant: Hello there." in read.value
    written = await call(app, "boss", "message", session=helpers, text="do this next")
    assert written.ok, written
    last = (await app.store.messages.load(helpers))[-1].message
    assert isinstance(last, UserMessage)
    assert "From the agent boss" in last.text
    assert "do this next" in last.text
    for tool_name, more in (("sessions", {"action": "read"}), ("message", {"text": "x"})):
        refused = await call(app, "boss", tool_name, session=others, **more)
        assert refused.kind is Kind.PERMISSION_DENIED
    missing = await call(app, "helper", "sessions", action="read", session=mine)
    assert missing.kind is Kind.PERMISSION_DENIED  # the one that is asked does not reach the asker


async def test_a_message_to_a_session_that_runs_is_read_in_its_next_round(open_app: Open) -> None:
    model = Scripted([Call("whisper"), "I heard."])

    @tool(effect="read")
    async def whisper() -> str:
        """Somebody else writes into this session."""
        session = (await app.store.sessions.list())[0]
        await app.runs.tell(Session(session.id, session.agent), UserMessage("psst"))
        return "ok"

    app = await open_app(model, tools=[whisper])
    await drive(app)
    last = model.requests[1].messages[-1]
    assert isinstance(last, UserMessage)
    assert last.text == "psst"


async def test_the_tools_for_sessions_are_off_until_the_owner_turns_them_on(open_app: Open) -> None:
    app = await open_app(Scripted(["x"], repeats=True))
    await say(app, "default", "hi")
    refused = await call(app, "default", "sessions")
    assert refused.kind is Kind.TOOL_NOT_AVAILABLE
