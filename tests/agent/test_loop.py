"""The loop: rounds, guards, fallbacks, stopping, and a conversation that is valid whatever happens."""

import asyncio
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from tests.agent.conftest import Open, drive, kept, stop_at
from tests.agent.validity import is_valid

from oneclaw import Agent, App, Kind, Limits, Scripted, tool
from oneclaw.agent import compact
from oneclaw.agent.fitting import Fitting
from oneclaw.agent.runs import SessionBusy
from oneclaw.core.answer import AnswerRestarted, ArgumentsAdded, CallBegun, TextAdded
from oneclaw.core.errors import InvalidConfig
from oneclaw.core.event import ToolFinished, ToolStarted
from oneclaw.core.message import AssistantMessage, ResultsMessage, Usage, UserMessage
from oneclaw.core.run_event import (
    HistoryCompacted,
    ModelSwitched,
    RoundFinished,
    RunEvent,
    RunFinished,
    RunStarted,
    UsageCounted,
)
from oneclaw.providers.base import Request
from oneclaw.providers.scripted import Call, Cut, End, Fail, Say, ScriptedReply, Wait


@tool(effect="read")
async def echo(text: str) -> str:
    """Give back what was said.

    text: What to say.
    """
    return text


@tool(effect="read", seconds=60)
async def hang() -> str:
    """Never come back."""
    await asyncio.Event().wait()
    return ""


async def test_a_run_yields_text_calls_results_rounds_usage_and_the_end(open_app: Open) -> None:
    usage = Usage(input=100, output=10, cached=40, reasoning=3)
    app = await open_app(
        [[Say("Looking. "), Call("echo", text="a"), Call("echo", text="b"), End(usage=usage)], "Done."],
        tools=[echo],
    )
    events, finished = await drive(app)
    kinds = [type(event) for event in events]
    for kind in (RunStarted, TextAdded, CallBegun, ArgumentsAdded, ToolStarted, ToolFinished):
        assert kind in kinds
    assert kinds.count(RoundFinished) == kinds.count(UsageCounted) == 2
    assert kinds.index(ToolFinished) < kinds.index(RoundFinished)
    assert finished.reason == "done"
    assert finished.text == "Done."
    assert finished.error == ""
    assert (finished.rounds, finished.calls, finished.usage) == (2, 2, usage)
    assert is_valid(await kept(app, finished.session))


@pytest.mark.covers("KAI-EF-02")
async def test_the_model_is_shown_the_results_and_asked_again(open_app: Open) -> None:
    model = Scripted([Call("echo", text="seven"), "It is seven."])
    app = await open_app(model, tools=[echo])
    await drive(app, "what is it?")
    first, second = model.requests
    assert [type(message) for message in first.messages] == [UserMessage]
    results = second.messages[-1]
    assert isinstance(results, ResultsMessage)
    assert results.results[0].value == "seven"
    assert first.tools is second.tools  # so that nothing is written anew for the wire


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (Call("no_such_tool"), Kind.TOOL_NOT_FOUND),
        (Call("echo", '{"text": '), Kind.VALIDATION_ERROR),
        (Call("echo", wrong=1), Kind.VALIDATION_ERROR),
    ],
)
async def test_a_bad_call_is_an_error_result_and_the_run_goes_on(
    open_app: Open, call: Call, kind: Kind
) -> None:
    app = await open_app([call, "I see."], tools=[echo])
    events, finished = await drive(app)
    results = [event.result for event in events if isinstance(event, ToolFinished)]
    assert [result.kind for result in results] == [kind]
    assert finished.text == "I see."


@pytest.mark.covers("KAI-EF-01")
async def test_calls_of_one_answer_run_side_by_side(open_app: Open) -> None:
    met = asyncio.Barrier(3)

    @tool(effect="read", seconds=20)
    async def meet() -> None:
        """Wait for the others."""
        await met.wait()

    app = await open_app([[Call("meet")] * 3, "Met."], tools=[meet])
    events, _ = await drive(app)
    assert [event.result.ok for event in events if isinstance(event, ToolFinished)] == [True] * 3


async def test_calls_with_the_same_id_are_told_apart_within_and_across_answers(open_app: Open) -> None:
    same: ScriptedReply = [Call("echo", id="call_0", text="a"), Call("echo", id="call_0", text="b")]
    app = await open_app([same, same, "Done."], tools=[echo])
    _, finished = await drive(app)
    messages = await kept(app, finished.session)
    ids = [call.id for message in messages if isinstance(message, AssistantMessage) for call in message.calls]
    assert len(set(ids)) == 4
    assert ids[0] == "call_0"
    assert is_valid(messages)


