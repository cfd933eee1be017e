"""Servers that fail in every way, through the whole loop: nothing runs twice, and the session goes on."""

import asyncio
import random
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.agent.conftest import kept
from tests.agent.validity import faults
from tests.journeys.wire_servers import (
    SECONDS,
    Answer,
    Broken,
    Raw,
    Refuse,
    Reply,
    WireServer,
    answer,
    call,
    opened,
    talking,
)
from tests.providers.formats.every import BY_LABEL, FORMATS, each_format, label_of
from tests.providers.formats.format import Call, Format, Part, Text

from oneclaw import App, Kind, tool
from oneclaw.core.answer import AnswerRestarted, TextAdded
from oneclaw.core.message import ResultsMessage, Usage
from oneclaw.core.run_event import ModelSwitched, RunFinished
from oneclaw.providers.catalog import ProviderSettings
from oneclaw.providers.connect import make_wire
from oneclaw.providers.http.remote import RemoteProvider
from oneclaw.providers.http.retry import Retry


class Ledger:
    """A tool with an effect, and what it did."""

    def __init__(self, server: WireServer) -> None:
        self.done: list[str] = []
        self.asked_before: list[int] = []

        @tool(effect="write")
        async def act(what: str) -> str:
            """Do it.

            what: What.
            """
            self.done.append(what)
            self.asked_before.append(len(server.heard))
            return f"did {what}"

        self.tool = act


def provider_of(server: WireServer, **more: Any) -> RemoteProvider:
    """The provider as the settings make it, but for waits between attempts that take no time."""
    settings = server.settings()
    wire = make_wire(ProviderSettings(server.label, server.format.wire, "http://127.0.0.1"))
    return RemoteProvider(
        wire,
        settings[f"providers.{server.label}.base_url"],
        key=lambda: None if server.format.is_local else server.key,
        label=server.label,
        attempts=more.pop("attempts", 3),
        idle_seconds=more.pop("idle_seconds", SECONDS),
        retry=Retry(first_seconds=0.001),
        **more,
    )


@asynccontextmanager
async def trouble(
    home: Path, format: Format, replies: list[Reply], **more: Any
) -> AsyncGenerator[tuple[App, WireServer, Ledger]]:
    """A server in trouble, an app that talks to it, and the tool that must not act twice."""
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(talking(format, replies))
        ledger = Ledger(server)
        providers = {server.label: provider_of(server, **more)}
        # Room for all that a flood leaves behind: else a summary of it would be asked for.
        values = {f"models.{server.model}.window": 1_000_000}
        app = await stack.enter_async_context(
            opened(home, server, values=values, providers=providers, tools=[ledger.tool])
        )
        yield app, server, ledger


async def drive(app: App, text: str = "Go.", **more: Any) -> tuple[list[Any], RunFinished]:
    async with asyncio.timeout(SECONDS):
        events = [event async for event in app.run("default", text, **more)]
    last = events[-1]
    assert isinstance(last, RunFinished)
    assert faults(await kept(app, last.session)) == []
    return events, last


def is_one_sentence(error: str, label: str) -> bool:
    """Short, in one line, without a traceback, and naming the provider."""
    return (
        bool(error) and "\n" not in error and "Traceback" not in error and label in error and len(error) < 700
    )


# Refusals


@each_format
async def test_a_storm_of_429_fails_the_run_and_the_session_goes_on_later(
    format: Format, tmp_path: Path
) -> None:
    storm = [Refuse(429, "slow down", (("Retry-After", "0"),))] * 3
    replies: list[Reply] = [call("act", {"what": "once"}), *storm]
    async with trouble(tmp_path, format, replies) as (app, server, ledger):
        events, last = await drive(app)
        assert last.reason == "failed"
        assert is_one_sentence(last.error, server.label)
        assert "slow down" in last.error
        restarts = [event for event in events if isinstance(event, AnswerRestarted)]
        assert [event.attempt for event in restarts] == [2, 3]
        assert ledger.done == ["once"]
        server.replies += [call("act", {"what": "twice"}), answer("Both.")]
        _, again = await drive(app, "Go on.", session=last.session)
        assert (again.reason, again.text) == ("done", "Both.")
        assert ledger.done == ["once", "twice"]
        assert server.heard[-1].values == ["did once", "did twice"]
        assert server.heard[-1].users == ["Go.", "Go on."]


