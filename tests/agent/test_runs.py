"""Runs that belong to the program: handles, numbered events, queued messages, what is left of a budget."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from tests.agent.conftest import Open
from tests.store.wal import commits

from oneclaw import Agent, App, Config, Limits, Scripted, tool
from oneclaw.agent.recording import Recording
from oneclaw.agent.run_handle import RunHandle
from oneclaw.agent.runs import SessionBusy
from oneclaw.core.answer import TextAdded
from oneclaw.core.envelope import Envelope
from oneclaw.core.errors import InvalidConfig
from oneclaw.core.event import QuestionAsked, ToolFinished, ToolStarted
from oneclaw.core.event_json import envelope_json, read_envelope
from oneclaw.core.message import UserMessage
from oneclaw.core.pauses import Pauses
from oneclaw.core.run_event import (
    AnswerFinished,
    MessageQueued,
    MessageRead,
    MessageWithdrawn,
    RunFinished,
    RunStarted,
)
from oneclaw.providers.scripted import Call, Say, Wait

AGENT = Agent(model="test/model")


class Gate:
    """A tool that waits until it is let go."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.open = asyncio.Event()

    def tool(self) -> Any:
        @tool(effect="read", seconds=30)
        async def wait() -> str:
            """Wait."""
            self.begun.set()
            await self.open.wait()
            return "waited"

        return wait


def state_of(envelopes: Iterable[Envelope]) -> list[Any]:
    """What a reader shows: the answers in their places, each call with how it stands, and the end."""
    shown: list[Any] = []
    writing = ""
    for each in envelopes:
        match each.event:
            case TextAdded(text):
                writing += text
            case AnswerFinished(message):
                writing = ""
                shown.append(("answer", message.text))
            case ToolFinished():
                shown.append(("call", each.event.call_id, each.event.result.value))
            case RunFinished():
                shown.append(("end", each.event.reason))
            case _:
                pass
    return shown if not writing else [*shown, ("writing", writing)]


async def read(handle: RunHandle, after: int = 0) -> list[Envelope]:
    return [envelope async for envelope in handle.events(after)]


async def test_a_run_goes_on_when_its_reader_leaves_and_others_read_it_from_any_point(
    open_app: Open,
) -> None:
    gate = Gate()
    script = [[Say("I wait. "), Call("wait", id="w")], [Say("Wai"), Say("ted.")]]
    app = await open_app(script, tools=[gate.tool()])
    handle = await app.runs.start(AGENT, "go")
    left: list[Envelope] = []
    async for envelope in handle.events():
        left.append(envelope)
        if isinstance(envelope.event, ToolStarted):
            break
    await gate.begun.wait()
    middle = asyncio.create_task(read(handle, left[-1].number))
    await asyncio.sleep(0)
    gate.open.set()
    finished = await handle.wait()
    assert (finished.reason, finished.text, handle.status) == ("done", "Waited.", "done")
    whole, rest = await read(handle), await middle
    assert (
        state_of(whole) == state_of([*left, *rest]) == state_of([*left, *await read(handle, left[-1].number)])
    )
    assert state_of(whole) == [
        ("answer", "I wait. "),
        ("call", "w", "waited"),
        ("answer", "Waited."),
        ("end", "done"),
    ]
    numbers = [each.number for each in whole]
    assert numbers == sorted(set(numbers))
    assert {(each.run, each.session, each.parent) for each in whole} == {(handle.id, handle.session.id, "")}


async def test_pieces_of_an_answer_are_one_event_once_it_is_whole(open_app: Open) -> None:
    app = await open_app([[Say("one "), Say("two")]])
    handle = await app.runs.start(AGENT, "go")
    live = await read(handle)
    pieces = [each.number for each in live if isinstance(each.event, TextAdded)]
    (answer,) = [each for each in live if isinstance(each.event, AnswerFinished)]
    assert pieces
    assert (answer.first, answer.number) == (pieces[0], pieces[-1] + 1)
    late = await read(handle)
    assert not any(isinstance(each.event, TextAdded) for each in late)
    assert state_of(late) == state_of(live)
    seen_half = [*live[: live.index(answer) - 1], *await read(handle, pieces[0])]
    assert state_of(seen_half) == state_of(late)