# Guards


@pytest.mark.covers("KAI-SG-01")
async def test_after_the_last_round_there_is_one_request_without_calls_and_an_answer(open_app: Open) -> None:
    replies: list[ScriptedReply] = [Call("echo", text=str(number)) for number in range(15)]
    model = Scripted([*replies, "That is all I know."])
    app = await open_app(model, tools=[echo])
    _, finished = await drive(app)
    assert (finished.reason, finished.text, finished.rounds) == ("rounds", "That is all I know.", 16)
    assert [request.can_call for request in model.requests] == [True] * 15 + [False]
    last = model.requests[-1].messages[-1]
    assert isinstance(last, UserMessage)
    assert last.origin == "guard"
    assert "15 rounds" in last.text


@pytest.mark.covers("FEAT004-ER-05")
async def test_without_the_limit_of_rounds_the_loop_goes_on(open_app: Open) -> None:
    replies: list[ScriptedReply] = [Call("echo", text=str(number)) for number in range(20)]
    app = await open_app([*replies, "Done."], tools=[echo])
    _, finished = await drive(app, agent=Agent(name="free", limits=Limits(rounds=None)))
    assert (finished.reason, finished.rounds) == ("done", 21)


async def test_a_model_that_calls_in_its_last_answer_is_not_obeyed(open_app: Open) -> None:
    said: list[str] = []

    @tool
    async def act(text: str) -> str:
        """Act.

        text: How.
        """
        said.append(text)
        return "ok"

    app = await open_app([Call("act", text="1"), Call("act", text="2")], tools=[act])
    _, finished = await drive(app, agent=Agent(name="short", limits=Limits(rounds=1)))
    assert said == ["1"]
    assert finished.reason == "rounds"
    assert "1 rounds" in finished.error
    assert finished.text == ""
    assert not finished.is_answer
    assert is_valid(await kept(app, finished.session))


@pytest.mark.covers("KAI-SG-02")
async def test_the_same_call_with_the_same_result_three_times_ends_the_loop_with_an_answer(
    open_app: Open,
) -> None:
    model = Scripted([Call("echo", text="x")] * 3 + ["I am stuck with x."])
    app = await open_app(model, tools=[echo])
    _, finished = await drive(app)
    assert (finished.reason, finished.text, finished.calls) == ("repeats", "I am stuck with x.", 3)
    told = model.requests[-1].messages[-1]
    assert isinstance(told, UserMessage)
    assert "echo" in told.text
    assert told.origin == "guard"


async def test_a_polling_tool_may_be_asked_as_often_as_the_rounds_allow(open_app: Open) -> None:
    @tool(effect="read", polls=True)
    async def status() -> str:
        """How far it is."""
        return "working"

    app = await open_app([Call("status")] * 6 + ["It is still working."], tools=[status])
    _, finished = await drive(app)
    assert (finished.reason, finished.calls) == ("done", 6)


async def test_without_the_limit_of_repeats_the_same_call_goes_on(open_app: Open) -> None:
    app = await open_app([Call("echo", text="x")] * 6 + ["Done."], tools=[echo])
    _, finished = await drive(app, agent=Agent(name="free", limits=Limits(repeats=None)))
    assert (finished.reason, finished.calls) == ("done", 6)


async def test_calls_over_the_limit_are_refused_and_the_model_gives_a_last_answer(open_app: Open) -> None:
    three: ScriptedReply = [Call("echo", text="1"), Call("echo", text="2"), Call("echo", text="3")]
    app = await open_app([three, "Two of three."], tools=[echo])
    events, finished = await drive(app, agent=Agent(name="few", limits=Limits(calls=2)))
    results = {event.result.call_id: event.result for event in events if isinstance(event, ToolFinished)}
    assert [result.ok for _, result in sorted(results.items())] == [True, True, False]
    assert (finished.reason, finished.text, finished.calls) == ("calls", "Two of three.", 2)


async def test_tokens_over_the_limit_end_the_run_without_another_request(open_app: Open) -> None:
    model = Scripted([[Call("echo", text="1"), End(usage=Usage(input=900, output=200))], "not asked"])
    app = await open_app(model, tools=[echo])
    _, finished = await drive(app, agent=Agent(name="thrifty", limits=Limits(tokens=1000)))
    assert finished.reason == "tokens"
    assert "1,100 tokens" in finished.error
    assert model.asked == 1
    assert is_valid(await kept(app, finished.session))


