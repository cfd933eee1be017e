"""Acme's provider holds the contract, and each broken twin of it fails the check that is for it."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import Any

import pytest
from acme_provider import AcmeProvider, Draft

from oneclaw.providers import (
    Answered,
    AnswerEvent,
    AnswerRestarted,
    AssistantMessage,
    CallBegun,
    CallPart,
    Part,
    ProviderError,
    Request,
    TextAdded,
    TextPart,
    ThoughtAdded,
    Usage,
)
from oneclaw.testing import (
    REQUEST,
    AnswerServer,
    ContractBroken,
    Scripted,
    check_provider,
    check_wire,
    fixture,
)


async def test_the_provider_holds_the_contract() -> None:
    report = await check_wire("openai_chat", AcmeProvider)
    assert not report.problems
    assert set(report.checks) == {check for _, check in TWINS}


async def test_a_provider_of_any_kind_is_checked_by_a_request() -> None:
    async with AnswerServer(fixture("openai_chat", "thinking").answer) as server:
        report = await check_provider(AcmeProvider(server.url, "a key"))
    assert "closing" in report.checks
    assert (await check_provider(Scripted(["Hello."], repeats=True))).problems == ()


async def test_a_refused_request_is_checked_for_its_error() -> None:
    good, bad = fixture("openai_chat", "text").answer, fixture("openai_chat", "bad_key").answer
    key = "sk-test-0123456789abcdef"
    for provider, said in ((AcmeProvider, ""), (LeaksKey, "no key in errors")):
        async with AnswerServer(good, good, good, bad) as server:
            failed = await broken(check_provider(provider(server.url, key), failing=REQUEST, key=key))
        assert failed == ({said} if said else set())


async def broken(check: Any) -> set[str]:
    """The names of the checks that fail."""
    try:
        await check
    except ContractBroken as error:
        return {problem.check for problem in error.report.problems}
    return set()


def at(kind: type, change: Callable[[Any], list[Any]]) -> type[AcmeProvider]:
    """Acme's provider with each event of a kind changed on the way."""

    class Twin(AcmeProvider):
        async def answer(self, request: Request) -> AsyncGenerator[AnswerEvent]:
            async with aclosing(super().answer(request)) as answers:
                async for each in answers:
                    for other in change(each) if isinstance(each, kind) else [each]:
                        yield other

    return Twin


def saying(change: Callable[[AssistantMessage], AssistantMessage]) -> type[AcmeProvider]:
    """Acme's provider with its message changed."""

    class Twin(AcmeProvider):
        def message(self, draft: Draft) -> AssistantMessage:
            return change(draft.message())

    return Twin


def with_calls(message: AssistantMessage, **changes: Any) -> AssistantMessage:
    def changed(part: Part) -> Part:
        return CallPart(replace(part.call, **changes)) if isinstance(part, CallPart) else part

    return replace(message, parts=tuple(changed(part) for part in message.parts))


def with_part(message: AssistantMessage, part: Part) -> AssistantMessage:
    return replace(message, parts=(*message.parts, part))


class ThinksNothing(AcmeProvider):
    async def answer(self, request: Request) -> AsyncGenerator[AnswerEvent]:
        async with aclosing(super().answer(request)) as answers:
            async for each in answers:
                if not isinstance(each, ThoughtAdded):
                    yield each

    def message(self, draft: Draft) -> AssistantMessage:
        message = draft.message()
        parts = tuple(part for part in message.parts if isinstance(part, TextPart | CallPart))
        return replace(message, parts=parts)


class FailsAlways(AcmeProvider):
    def message(self, draft: Draft) -> AssistantMessage:
        raise ProviderError("Acme is closed today.", "server")


class PlainErrors(AcmeProvider):
    def refusal(self, status: int, body: bytes) -> Exception:
        return RuntimeError(f"status {status}")


class OneTrouble(AcmeProvider):
    def refusal(self, status: int, body: bytes) -> Exception:
        return ProviderError("Acme failed.", "server")


class SaysNoReason(AcmeProvider):
    def refusal(self, status: int, body: bytes) -> Exception:
        error = super().refusal(status, body)
        assert isinstance(error, ProviderError)
        return ProviderError("", error.trouble)