async def test_the_store_tells_the_same_to_another_program(open_app: Open) -> None:
    app = await open_app([[Say("Hi "), Call("get_current_time", id="t")], "Done."])
    handle = await app.runs.start(AGENT, "what time is it?")
    finished = await handle.wait()
    stored = await app.store.events.read(handle.id)
    assert state_of(stored)[:1] + state_of(stored)[2:] == [
        ("answer", "Hi "),
        ("answer", "Done."),
        ("end", "done"),
    ]
    assert state_of(stored) == state_of(await read(handle))
    started = stored[0].event
    assert isinstance(started, RunStarted)
    assert started.text == "what time is it?"
    assert stored[-1].event == finished
    record = await app.store.runs.get(handle.id)
    assert record is not None
    assert (record.state, record.origin, record.number) == ("done", "person", 1)


async def test_every_event_goes_through_json_and_back(open_app: Open) -> None:
    gate = Gate()
    gate.open.set()
    app = await open_app([[Say("a"), Call("wait", id="w")], "b"], tools=[gate.tool()])
    handle = await app.runs.start(AGENT, "go")
    document: dict[str, Any] = {}
    for envelope in await read(handle):
        document = envelope_json(envelope)
        again = read_envelope(document)
        assert (again.number, again.first, again.run) == (envelope.number, envelope.first, envelope.run)
        assert type(again.event) is type(envelope.event)
        assert envelope_json(again) == document
    document = {**document, "event": "from_the_future", "more": [1]}
    unknown = read_envelope(document)
    assert envelope_json(unknown) == document


async def test_stopping_ends_the_run_and_it_can_be_resumed_with_what_is_left(open_app: Open) -> None:
    gate = Gate()
    call = [Call("get_current_time")]
    app = await open_app([call, call, [Call("wait")], "Done."], tools=[gate.tool()])
    agent = Agent(name="counted", model="test/model", limits=Limits(rounds=4, repeats=None))
    app.agents.add(agent)
    handle = await app.runs.start(agent, "go")
    await gate.begun.wait()
    await handle.stop()
    assert handle.status == "stopped"
    before = await read(handle)
    assert isinstance(before[-1].event, RunFinished)
    record = await app.store.runs.get(handle.id)
    assert record is not None
    assert record.state == "stopped"
    again = await app.runs.resume(handle.id)
    assert again.id == handle.id
    finished = await again.wait()
    assert (finished.text, finished.rounds) == ("Done.", 4), "three rounds were spent before"
    later = await read(again, before[-1].number)
    assert state_of(later) == [("answer", "Done."), ("end", "done")]
    assert state_of(await read(again)) == [*state_of(before), *state_of(later)]
    with pytest.raises(InvalidConfig, match="has its answer already"):
        await app.runs.resume(handle.id)


async def test_a_message_is_queued_until_the_next_round_and_can_be_withdrawn(open_app: Open) -> None:
    gate = Gate()
    app = await open_app([[Call("wait")], "Yes."], tools=[gate.tool()])
    handle = await app.runs.start(AGENT, "go")
    await gate.begun.wait()
    kept, taken_back = handle.say("And quickly."), handle.say("No, wait.")
    assert handle.withdraw(taken_back)
    assert not handle.withdraw(taken_back)
    gate.open.set()
    await handle.wait()
    assert not handle.withdraw(kept)
    told = [each.event for each in await read(handle)]
    assert MessageQueued(kept, "And quickly.") in told
    assert MessageWithdrawn(taken_back) in told
    assert MessageRead(kept, "And quickly.") in told
    said = [each.message for each in await app.store.messages.load(handle.session.id)]
    assert [each.text for each in said if isinstance(each, UserMessage)] == ["go", "And quickly."]