async def test_cost_over_the_limit_ends_the_run_and_is_counted_by_the_price_of_the_model(
    open_app: Open,
) -> None:
    prices = {"models.test/model.input_price": 10.0, "models.test/model.output_price": 20.0}
    model = Scripted([[Call("echo", text="1"), End(usage=Usage(input=100_000, output=50_000))], "not asked"])
    app = await open_app(model, tools=[echo], settings=prices)
    events, finished = await drive(app, agent=Agent(name="thrifty", limits=Limits(cost=1.5)))
    assert finished.reason == "cost"
    assert finished.cost == pytest.approx(2.0)
    assert model.asked == 1
    counted = next(event for event in events if isinstance(event, UsageCounted))
    assert counted.cost == pytest.approx(2.0)  # pyright: ignore[reportUnknownMemberType]
    assert (await app.store.messages.usage(finished.session))[1] == pytest.approx(2.0)  # pyright: ignore[reportUnknownMemberType]


@pytest.mark.parametrize("reply", [Call("hang"), [Say("Half "), Wait(60)]])
async def test_time_over_the_limit_stops_a_call_and_an_answer_where_they_are(
    open_app: Open, reply: ScriptedReply
) -> None:
    app = await open_app([reply, "late"], tools=[hang])
    _, finished = await asyncio.wait_for(
        drive(app, agent=Agent(name="quick", limits=Limits(seconds=0.2))), timeout=10
    )
    assert finished.reason == "seconds"
    assert finished.text == ("Half " if isinstance(reply, list) else "")
    assert finished.error
    assert is_valid(await kept(app, finished.session))


async def test_an_answer_that_was_cut_for_its_length_never_runs_the_half_call(open_app: Open) -> None:
    app = await open_app([[Call("echo", '{"text": "ab'), End("length")], "Shorter."], tools=[echo])
    events, finished = await drive(app)
    assert not any(isinstance(event, ToolStarted) for event in events)
    result = next(event.result for event in events if isinstance(event, ToolFinished))
    assert result.kind is Kind.VALIDATION_ERROR
    assert "cut off" in result.message
    assert finished.text == "Shorter."


async def test_a_stream_that_broke_off_for_good_never_runs_its_calls(open_app: Open) -> None:
    app = await open_app([[Call("echo", text="whole"), Cut()], "Again."], tools=[echo])
    events, finished = await drive(app)
    assert not any(isinstance(event, ToolStarted) for event in events)
    assert finished.text == "Again."
    assert is_valid(await kept(app, finished.session))


@pytest.mark.parametrize("finish", ["refusal", "length"])
async def test_a_refusal_and_a_text_that_is_too_long_are_said(open_app: Open, finish: Any) -> None:
    app = await open_app([[Say("I cannot"), End(finish)]])
    _, finished = await drive(app)
    assert (finished.reason, finished.text) == (finish, "I cannot")
    assert finished.error


@pytest.mark.parametrize("silences", [1, 2, 3])
async def test_a_model_that_says_nothing_is_asked_again_twice(open_app: Open, silences: int) -> None:
    nothing = [End(usage=Usage(input=10))]
    app = await open_app([*(nothing for _ in range(silences)), "Here."])
    _, finished = await drive(app)
    if silences <= 2:
        assert (finished.reason, finished.text) == ("done", "Here.")
    else:
        assert finished.reason == "failed"
        assert "said nothing 3 times" in finished.error
    assert is_valid(await kept(app, finished.session))
    assert (await app.store.messages.usage(finished.session))[
        0
    ].input == 10 * silences  # what it took is kept


# Failures and fallbacks


async def test_a_failed_request_is_made_again_and_what_was_shown_is_void(open_app: Open) -> None:
    app = await open_app([[Say("Half"), Fail("overload", seconds=0.01)], "Whole."])
    events, finished = await drive(app)
    assert any(isinstance(event, AnswerRestarted) for event in events)
    assert finished.text == "Whole."
    texts = [
        message.text
        for message in (await kept(app, finished.session))
        if isinstance(message, AssistantMessage)
    ]
    assert texts == ["Whole."]


