"""Contract checks for providers."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any, get_args

from oneclaw.core.answer import AnswerEvent
from oneclaw.core.subschema import is_array, is_object
from oneclaw.providers.base import Provider, ProviderError, Request, Trouble
from oneclaw.testing.answers import check_answer, check_expected
from oneclaw.testing.contract import Checklist, Report
from oneclaw.testing.fixture import (
    CONVERSATION,
    KEY,
    REQUEST,
    Fixture,
    fixture,
    fixtures,
    sent_request,
)
from oneclaw.testing.server import AnswerServer, ServedRequest, has_left

MakeProvider = Callable[[str, str], Provider]
"""Makes the provider under test from a base URL and a key."""
_KEY_START = 8


@dataclass(frozen=True, slots=True)
class _PlayedAnswer:
    answers: Sequence[AnswerEvent]
    error: BaseException | None = None


async def check_provider(
    provider: Provider,
    request: Request = REQUEST,
    *,
    failing: Request | None = None,
    key: str = "",
    seconds: float = 60.0,
) -> Report:
    """Check a provider of any kind with a request that it answers; raises `ContractBroken`.

    It is asked three times: twice to the end, once left early. `failing` is a request that it must refuse;
    `key` is a secret that no error may hold. The provider is not closed.
    """
    checklist = Checklist(type(provider).__name__)
    for _ in range(2):
        outcome = await _ask(provider, request, seconds)
        if _expect_answered(outcome, checklist):
            check_answer(outcome.answers, checklist)
    stopped = await _leave(provider, request, seconds)
    checklist.expect("closing", stopped, "Closing the generator raises or does not return within 5 seconds.")
    if failing is not None:
        _check_failure(await _ask(provider, failing, seconds), get_args(Trouble), key, checklist)
    return checklist.close()


async def check_wire(wire: str, make: MakeProvider, *, seconds: float = 60.0) -> Report:
    """Check a provider that speaks one of `WIRES` against every recorded answer; raises `ContractBroken`.

    `make` is called with a base URL on the loopback and a key, once for each answer. Have it wait little
    between attempts: several recorded answers fail each time.
    """
    checklist = Checklist(f"A provider of {wire}")
    for each in fixtures(wire):
        await _check_fixture(each, make, checklist, None, seconds)
    await _check_fixture(fixture(wire, "parallel"), make, checklist, 7, seconds)
    await _check_request(wire, make, checklist, seconds)
    await _check_leaving(wire, make, checklist)
    return checklist.close()


async def _check_fixture(
    recorded: Fixture, make: MakeProvider, checklist: Checklist, piece_bytes: int | None, seconds: float
) -> None:
    pieces = "" if piece_bytes is None else f" in pieces of {piece_bytes} bytes"
    checklist.where = f"[{recorded.name}{pieces}] "
    expected = recorded.expected
    async with AnswerServer(recorded.answer, piece_bytes=piece_bytes) as server:
        provider = make(server.url, KEY)
        try:
            outcome = await _ask(provider, REQUEST, seconds)
        finally:
            await provider.close()
    may_answer = expected.finish is not None
    if expected.troubles and not (may_answer and outcome.error is None):
        _check_failure(outcome, expected.troubles, KEY, checklist)
    elif _expect_answered(outcome, checklist):
        message = check_answer(outcome.answers, checklist)
        if message is not None:
            check_expected(message, expected, checklist)
    checklist.where = ""


async def _check_request(wire: str, make: MakeProvider, checklist: Checklist, seconds: float) -> None:
    async with AnswerServer(fixture(wire, "text").answer) as server:
        provider = make(server.url, KEY)
        try:
            await _ask(provider, CONVERSATION, seconds)
        finally:
            await provider.close()
    count = len(server.requests)
    if checklist.expect("one request", count == 1, f"{count} requests were sent for one whole answer."):
        _check_sent(wire, server.requests[0], checklist)


def _check_sent(wire: str, sent: ServedRequest, checklist: Checklist) -> None:
    wanted = sent_request(wire)
    checklist.expect(
        "request path",
        sent.method == "POST" and sent.path.endswith(wanted.path),
        f"The request is {sent.method} {sent.path}; it must be POST …{wanted.path}.",
    )
    keys = [sent.headers.get(name, "") for name in wanted.key_headers]
    checklist.expect(
        "request key",
        any(KEY in each for each in keys) and KEY not in sent.path,
        f"The key must be in the header {' or '.join(wanted.key_headers)}, and not in the address.",
    )
    try:
        document = sent.document
    except ValueError:
        document = None
    problem = _missing(wanted.body, document)
    checklist.expect("request body", not problem, f"The body of the request {problem}.")
    text = sent.body.decode("utf-8", "replace")
    lost = [said for said in ("You are a test.", "Look at notes.txt.", "buy milk") if said not in text]
    checklist.expect("request content", not lost, f"The body of the request does not hold {lost}.")


def _missing(wanted: Any, given: Any, path: str = "$") -> str:
    """Describes what `given` lacks of `wanted`; empty when nothing."""
    if is_object(wanted):
        if not is_object(given):
            return f"has no object at {path}"
        found = (_missing(each, given.get(name), f"{path}.{name}") for name, each in wanted.items())
        return next((each for each in found if each), "")
    if is_array(wanted):
        if not is_array(given) or len(given) != len(wanted):
            return f"has no list of {len(wanted)} at {path}"
        pairs = enumerate(zip(wanted, given, strict=True))
        found = (_missing(one, other, f"{path}[{number}]") for number, (one, other) in pairs)
        return next((each for each in found if each), "")
    return "" if wanted == given else f"has {str(given)[:100]!r} at {path}, not {wanted!r}"


async def _check_leaving(wire: str, make: MakeProvider, checklist: Checklist) -> None:
    """A server that sends half an answer and falls silent must see the client leave."""
    half = fixture(wire, "cut").answer
    async with AnswerServer(half, stays_open=True) as server:
        provider = make(server.url, KEY)
        task = asyncio.create_task(_ask(provider, REQUEST, None))
        with suppress(TimeoutError):
            await asyncio.wait_for(server.began.wait(), 5)
        task.cancel()
        done, _ = await asyncio.wait([task], timeout=5)
        checklist.expect(
            "cancelling", bool(done) and task.cancelled(), "A cancelled request must raise CancelledError."
        )
        checklist.expect(
            "connection closed", await has_left(server), "A cancelled request keeps its connection."
        )
        await provider.close()
    async with AnswerServer(half, stays_open=True) as server:
        provider = make(server.url, KEY)
        stopped = await _leave(provider, REQUEST, 5)
        checklist.expect(
            "closing", stopped, "Closing the generator raises or does not return within 5 seconds."
        )
        checklist.expect(
            "connection closed", await has_left(server), "A closed generator keeps its connection."
        )
        await provider.close()


async def _ask(provider: Provider, request: Request, seconds: float | None) -> _PlayedAnswer:
    try:
        async with asyncio.timeout(seconds), aclosing(provider.answer(request)) as given:
            return _PlayedAnswer([each async for each in given])
    except Exception as error:
        return _PlayedAnswer((), error)


async def _leave(provider: Provider, request: Request, seconds: float) -> bool:
    """Ask, read one event, and close the generator; whether it closed in time and without an error."""
    given = provider.answer(request)
    with suppress(Exception):  # what goes wrong before the first event is found elsewhere
        async with asyncio.timeout(seconds):
            await anext(given)
    try:
        async with asyncio.timeout(5):
            await given.aclose()
    except Exception:
        return False
    return True


def _expect_answered(outcome: _PlayedAnswer, checklist: Checklist) -> bool:
    error = outcome.error
    return checklist.expect("answered", error is None, f"The request failed: {type(error).__name__}: {error}")


def _check_failure(outcome: _PlayedAnswer, troubles: Sequence[str], key: str, checklist: Checklist) -> None:
    error = outcome.error
    is_told = isinstance(error, ProviderError)
    what = "nothing" if error is None else f"{type(error).__name__}: {error}"
    checklist.expect("errors", is_told, f"A failed request must raise ProviderError; it raised {what}.")
    if isinstance(error, ProviderError):
        checklist.expect(
            "error trouble",
            error.trouble in troubles,
            f"The trouble is {error.trouble!r}, not {' or '.join(troubles)}.",
        )
        checklist.expect("error text", str(error).strip(), "The error says nothing.")
    if key and error is not None:
        said, each = "", error
        while each is not None:  # the error, and all it was raised from
            said += f"{each} {each.args}\n"
            each = each.__cause__ or (None if each.__suppress_context__ else each.__context__)
        checklist.expect("no key in errors", key[:_KEY_START] not in said, "The error holds the key.")