async def test_the_events_of_an_asked_agent_reach_the_readers_of_the_asker(open_app: Open) -> None:
    asked = Agent(name="clerk", model="other/model")
    asker = Agent(name="boss", model="test/model", agents=("clerk",))
    from oneclaw import Scripted

    other = Scripted(["It is noon."])
    app = await open_app(
        [[Call("ask_clerk", text="What time is it?", id="a")], "Noon."],
        agents=[asked, asker],
        providers={"other": other},
    )
    handle = await app.runs.start(app.agents.get("boss"), "go")
    envelopes = await read(handle)
    inner = [each for each in envelopes if each.run != handle.id]
    assert {each.parent for each in inner} == {handle.id}
    assert ("answer", "It is noon.") in state_of(inner)
    numbers = [each.number for each in envelopes]
    assert numbers == sorted(set(numbers)), "one row of numbers for both"
    assert state_of(await app.store.events.read(handle.id)) == state_of(envelopes)


async def test_one_run_at_a_time_in_a_session_whatever_program_it_is_in(open_app: Open) -> None:
    gate = Gate()
    one = await open_app([[Call("wait")], "Done."], tools=[gate.tool()])
    other = await open_app(["Mine."])
    session = one.new_session()
    handle = await one.runs.start(AGENT, "go", session=session)
    await gate.begun.wait()
    with pytest.raises(SessionBusy, match="running already"):
        await one.runs.start(AGENT, "again", session=session)
    with pytest.raises(SessionBusy, match="in another program"):
        await other.runs.start(AGENT, "again", session=session)
    gate.open.set()
    await handle.wait()
    assert (await (await other.runs.start(AGENT, "again", session=session)).wait()).text == "Mine."


async def test_two_programs_never_go_on_with_a_stale_conversation(open_app: Open) -> None:
    from oneclaw import Scripted

    first, second = Scripted(["one", "three"]), Scripted(["two"])
    one, other = await open_app(first), await open_app(second)
    session = one.new_session()
    for app, text in ((one, "1"), (other, "2"), (one, "3")):
        await (await app.runs.start(AGENT, text, session=session)).wait()
    heard = [each.text for each in first.requests[-1].messages if isinstance(each, UserMessage)]
    assert heard == ["1", "2", "3"]


async def test_what_another_program_writes_during_a_run_is_read_by_the_next_run(open_app: Open) -> None:
    gate = Gate()
    script = Scripted([[Call("wait")], "one", "two"])
    one, other = await open_app(script, tools=[gate.tool()]), await open_app([])
    session = one.new_session()
    handle = await one.runs.start(AGENT, "1", session=session)
    await gate.begun.wait()
    await other.store.messages.append(session, UserMessage("from outside"))
    gate.open.set()
    await handle.wait()
    await (await one.runs.start(AGENT, "2", session=session)).wait()
    heard = [each.text for each in script.requests[-1].messages if isinstance(each, UserMessage)]
    assert sorted(heard) == ["1", "2", "from outside"]


async def test_a_run_that_fails_says_so_and_is_kept_so(open_app: Open) -> None:
    app = await open_app([])
    handle = await app.runs.start(AGENT, "go")
    finished = await handle.wait()
    assert (finished.reason, handle.status) == ("failed", "failed")
    record = await app.store.runs.get(handle.id)
    assert record is not None
    assert record.state == "failed"


async def test_closing_the_app_stops_its_runs(open_app: Open, tmp_path: Any) -> None:
    gate = Gate()
    app: App = await open_app([[Call("wait")], "Done."], tools=[gate.tool()])
    handle = await app.runs.start(AGENT, "go")
    await gate.begun.wait()
    await app.__aexit__(None, None, None)
    assert handle.status == "stopped"
    await app.__aenter__()
    record = await app.store.runs.get(handle.id)
    assert record is not None
    assert record.state == "stopped"


async def test_leaving_the_short_form_early_stops_the_run(open_app: Open) -> None:
    app = await open_app([[Say("a"), Wait(30)]])
    events = app.run(AGENT, "go")
    async for event in events:
        if isinstance(event, TextAdded):
            break
    await events.aclose()
    (record,) = await app.store.runs.list()
    assert record.state == "stopped"