async def test_a_model_that_fails_for_good_ends_the_run_with_one_sentence_and_nothing_is_lost(
    open_app: Open,
) -> None:
    app = await open_app([Fail("key", "The key was refused."), "Now it works."])
    _, finished = await drive(app, "remember me")
    assert (finished.reason, finished.error) == ("failed", "The key was refused.")
    _, again = await drive(app, "and now?", session=finished.session)
    assert again.text == "Now it works."
    said = [
        message.text for message in (await kept(app, finished.session)) if isinstance(message, UserMessage)
    ]
    assert said == ["remember me", "and now?"]


async def test_the_next_model_of_the_chain_takes_over_where_the_first_one_failed(open_app: Open) -> None:
    first, second = Scripted([Call("echo", text="1"), Fail("quota")]), Scripted(["From the second."])
    app = await open_app(first, providers={"other": second}, tools=[echo])
    agent = Agent(name="safe", fallbacks=("other/model",))
    events, finished = await drive(app, agent=agent)
    switched = next(event for event in events if isinstance(event, ModelSwitched))
    assert (switched.failed, switched.model) == ("test/model", "other/model")
    assert finished.text == "From the second."
    assert isinstance(second.requests[0].messages[-1], ResultsMessage)  # nothing was run twice
    last = (await kept(app, finished.session))[-1]
    assert isinstance(last, AssistantMessage)
    assert last.model == "other/model"


async def test_the_options_of_one_provider_reach_no_other_of_the_chain(open_app: Open) -> None:
    first, second = Scripted([Fail("quota")]), Scripted(["Done."])
    app = await open_app(first, providers={"other": second})
    options: dict[str, dict[str, object]] = {"test": {"thinking": {"type": "adaptive"}}, "other": {"seed": 7}}
    _, finished = await drive(app, agent=Agent(name="safe", fallbacks=("other/model",), options=options))
    assert finished.text == "Done."
    assert (first.requests[0].options, second.requests[0].options) == (options["test"], options["other"])


async def test_options_of_a_provider_that_is_not_there_are_refused(open_app: Open) -> None:
    app = await open_app(["Done."])
    agent = Agent(name="safe", options={"antropic": {"thinking": True}})
    with pytest.raises(InvalidConfig, match=r"options\.antropic, .*Did you mean anthropic"):
        await drive(app, agent=agent)


@pytest.mark.covers("KAI-SG-06")
async def test_a_fallback_whose_window_is_too_small_is_passed_over(open_app: Open) -> None:
    first, small, large = Scripted([Fail("server")]), Scripted(["small"]), Scripted(["large"])
    app = await open_app(
        first,
        providers={"small": small, "large": large},
        settings={"models.small/m.window": 1000},
    )
    agent = Agent(name="safe", fallbacks=("small/m", "large/m"))
    _, finished = await drive(app, "word " * 4000, agent=agent)
    assert finished.text == "large"
    assert small.asked == 0


@pytest.mark.covers("KAI-SG-06")
async def test_when_no_fallback_fits_the_error_says_so(open_app: Open) -> None:
    app = await open_app(
        [Fail("quota", "Nothing left.")],
        providers={"small": Scripted(["small"])},
        settings={"models.small/m.window": 1000},
    )
    agent = Agent(name="safe", fallbacks=("small/m",))
    _, finished = await drive(app, "word " * 4000, agent=agent)
    assert finished.reason == "failed"
    assert "Nothing left." in finished.error
    assert "small/m reads 1,000 tokens" in finished.error


async def test_without_a_model_the_error_says_how_to_get_one(open_app: Open) -> None:
    app = await open_app([], settings={"models.default": None})
    with pytest.raises(InvalidConfig, match="ANTHROPIC_API_KEY"):
        await drive(app)


# Window and compaction


class Talker:
    """Replies at length, and to the request for a summary with `summary`."""

    def __init__(self, summary: ScriptedReply) -> None:
        self.summary = summary
        self.answers = 0

    def __call__(self, request: Request) -> Any:
        if request.instructions == compact.INSTRUCTIONS:
            return self.summary
        self.answers += 1
        return f"answer {self.answers} " + "fact " * 400


async def talk(app: App, times: int) -> tuple[list[RunEvent], str]:
    session, events = "", list[RunEvent]()
    for number in range(1, times + 1):
        more, last = await drive(app, f"question {number}", session=session or None)
        assert last.reason == "done"
        session = last.session
        events += more
    return events, session