@each_format
async def test_a_server_that_fails_twice_is_asked_a_third_time(format: Format, tmp_path: Path) -> None:
    replies: list[Reply] = [Refuse(500), Refuse(502), call("act", {"what": "it"})]
    replies += [Refuse(503), Refuse(529), answer("Done.")]
    async with trouble(tmp_path, format, replies) as (app, server, ledger):
        _, last = await drive(app)
        assert (last.reason, last.text, last.rounds) == ("done", "Done.", 2)
        assert ledger.done == ["it"]
        # Each attempt says the same, byte for byte.
        first, second = server.raw[:3], server.raw[3:]
        assert len({raw.partition(b"\r\n\r\n")[2] for raw in first}) == 1
        assert len({raw.partition(b"\r\n\r\n")[2] for raw in second}) == 1


# Streams that break


BREAKS = [
    Broken("fail", (Text("I will. "), Call("act", {"what": "it"}))),
    Broken("end", (Text("I will. "), Call("act", {"what": "it"}))),
    Broken("reset", (Text("I will. "), Call("act", {"what": "it"}))),
]


@each_format
@pytest.mark.parametrize("broken", BREAKS, ids=lambda each: each.then)
async def test_a_call_of_an_answer_that_breaks_off_runs_once_when_the_whole_answer_is_there(
    format: Format, broken: Broken, tmp_path: Path
) -> None:
    replies: list[Reply] = [broken, answer(*broken.parts), answer("Done.")]
    async with trouble(tmp_path, format, replies) as (app, server, ledger):
        events, last = await drive(app)
        assert last.reason == "done"
        assert ledger.done == ["it"]
        assert ledger.asked_before == [2]  # and not before the second answer
        assert server.heard[2].calls == [("act", {"what": "it"})]
        assert server.heard[2].answers == ["I will. "]  # what came of the broken one is void
        restarts = [event for event in events if isinstance(event, AnswerRestarted)]
        assert len(restarts) == 1
        assert is_one_sentence(restarts[0].reason, server.label)


@each_format
@pytest.mark.parametrize("broken", BREAKS, ids=lambda each: each.then)
async def test_a_call_of_an_answer_that_stays_broken_never_runs(
    format: Format, broken: Broken, tmp_path: Path
) -> None:
    last_word = [answer("I could not.")] if broken.then != "fail" else []
    async with trouble(tmp_path, format, [*[broken] * 3, *last_word]) as (app, server, ledger):
        _, last = await drive(app)
        assert ledger.done == []
        if broken.then == "fail":
            assert last.reason == "failed"
            assert "the machine gave up" in last.error
            assert (last.text, bool(last.error)) == ("", True)  # what came before is void
        else:  # what there is of the answer is kept, and the model is told that its call was cut
            assert (last.reason, last.text) == ("done", "I could not.")
            assert server.heard[3].results[0]["message"].startswith("The answer was cut off before")
            results = [each for each in (await kept(app, last.session)) if isinstance(each, ResultsMessage)]
            assert [result.kind for message in results for result in message.results] == [
                Kind.VALIDATION_ERROR
            ]


@pytest.mark.parametrize("after", ["nothing", "head", "all but the end"])
async def test_a_server_that_falls_silent_is_left(after: Any, tmp_path: Path) -> None:
    silent = Broken("hang", (Call("act", {"what": "it"}),), after=after)

    async def one(format: Format) -> None:
        replies: list[Reply] = [silent, answer("Here I am.")]
        home = tmp_path / format.label
        async with trouble(home, format, replies, attempts=2, idle_seconds=1.0) as (app, server, ledger):
            events, last = await drive(app)
            assert (last.reason, last.text) == ("done", "Here I am.")
            restarts = [event for event in events if isinstance(event, AnswerRestarted)]
            assert [("silent for 1 seconds" in event.reason) for event in restarts] == [True]
            assert ledger.done == []
            async with asyncio.timeout(SECONDS):
                await server.left.wait()

    await asyncio.gather(*map(one, FORMATS))


FOREIGN = [(mine, theirs) for mine in FORMATS for theirs in FORMATS if mine.wire != theirs.wire]


@pytest.mark.parametrize(("mine", "theirs"), FOREIGN, ids=label_of)
@pytest.mark.parametrize(
    "parts", [(Text("Hello there."),), (Call("act", {"what": "it"}),)], ids=["text", "call"]
)
async def test_an_answer_in_another_format_is_none(
    mine: Format, theirs: Format, parts: tuple[Part, ...], tmp_path: Path
) -> None:
    events, ending = theirs.stream(parts, Usage(input=1, output=1))
    body = b"".join((*events, *ending))
    async with trouble(tmp_path, mine, [Raw(body)], attempts=1) as (app, server, ledger):
        _, last = await drive(app)
        assert last.reason == "failed"
        assert is_one_sentence(last.error, server.label)
        assert ledger.done == []