class LeaksKey(AcmeProvider):
    def refusal(self, status: int, body: bytes) -> Exception:
        return ProviderError(body.decode(), "key")


class AsksTwice(AcmeProvider):
    async def answer(self, request: Request) -> AsyncGenerator[AnswerEvent]:
        # Twice in a conversation: a server that falls silent would not be asked the second time.
        for is_last in (False, True)[len(request.messages) == 1 :]:
            async with aclosing(super().answer(request)) as answers:
                async for each in answers:
                    if is_last:
                        yield each


class ElsewherePath(AcmeProvider):
    path = "/completions"


class KeyInAddress(AcmeProvider):
    def sent(self, body: bytes) -> bytes:
        return super().sent(body).replace(b"Authorization: Bearer", b"X-Key:")


class ForgetsTools(AcmeProvider):
    def body(self, request: Request) -> dict[str, Any]:
        return super().body(replace(request, tools=()))


class ForgetsInstructions(AcmeProvider):
    def body(self, request: Request) -> dict[str, Any]:
        return super().body(replace(request, instructions=""))


LOST: list[object] = []


class KeepsConnection(AcmeProvider):
    async def answer(self, request: Request) -> AsyncGenerator[AnswerEvent]:
        inner = super().answer(request)
        LOST.append(inner)
        async for each in inner:
            yield each


class SwallowsCancelling(AcmeProvider):
    async def answer(self, request: Request) -> AsyncGenerator[AnswerEvent]:
        async with aclosing(super().answer(request)) as answers:
            with suppress(asyncio.CancelledError):
                async for each in answers:
                    yield each


class GoesOnWhenClosed(AcmeProvider):
    async def answer(self, request: Request) -> AsyncGenerator[AnswerEvent]:
        async with aclosing(super().answer(request)) as answers:
            try:
                async for each in answers:
                    yield each
            except GeneratorExit:
                yield TextAdded("One more.")


TWINS: list[tuple[type[AcmeProvider], str]] = [
    (FailsAlways, "answered"),
    (at(Answered, lambda event: ["Answered!", event]), "event types"),
    (at(Answered, lambda event: [event, event]), "one answer"),
    (at(Answered, lambda event: [AnswerRestarted("Again.", 0, 1), event]), "restarts"),
    (at(CallBegun, lambda event: []), "events in order"),
    (at(CallBegun, lambda event: [replace(event, tool="other")]), "streamed calls"),
    (at(TextAdded, lambda event: []), "streamed text"),
    (at(ThoughtAdded, lambda event: []), "streamed thoughts"),
    (saying(lambda message: with_calls(message, id="one")), "call ids"),
    (saying(lambda message: replace(message, finish="stop")), "finish"),
    (saying(lambda message: with_calls(message, fault="")), "cut calls"),
    (saying(lambda message: replace(message, usage=Usage(1, 1, cached=2))), "usage"),
    (saying(lambda message: with_part(message, TextPart("", {"set": {1, 2}}))), "stored"),
    (saying(lambda message: replace(message, finish="stop")), "expected finish"),
    (
        at(Answered, lambda event: [TextAdded("!"), Answered(with_part(event.message, TextPart("!")))]),
        "expected text",
    ),
    (ThinksNothing, "expected thoughts"),
    (saying(lambda message: with_calls(message, arguments="{}")), "expected calls"),
    (saying(lambda message: replace(message, usage=Usage())), "expected usage"),
    (PlainErrors, "errors"),
    (OneTrouble, "error trouble"),
    (SaysNoReason, "error text"),
    (LeaksKey, "no key in errors"),
    (AsksTwice, "one request"),
    (ElsewherePath, "request path"),
    (KeyInAddress, "request key"),
    (ForgetsTools, "request body"),
    (ForgetsInstructions, "request content"),
    (SwallowsCancelling, "cancelling"),
    (KeepsConnection, "connection closed"),
    (GoesOnWhenClosed, "closing"),
]


@pytest.mark.parametrize(("provider", "check"), TWINS, ids=[check for _, check in TWINS])
async def test_a_broken_twin_fails_its_check(provider: type[AcmeProvider], check: str) -> None:
    assert check in await broken(check_wire("openai_chat", provider))
    for each in LOST:
        await each.aclose()  # type: ignore[attr-defined]
    LOST.clear()