@pytest.mark.covers("KAI-SG-07")
async def test_a_long_conversation_is_summarised_and_the_last_four_exchanges_stay_word_for_word(
    open_app: Open,
) -> None:
    model = Scripted([Talker("They talked about facts.")], repeats=True)
    app = await open_app(model, builtins=False, settings={"models.test/model.window": 6000})
    events, session = await talk(app, 12)
    compacted = [event for event in events if isinstance(event, HistoryCompacted)]
    assert {event.how for event in compacted} == {"summarised"}
    assert len(compacted) < 6
    assert all(event.tokens_after < event.tokens_before for event in compacted)
    first = next(at for at, one in enumerate(model.requests) if one.instructions == compact.INSTRUCTIONS)
    sent = model.requests[first + 1].messages
    assert isinstance(sent[0], UserMessage)
    assert sent[0].origin == "summary"
    assert "They talked about facts." in sent[0].text
    asked = [one.text for one in sent[1:] if isinstance(one, UserMessage)]
    assert len(asked) == 4
    before = [one for one in model.requests[first - 1].messages if isinstance(one, UserMessage)]
    assert asked[:3] == [one.text for one in before[-3:]]
    messages = await kept(app, session)
    assert len(messages) == 24  # the store has all of it
    # Another program goes on with the summary, not with all of it.
    other = Scripted([Talker("More facts.")], repeats=True)
    async with App(app.config, builtins=False, providers={"test": other}) as again:
        await drive(again, "and now?", session=session)
    begun = other.requests[-1].messages[0]
    assert isinstance(begun, UserMessage)
    assert begun.origin == "summary"


@pytest.mark.covers("KAI-SG-08")
@pytest.mark.parametrize("summary", [Fail("quota"), "", "much longer than what it is to replace " * 2000])
async def test_when_the_summary_fails_older_messages_are_dropped_and_the_run_goes_on(
    open_app: Open, summary: ScriptedReply
) -> None:
    model = Scripted([Talker(summary)], repeats=True)
    app = await open_app(model, builtins=False, settings={"models.test/model.window": 6000})
    events, session = await talk(app, 10)
    assert {event.how for event in events if isinstance(event, HistoryCompacted)} == {"dropped"}
    assert len(await kept(app, session)) == 20  # the store has all of it


@pytest.mark.parametrize(("window", "words"), [(8192, 350), (8192, 700), (32768, 1500), (32768, 3000)])
async def test_long_exchanges_are_summarised_too_and_not_every_time(
    open_app: Open, window: int, words: int
) -> None:
    def reply(request: Request) -> Any:
        if request.instructions == compact.INSTRUCTIONS:
            return "They talked about facts."
        return "fact " * words

    model = Scripted([reply], repeats=True)
    app = await open_app(model, builtins=False, settings={"models.test/model.window": window})
    hows: list[str] = []
    session = None
    for _ in range(14):
        events, finished = await drive(app, "word " * words, session=session)
        session = finished.session
        hows += [event.how for event in events if isinstance(event, HistoryCompacted)]
    assert "summarised" in hows
    assert hows.count("summarised") < 10
    first = model.requests[-1].messages[0]
    assert isinstance(first, UserMessage)
    assert first.origin == "summary"  # nothing was lost without a summary


async def test_what_is_shortened_or_dropped_within_one_exchange_is_told(open_app: Open) -> None:
    replies: list[ScriptedReply] = [Call("echo", text=f"{number} " + "word " * 1000) for number in range(12)]
    settings = {"models.test/model.window": 9000, "tools.allow": ["echo"]}
    app = await open_app([*replies, "Done."], tools=[echo], settings=settings)
    events, finished = await drive(app)
    told = [event for event in events if isinstance(event, HistoryCompacted)]
    assert finished.reason == "done"
    assert {event.how for event in told} <= {"shortened", "dropped"}
    assert all(event.count > 0 and event.tokens_after < event.tokens_before for event in told)
    assert told


async def test_what_fits_no_window_is_a_clear_error(open_app: Open) -> None:
    app = await open_app(["never"], settings={"models.test/model.window": 1000})
    _, finished = await drive(app, "word " * 8000)
    assert finished.reason == "failed"
    assert "reads 1,000 tokens" in finished.error