async def test_a_run_in_which_nothing_waits_gives_others_their_turn(open_app: Open) -> None:
    @tool(effect="read")
    async def count(number: int) -> int:
        """Count."""
        return number

    app = await open_app([*([Call("count", number=number)] for number in range(20)), "Done."], tools=[count])
    events = app.run(AGENT, "go")
    async for event in events:
        if isinstance(event, ToolFinished):
            break
    await events.aclose()
    (record,) = await app.store.runs.list()
    assert record.state == "stopped"


async def test_a_round_costs_few_commits_however_many_calls_it_makes(open_app: Open) -> None:
    @tool(effect="read")
    async def count(number: int) -> int:
        """Count."""
        await asyncio.sleep(0)
        return number

    async def written(calls: int) -> int:
        """The commits of a run of five rounds."""
        script = [[Call("count", number=at * 100 + each) for each in range(calls)] for at in range(5)]
        app = await open_app([*script, "Done."], tools=[count])
        path = app.config.home / "oneclaw.db"
        before = commits(path)
        handle = await app.runs.start(AGENT, "go")
        assert (await handle.wait()).calls == 5 * calls
        assert len(await finished_calls(app, handle.id)) == 5 * calls
        return commits(path) - before

    lone, many = await written(1), await written(20)
    assert lone >= 5 * 2, "a row before each call, and its result after it"
    assert many < 100, "each of 100 calls has these two rows, but not a commit for each"


async def finished_calls(app: App, run: str) -> list[str]:
    """The calls that the store says have finished, in the order it tells them."""
    stored = await app.store.events.read(run)
    numbers = [each.number for each in stored]
    assert numbers == sorted(set(numbers))
    return [each.event.call_id for each in stored if isinstance(each.event, ToolFinished)]


async def test_a_reader_from_between_two_calls_of_one_row_gets_the_rest(open_app: Open) -> None:
    calls = [Call("get_current_time", id=name) for name in ("a", "b", "c")]
    app = await open_app([calls, "Done."])
    handle = await app.runs.start(AGENT, "go")
    await handle.wait()
    live = [each for each in await read(handle) if isinstance(each.event, ToolFinished)]
    assert await finished_calls(app, handle.id) == [each.event.call_id for each in live]
    rest = await app.store.events.read(handle.id, live[1].number)
    assert [each.number for each in rest if isinstance(each.event, ToolFinished)] == [live[2].number]


async def test_a_slow_reader_holds_only_so_many_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    from oneclaw.agent import recording as file
    from oneclaw.core.message import AssistantMessage, TextPart

    monkeypatch.setattr(file, "MOST_BEHIND", 50)
    recording = Recording("r", "s")
    reader = recording.read(0, lambda: True)
    recording.tell(RunStarted("s", "a", "m"))
    await anext(reader)
    for _ in range(100):
        recording.tell(TextAdded("x"))
    recording.tell(AnswerFinished(AssistantMessage((TextPart("x" * 100),))))
    rest = [each async for each in reader]
    assert state_of(rest) == [("answer", "x" * 100)]
    assert len(rest) == 1, "the pieces were given up"


@pytest.mark.parametrize("is_paused", [True, False])
async def test_waiting_for_a_person_takes_no_time_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_paused: bool
) -> None:
    """Without the pause the run is out of time before anybody answers."""
    if not is_paused:
        monkeypatch.setattr(Pauses, "seconds", property(lambda _: 0.0))
    model = Scripted([Call("ask_user", question="Who?"), "Ada."])
    config = Config(home=tmp_path, values={"runs.seconds": 1.5, "models.default": "test/model"})
    async with App(config, outside=False, providers={"test": model}) as app:
        handle = await app.runs.start(app.agents.get("default"), "Ask.", origin="api")
        async for envelope in handle.events():
            if isinstance(envelope.event, QuestionAsked):
                give = app.broker.answer, envelope.event.question_id, "Ada"
                asyncio.get_running_loop().call_later(2.5, *give)
        finished = await handle.wait()
        assert finished.reason == ("done" if is_paused else "seconds")
        assert await app.store.questions.list() == []