# Stopping, and others who wait


@each_format
async def test_what_came_of_a_failed_answer_is_not_kept_when_the_run_is_stopped(
    format: Format, tmp_path: Path
) -> None:
    failing: list[Reply] = [Broken("fail", (Text("This is void. "),))]
    async with talking(format, failing) as server, opened(tmp_path, server) as app:
        session, seen = "", ""
        async with aclosing(app.run("default", "Go.")) as events:
            async for event in events:
                session = getattr(event, "session", session)
                seen += event.text if isinstance(event, TextAdded) else ""
                if isinstance(event, AnswerRestarted):
                    break
        assert seen == "This is void. "
        assert len(await kept(app, session)) == 1  # what the user said


@each_format
async def test_a_slow_provider_holds_up_nobody_else(format: Format, tmp_path: Path) -> None:
    """Three sessions: one waits for a slow server, one asks the same server, one asks another."""
    gate = asyncio.Event()
    slow = Answer((Text("At last."),), gate=gate)
    other = BY_LABEL["anthropic" if format.label != "anthropic" else "gemini"]
    async with (
        talking(format, [slow, answer("Quick.")]) as one,
        talking(other, [answer("Other.")]) as two,
        opened(tmp_path, one, two) as app,
    ):
        waiting = asyncio.create_task(app.ask("default", "Slow?"))
        async with asyncio.timeout(SECONDS):
            await one.asked.wait()
            quick = await app.ask("default", "Quick?")
            others = await app.ask("default", "Other?", model=two.model)
            assert (quick.text, others.text) == ("Quick.", "Other.")
            assert not waiting.done()
            gate.set()
            last = await waiting
        assert last.text == "At last."
        assert len({last.session, quick.session, others.session}) == 3


@each_format
async def test_a_provider_that_fails_in_every_way_gives_way_to_the_next(
    format: Format, tmp_path: Path
) -> None:
    second = BY_LABEL["chat" if format.label != "chat" else "anthropic"]
    broken = Broken("fail", (Text("Let me. "), Call("act", {"what": "it"})))
    async with talking(format, [broken]) as one, talking(second, []) as two:
        ledger = Ledger(two)
        two.replies += [call("act", {"what": "it"}), answer("Done.")]
        async with opened(
            tmp_path,
            one,
            two,
            values={"models.fallbacks": [two.model]},
            providers={one.label: provider_of(one, attempts=1)},
            tools=[ledger.tool],
        ) as app:
            events, last = await drive(app)
            assert (last.reason, last.text) == ("done", "Done.")
            assert ledger.done == ["it"]
            switched = [event for event in events if isinstance(event, ModelSwitched)]
            assert [event.model for event in switched] == [two.model]
            # What the failed one had said is no part of the conversation.
            assert [message for message in (await kept(app, last.session)) if "Let me." in str(message)] == []
            at = events.index(switched[0])
            assert any(isinstance(event, TextAdded) for event in events[:at])


# Chance


def play(chance: random.Random) -> tuple[list[Reply], int]:
    """A run of a few rounds with trouble before each answer, never more than is borne; the calls it makes."""
    rounds = chance.randint(1, 4)
    replies: list[Reply] = []
    for number in range(rounds + 1):
        parts: tuple[Part, ...] = (Text("Well. "), Call("act", {"what": str(number)}))
        whole: Reply = Answer(parts) if number < rounds else answer("Done.")
        for _ in range(chance.randint(0, 2)):
            replies.append(
                chance.choice(
                    [
                        Refuse(chance.choice([429, 500, 502, 503, 529])),
                        Refuse(503, page="<html><title>Back soon</title></html>"),
                        Raw(b"<html></html>", "text/html"),
                        Broken(chance.choice(["end", "reset", "fail"]), parts),
                        Broken(chance.choice(["end", "reset"]), after=chance.choice(["nothing", "head"])),
                    ]
                )
            )
        replies.append(whole)
    return replies, rounds


@each_format
async def test_whatever_goes_wrong_on_the_way_each_call_runs_once(format: Format, tmp_path: Path) -> None:
    async def one(seed: int) -> None:
        replies, rounds = play(random.Random(seed))
        home = tmp_path / str(seed)
        async with trouble(home, format, replies) as (app, server, ledger):
            _, last = await drive(app)
            assert (last.reason, last.text, last.calls) == ("done", "Done.", rounds), seed
            assert ledger.done == [str(number) for number in range(rounds)], seed
            assert server.heard[-1].values == [f"did {number}" for number in range(rounds)], seed

    for seed in range(20):
        await one(seed)