def refuse_beyond(chars: int) -> ScriptedReply:
    """A model that reads less than is known of it."""

    def reply(request: Request) -> Any:
        long = 0
        for message in request.messages:
            parts = message.results if isinstance(message, ResultsMessage) else (message,)
            long += sum(len(part.text) for part in parts)
        return Fail("window") if long > chars else "Done."

    return reply


@pytest.mark.parametrize("fallbacks", [(), ("other/model",)])
async def test_a_conversation_that_is_refused_as_too_long_is_shortened_and_asked_again_in_the_same_run(
    open_app: Open, fallbacks: tuple[str, ...]
) -> None:
    calls: list[ScriptedReply] = [Call("echo", text=f"{number} " + "word " * 800) for number in range(5)]
    other = Scripted(["never"], repeats=True)
    model = Scripted([*calls, *[refuse_beyond(12_000)] * 9])
    app = await open_app(model, tools=[echo], providers={"other": other})
    events, finished = await drive(app, agent=Agent(name="long", fallbacks=fallbacks))
    assert (finished.reason, finished.text, other.asked) == ("done", "Done.", 0)
    assert any(isinstance(event, HistoryCompacted) for event in events)
    assert not any(isinstance(event, ModelSwitched) for event in events)
    assert model.asked > len(calls) + 1
    messages = await kept(app, finished.session)
    assert is_valid(messages)
    assert sum("left out" in str(each) for each in messages) == 0  # the store has all of it


async def test_what_is_refused_however_short_it_is_goes_to_the_next_model(open_app: Open) -> None:
    model = Scripted([refuse_beyond(0)], repeats=True)
    app = await open_app(model, providers={"other": Scripted(["From the other."])})
    _, finished = await drive(app, agent=Agent(name="long", fallbacks=("other/model",)))
    assert finished.text == "From the other."
    assert model.asked <= 5


async def test_without_giving_way_the_run_would_fail(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Fitting, "give_way", lambda self: False)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    calls: list[ScriptedReply] = [Call("echo", text=f"{number} " + "word " * 800) for number in range(5)]
    app = await open_app([*calls, *[refuse_beyond(12_000)] * 9], tools=[echo])
    _, finished = await drive(app)
    assert finished.reason == "failed"


async def test_every_summary_keeps_what_the_user_began_with(open_app: Open) -> None:
    model = Scripted([Talker("They talked about facts.")], repeats=True)
    app = await open_app(model, builtins=False, settings={"models.test/model.window": 6000})
    await talk(app, 24)
    summaries = [
        first.text
        for request in model.requests
        if isinstance(first := request.messages[0], UserMessage) and first.origin == "summary"
    ]
    asked = sum(request.instructions == compact.INSTRUCTIONS for request in model.requests)
    assert asked > 1  # summaries of summaries
    assert all(f"{compact.GOAL_HEADING}\n> question 1\n" in f"{each}\n" for each in summaries)
    assert all(each.count(compact.GOAL_HEADING) == 1 for each in summaries)


# Stopping


@pytest.mark.parametrize("at", [RunStarted, TextAdded, CallBegun, ToolStarted, ToolFinished, RoundFinished])
async def test_a_run_stopped_at_any_point_leaves_a_conversation_that_goes_on(
    open_app: Open, at: type
) -> None:
    replies: list[ScriptedReply] = [
        [Say("One. "), Call("echo", text="a"), Call("hang")]
        if at is ToolStarted
        else [Say("One. "), Call("echo", text="a")],
        "Done.",
        "Still here.",
    ]
    app = await open_app(replies, tools=[echo, hang])
    session = await stop_at(app, at)
    assert is_valid(await kept(app, session))
    _, finished = await drive(app, "go on", session=session)
    assert finished.reason == "done"
    assert is_valid(await kept(app, session))


async def test_a_call_that_is_stopped_has_a_result_that_says_so(open_app: Open) -> None:
    app = await open_app([Call("hang")], tools=[hang])
    results = (await kept(app, await stop_at(app, ToolStarted)))[-1]
    assert isinstance(results, ResultsMessage)
    assert results.results[0].kind is Kind.CANCELLED


async def test_the_text_seen_before_a_stop_is_kept_and_half_a_call_is_not(open_app: Open) -> None:
    app = await open_app([[Say("The answer is "), Wait(60)]])
    last = (await kept(app, await stop_at(app, TextAdded)))[-1]
    assert isinstance(last, AssistantMessage)
    assert (last.text, last.finish, last.calls) == ("The answer is ", "stopped", ())


async def test_cancelling_the_task_that_reads_a_run_stops_its_calls(open_app: Open) -> None:
    app = await open_app([Call("hang")], tools=[hang])
    started = asyncio.Event()

    async def read() -> None:
        async for event in app.run("default", "go"):
            if isinstance(event, ToolStarted):
                started.set()

    task = asyncio.ensure_future(read())
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    session = (await app.store.sessions.list())[0].id
    assert is_valid(await kept(app, session))
    assert isinstance((await kept(app, session))[-1], ResultsMessage)


async def test_a_session_runs_one_run_at_a_time(open_app: Open) -> None:
    app = await open_app([Call("hang"), "x"], tools=[hang])
    async with aclosing(app.run("default", "go")) as events:
        async for event in events:
            if isinstance(event, ToolStarted):
                with pytest.raises(SessionBusy, match="running already"):
                    await drive(app, "me too", session=event.session)
                break


# Sessions, agents, small models


async def test_a_session_that_is_not_there_is_told_with_the_command_that_lists_them(open_app: Open) -> None:
    app = await open_app(["x"])
    for ask in (lambda: drive(app, session="none"), lambda: app.resume_session("none")):
        with pytest.raises(InvalidConfig, match="no session 'none'; `oneclaw sessions` lists them"):
            await ask()


async def test_a_session_goes_on_in_another_program(open_app: Open, tmp_path: Path) -> None:
    app = await open_app([Call("echo", text="kept"), "Noted."], tools=[echo])
    _, finished = await drive(app, "remember kept")
    model = Scripted(["It was kept."])
    async with App(app.config, providers={"test": model}, tools=[echo]) as other:
        _, again = await drive(other, "what was it?", session=finished.session)
    assert again.text == "It was kept."
    assert [type(one).__name__ for one in model.requests[0].messages] == [
        "UserMessage",
        "AssistantMessage",
        "ResultsMessage",
        "AssistantMessage",
        "UserMessage",
    ]


async def test_small_models_get_the_tools_for_small_models_and_no_others(open_app: Open) -> None:
    model = Scripted([Call("list_files"), "ok"])
    app = await open_app(
        model, settings={"models.test/model.small": True, "models.small_tools": ["read_file"]}
    )
    events, _ = await drive(app)
    assert [definition.name for definition in model.requests[0].tools] == ["read_file"]
    result = next(event.result for event in events if isinstance(event, ToolFinished))
    assert result.kind is Kind.TOOL_NOT_AVAILABLE  # the one road refuses it too


async def test_small_models_get_tools_made_in_code(open_app: Open) -> None:
    model = Scripted([Call("echo", text="x"), "ok"])
    app = await open_app(model, tools=[echo], settings={"models.test/model.small": True})
    await drive(app)
    assert "echo" in {definition.name for definition in model.requests[0].tools}


async def test_an_agents_own_list_of_tools_holds(open_app: Open) -> None:
    from oneclaw.core.permit.policy import Rules

    model = Scripted([Call("write_file", path="a", content="b"), "ok"])
    app = await open_app(model, tools=[echo])
    events, _ = await drive(app, agent=Agent(name="reader", tools=Rules(("read_*",))))
    assert [definition.name for definition in model.requests[0].tools] == ["read_file"]
    result = next(event.result for event in events if isinstance(event, ToolFinished))
    assert result.kind is Kind.TOOL_NOT_AVAILABLE


async def test_a_finished_session_has_nothing_to_go_on_with(open_app: Open) -> None:
    app = await open_app(["Done."])
    finished = await app.ask("default", "go")
    with pytest.raises(InvalidConfig, match="nothing to go on with"):
        _ = [event async for event in app.resume(finished.session)]


async def test_a_session_that_was_stopped_in_an_answer_goes_on(open_app: Open) -> None:
    model = Scripted([[Say("Half "), Wait(60)], "and whole."])
    app = await open_app(model)
    session = await stop_at(app, TextAdded)
    last = [event async for event in app.resume(session)][-1]
    assert isinstance(last, RunFinished)
    assert last.text == "and whole."
    assert isinstance(model.requests[-1].messages[-1], UserMessage)  # no provider is sent half an answer last


async def test_ask_gives_the_end_of_a_run(open_app: Open) -> None:
    app = await open_app(["Forty-two."])
    finished = await app.ask("default", "What is it?")
    assert isinstance(finished, RunFinished)
    assert finished.text == "Forty-two."
