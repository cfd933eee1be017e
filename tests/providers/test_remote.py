"""A provider over HTTP: what it sends and reads, how it fails and is asked again. All on real sockets."""

import asyncio
import gzip
import json
import socket
import time
from contextlib import aclosing
from email.utils import formatdate
from typing import Any

import pytest
from tests.conftest import Serve
from tests.providers.tiny import (
    HALF,
    HEAD,
    KEY,
    REQUEST,
    WHOLE,
    TinyWire,
    ask,
    ask_badly,
    ask_message,
    in_turn,
    reset_after,
    restarts,
    silence,
    status,
    tiny,
)

from oneclaw import __version__
from oneclaw.core.answer import Answered, AnswerRestarted, TextAdded
from oneclaw.core.errors import InvalidConfig, ToolError
from oneclaw.providers.base import ProviderError, Trouble
from oneclaw.providers.http import arrival, remote
from oneclaw.providers.http.remote import RemoteProvider, without_key
from oneclaw.providers.http.retry import Retry
from oneclaw.providers.written import CUT


async def failure(provider: RemoteProvider, trouble: Trouble) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await ask(provider)
    assert caught.value.trouble == trouble, caught.value
    return caught.value


# What is sent and read.


async def test_a_request_is_sent_and_its_answer_read(serve: Serve) -> None:
    port, seen = await serve(HEAD + WHOLE)
    answers = await ask(tiny(port, headers={"X-Title": "test"}))
    assert answers[:-1] == [TextAdded("Hel"), TextAdded("lo")]
    assert isinstance(answers[-1], Answered)
    message = answers[-1].message
    assert (message.text, message.finish, message.model) == ("Hello", "stop", "tiny/m1")
    assert [call.fault for call in message.calls] == [""]
    (request,) = seen
    head, _, body = request.partition(b"\r\n\r\n")
    lines = head.decode().lower().split("\r\n")
    assert lines[0] == "post /v1/answer http/1.1"
    assert {
        "content-type: application/json",
        "accept: text/event-stream",
        f"user-agent: oneclaw/{__version__}",
        f"authorization: bearer {KEY}",
        "x-title: test",
    } <= set(lines)
    assert json.loads(body) == {"model": "m1"}


async def test_a_stream_of_single_bytes_is_the_same_answer(serve: Serve) -> None:
    async def drip(request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD)
        for byte in WHOLE:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0)

    port, _ = await serve(drip)
    assert (await ask_message(tiny(port))).text == "Hello"


DOCUMENT = json.dumps({"events": [{"text": "Hello"}, {"end": True}]}).encode()


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/json", DOCUMENT),
        ("application/json", b"\xef\xbb\xbf \n" + DOCUMENT),
        ("text/event-stream", DOCUMENT),
        ("application/json", b'[{"text": "Hel"}, {"text": "lo"}, {"end": true}]'),
        ("text/plain", WHOLE),
        ("application/octet-stream", b": hello\n\n" + WHOLE),
        ("text/event-stream", b"\n\n\n" + WHOLE),
        ("text/event-stream", WHOLE.rstrip()),
    ],
)
async def test_an_answer_is_read_however_it_is_labelled(serve: Serve, kind: str, body: bytes) -> None:
    port, seen = await serve(f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n".encode() + body)
    message = await ask_message(tiny(port))
    assert (message.text, message.finish) == ("Hello", "stop")
    assert len(seen) == 1


async def test_a_packed_answer_is_unpacked(serve: Serve) -> None:
    port, _ = await serve(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(WHOLE))
    assert (await ask_message(tiny(port))).text == "Hello"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<html><title>Log in</title></html>", "a web page"),
        (b"", "nothing at all"),
        (b" \n ", "nothing at all"),
        (b'{"events": [', "broken JSON"),
        (b"[" * 100_000, "broken JSON"),
        (b"\x00\xff\xfe garbage", "neither a stream of events nor JSON"),
        (b'{"events": []}', "before it was whole"),
    ],
)
async def test_what_is_no_answer_is_tried_again_and_then_said(serve: Serve, body: bytes, said: str) -> None:
    port, seen = await serve(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + body)
    error = await failure(tiny(port, attempts=2), "stream")
    assert said in str(error)
    assert str(error).startswith("tiny ")
    assert len(seen) == 2


async def test_a_body_packed_in_an_unknown_way_is_refused(serve: Serve) -> None:
    port, _ = await serve(b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\nxx")
    assert "'br'" in str(await failure(tiny(port, attempts=1), "stream"))


# Failures that pass.


@pytest.mark.parametrize(
    ("answer", "trouble"),
    [
        (status(429), "answered 429"),
        (status(500), "answered 500"),
        (status(502, b"<html><title>Bad gateway</title>"), "Bad gateway"),
        (status(503), "answered 503"),
        (status(529), "answered 529"),
        (HEAD + b'data: {"text": "Hel"}\n\ndata: {"error": "overloaded"}\n\n', "overloaded"),
        (HEAD + HALF, "before it was whole"),
        (HEAD + HALF + b'data: {"te', "broken JSON"),
        (b"", "cut off"),
        (b"this is no HTTP\r\n\r\n", "not HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + HALF, "cut off"),
        (reset_after(b""), "broke off"),
        (reset_after(HEAD), "broke off"),
        (reset_after(HEAD + HALF), "broke off"),
    ],
)
async def test_what_passes_is_tried_again_and_what_came_before_is_void(
    serve: Serve, answer: Any, trouble: str
) -> None:
    port, seen = await serve(in_turn(answer, HEAD + WHOLE))
    answers = await ask(tiny(port))
    (restarted,) = restarts(answers)
    assert restarted.attempt == 2
    assert trouble in restarted.reason
    after = answers[answers.index(restarted) + 1 :]
    assert after[:-1] == [TextAdded("Hel"), TextAdded("lo")]
    assert isinstance(after[-1], Answered)
    assert (after[-1].message.text, after[-1].message.finish) == ("Hello", "stop")
    assert len(seen) == 2


async def test_nothing_is_asked_again_after_a_whole_answer(serve: Serve) -> None:
    port, seen = await serve(reset_after(HEAD + WHOLE + b'data: {"error": "too late"}\n\n'))
    message = await ask_message(tiny(port))
    assert (message.text, message.finish) == ("Hello", "stop")
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("code", "trouble"),
    [
        *((code, "request") for code in (400, 404, 413, 422)),
        *((401, "key"), (403, "key"), (402, "quota")),
    ],
)
async def test_what_does_not_pass_is_not_tried_again(serve: Serve, code: int, trouble: Trouble) -> None:
    port, seen = await serve(status(code, b'{"error": {"message": "So it is"}}'))
    error = await failure(tiny(port), trouble)
    assert "So it is" in str(error)
    assert error.status == code
    assert len(seen) == 1


@pytest.mark.parametrize(
    "answer",
    [
        reset_after(b"HTTP/1.1 401 Oh\r\nContent-Length: 1000\r\n\r\nhalf a sente"),
        b"HTTP/1.1 401 Oh\r\nContent-Length: 1000\r\n\r\nhalf a sente",
        b"HTTP/1.1 401 Oh\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nxxxxx",
        b"HTTP/1.1 401 Oh\r\nContent-Encoding: br\r\nContent-Length: 5\r\n\r\nxxxxx",
    ],
    ids=["reset", "cut", "not packed as said", "packed oddly"],
)
async def test_a_refusal_counts_though_its_reason_cannot_be_read(serve: Serve, answer: Any) -> None:
    port, seen = await serve(answer)
    assert (await failure(tiny(port), "key")).status == 401
    assert len(seen) == 1


async def test_a_storm_of_refusals_ends_after_the_last_attempt(serve: Serve) -> None:
    port, seen = await serve(status(429, headers="Retry-After: 0\r\n"))
    given, error = await ask_badly(tiny(port, attempts=5))
    assert error.trouble == "limit"
    assert [answer.attempt for answer in restarts(given)] == [2, 3, 4, 5]
    assert len(given) == 4
    assert len(seen) == 5


@pytest.mark.parametrize("wait", ["Retry-After: 0.3", "retry-after-ms: 300"])
async def test_the_wait_a_provider_asks_for_is_kept(serve: Serve, wait: str) -> None:
    port, seen = await serve(in_turn(status(503, headers=f"{wait}\r\n"), HEAD + WHOLE))
    began = time.monotonic()
    (restarted,) = restarts(await ask(tiny(port)))
    assert 0.3 <= restarted.seconds <= 0.33
    assert time.monotonic() - began >= 0.3
    assert len(seen) == 2


async def test_a_wait_may_be_given_as_a_date(serve: Serve) -> None:
    port, _ = await serve(
        status(503, headers=f"Retry-After: {formatdate(time.time() + 40, usegmt=True)}\r\n")
    )
    provider = tiny(port)
    async with aclosing(provider.answer(REQUEST)) as answers:
        restarted = await anext(answers)
    await provider.close()
    assert isinstance(restarted, AnswerRestarted)
    assert 20 < restarted.seconds <= 44


async def test_a_wait_that_is_too_long_fails_at_once_and_says_so(serve: Serve) -> None:
    port, seen = await serve(status(429, headers="Retry-After: 3600\r\n"))
    error = await failure(tiny(port), "limit")
    assert "asks to wait 3,600 seconds" in str(error)
    assert error.retry_after == 3600
    assert len(seen) == 1


async def test_without_that_bound_the_wait_would_be_an_hour(serve: Serve) -> None:
    """The twin."""
    port, _ = await serve(status(429, headers="Retry-After: 3600\r\n"))
    provider = tiny(port, total_seconds=1e6, retry=Retry(most_retry_after=1e9))
    async with aclosing(provider.answer(REQUEST)) as answers:
        restarted = await anext(answers)
    await provider.close()
    assert isinstance(restarted, AnswerRestarted)
    assert restarted.seconds >= 3600


async def test_no_wait_goes_beyond_the_time_of_the_request(serve: Serve) -> None:
    port, seen = await serve(status(503, headers="Retry-After: 30\r\n"))
    await failure(tiny(port, total_seconds=5), "overload")
    assert len(seen) == 1


# Failures that do not pass.


@pytest.mark.parametrize(
    "answer",
    [HEAD + HALF, reset_after(HEAD + HALF), HEAD + HALF + b"data: {"],
    ids=["ended", "reset", "cut in an event"],
)
async def test_a_broken_answer_is_given_as_far_as_it_came_and_its_calls_never_run(
    serve: Serve, answer: Any
) -> None:
    port, seen = await serve(answer)
    message = await ask_message(tiny(port, attempts=2))
    assert (message.text, message.finish, message.model) == ("Hel", "cut", "tiny/m1")
    assert [call.fault for call in message.calls] == [CUT]
    assert len(seen) == 2


async def test_without_the_mark_a_call_of_a_broken_answer_would_run(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin: the wire of these tests marks nothing itself."""
    monkeypatch.setattr(remote, "cut", lambda message: message)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    port, _ = await serve(HEAD + HALF)
    message = await ask_message(tiny(port, attempts=1))
    assert [call.fault for call in message.calls] == [""]


async def test_an_error_the_provider_tells_is_raised_though_something_came(serve: Serve) -> None:
    port, _ = await serve(HEAD + HALF + b'data: {"error": "overloaded"}\n\n')
    assert "overloaded" in str(await failure(tiny(port, attempts=2), "overload"))


async def test_a_reset_before_anything_came_is_an_error(serve: Serve) -> None:
    port, seen = await serve(reset_after(b""))
    await failure(tiny(port, attempts=3), "network")
    assert len(seen) == 3


async def test_a_server_that_is_not_there_is_said_with_what_to_do() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    error = await failure(tiny(port, attempts=2), "network")
    assert "Connection refused" in str(error)
    assert "start it, check its base URL" in str(error)


async def test_redirects_are_not_followed(serve: Serve) -> None:
    elsewhere, asked = await serve(HEAD + WHOLE)
    port, seen = await serve(status(307, headers=f"Location: http://127.0.0.1:{elsewhere}/v1/answer\r\n"))
    error = await failure(tiny(port), "request")
    assert "base_url" in str(error)
    assert (len(seen), asked) == (1, [])


async def test_proxies_of_the_environment_are_not_used(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy, proxied = await serve(HEAD + WHOLE)
    port, _ = await serve(HEAD + WHOLE)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{proxy}")
    await ask(tiny(port))
    assert proxied == []


# Time and size.


async def test_a_silent_server_is_left_after_its_time() -> None:
    async with silence() as server:
        error = await failure(tiny(server.port, attempts=1, idle_seconds=0.1), "timeout")
        assert "was silent for 0.1 seconds" in str(error)
        await asyncio.wait_for(server.left.wait(), 5)


async def test_a_server_that_falls_silent_gives_what_came() -> None:
    async with silence(HEAD + HALF) as server:
        message = await ask_message(tiny(server.port, attempts=1, idle_seconds=0.1))
        assert (message.text, message.finish) == ("Hel", "cut")
        await asyncio.wait_for(server.left.wait(), 5)


async def test_without_a_bound_on_silence_the_request_would_hang() -> None:
    """The twin."""
    async with silence(HEAD + HALF) as server:
        provider = tiny(server.port, attempts=1, idle_seconds=60)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(ask(provider), 0.5)


async def drip_for_ever(request: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(HEAD + HALF)
    while True:
        writer.write(b": still here\n\n")
        await writer.drain()
        await asyncio.sleep(0.01)


async def test_an_endless_stream_ends_with_the_time_of_the_request(serve: Serve) -> None:
    port, seen = await serve(drip_for_ever)
    began = time.monotonic()
    message = await ask_message(tiny(port, idle_seconds=10, total_seconds=0.3))
    assert (message.text, message.finish) == ("Hel", "cut")
    assert 0.3 <= time.monotonic() - began < 5
    assert len(seen) == 1  # there is no time left for a second attempt


async def test_without_a_bound_on_all_of_it_an_endless_stream_would_never_end(serve: Serve) -> None:
    """The twin."""
    port, _ = await serve(drip_for_ever)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(ask(tiny(port, idle_seconds=10, total_seconds=60)), 0.6)


class Flood:
    """Sends text without end and counts it."""

    def __init__(self, data: bytes, head: bytes = HEAD) -> None:
        self._data, self._head = data, head
        self.sent = 0

    async def __call__(self, request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(self._head)
        while self.sent < 200 << 20:
            writer.write(self._data)
            await writer.drain()
            self.sent += len(self._data)


@pytest.mark.parametrize(
    "start", [b"", b"data: ", b'{"events": ['], ids=["events", "one event", "a document"]
)
async def test_a_flood_is_read_to_its_bound(serve: Serve, start: bytes) -> None:
    flood = Flood(b'data: {"text": "x"}\n\n' * 1000 if not start else b"x" * 20_000, HEAD + start)
    port, _ = await serve(flood)
    provider = tiny(port, attempts=1, most_bytes=1 << 20)
    if start:
        assert "larger than any answer" in str(await failure(provider, "stream"))
    else:
        assert (await ask_message(provider)).finish == "cut"
    assert flood.sent < 40 << 20  # what the kernel's buffers hold comes on top


async def test_an_endless_error_page_is_read_to_its_bound(serve: Serve) -> None:
    flood = Flood(b"x" * 20_000, b"HTTP/1.1 500 Oh\r\n\r\n")
    port, _ = await serve(flood)
    await failure(tiny(port, attempts=1), "server")
    assert flood.sent < 40 << 20


async def test_a_connection_left_open_after_the_end_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(arrival, "GRACE_SECONDS", 0.1)
    async with silence(HEAD + WHOLE) as server:
        began = time.monotonic()
        message = await ask_message(tiny(server.port, idle_seconds=30))
        assert (message.text, message.finish) == ("Hello", "stop")
        assert time.monotonic() - began < 5


# Stopping.


async def test_stopping_while_connecting_ends_the_request_at_once() -> None:
    from oneclaw.guard.network.pool import Wiring

    asked, dropped = asyncio.Event(), asyncio.Event()

    async def resolve(host: str, port: int) -> list[str]:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            dropped.set()
        return []

    provider = RemoteProvider(
        TinyWire(), "http://model.test/v1", key=lambda: KEY, label="tiny", wiring=Wiring(resolve=resolve)
    )
    task = asyncio.create_task(ask(provider))
    await asyncio.wait_for(asked.wait(), 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert dropped.is_set()


@pytest.mark.parametrize("data", [b"", HEAD, HEAD + HALF], ids=["before the head", "after it", "in the body"])
async def test_stopping_while_reading_closes_the_connection_at_once(data: bytes) -> None:
    async with silence(data) as server:
        provider = tiny(server.port)
        task = asyncio.create_task(ask(provider))
        await asyncio.wait_for(server.began.wait(), 5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(server.left.wait(), 5)


async def test_closing_the_generator_closes_the_connection_at_once() -> None:
    async with silence(HEAD + HALF) as server:
        provider = tiny(server.port)
        async with aclosing(provider.answer(REQUEST)) as answers:
            assert await anext(answers) == TextAdded("Hel")
        await asyncio.wait_for(server.left.wait(), 5)
        await provider.close()


async def test_stopping_while_waiting_asks_no_more(serve: Serve) -> None:
    port, seen = await serve(status(429, headers="Retry-After: 30\r\n"))
    provider = tiny(port)
    waiting = asyncio.Event()

    async def run() -> None:
        async for answer in provider.answer(REQUEST):
            assert isinstance(answer, AnswerRestarted)
            waiting.set()

    task = asyncio.create_task(run())
    await asyncio.wait_for(waiting.wait(), 5)
    await asyncio.sleep(0)  # into the wait itself
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await provider.close()
    assert len(seen) == 1


# The key.

ECHOES = [
    status(401, json.dumps({"error": {"message": f"Bad key {KEY}!"}}).encode()),
    status(401, f"<html><title>No {KEY}</title></html>".encode()),
    status(401, json.dumps({"error": {"message": "x" * 390 + KEY}}).encode()),  # cut within the key
    status(307, headers=f"Location: http://127.0.0.1:1/?key={KEY}\r\n"),
    HEAD + f'data: {{"error": "no {KEY}"}}\n\n'.encode(),
]


@pytest.mark.parametrize("answer", ECHOES)
async def test_a_key_that_is_echoed_reaches_no_error(serve: Serve, answer: bytes) -> None:
    port, _ = await serve(answer)
    given, failed = await ask_badly(tiny(port, attempts=2))
    said = [each.reason for each in restarts(given)]
    error: BaseException | None = failed
    while error is not None:  # nor what it was raised from
        said.append(str(error))
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    assert all(KEY[:8] not in text for text in said)
    assert any("[redacted:key]" in text for text in said)


@pytest.mark.parametrize("answer", ECHOES)
async def test_without_that_guard_the_key_would_be_in_the_error(
    serve: Serve, answer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin."""
    monkeypatch.setattr(remote, "without_key", lambda text, key: text)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    port, _ = await serve(answer)
    with pytest.raises(ProviderError) as caught:
        await ask(tiny(port, attempts=1))
    assert KEY[:8] in str(caught.value)


def test_text_without_a_key_stays_as_it_is() -> None:
    assert without_key("all is well", KEY) == "all is well"
    assert without_key("all is well", None) == "all is well"


async def test_a_missing_key_is_said_with_its_name_and_nothing_is_sent(serve: Serve) -> None:
    port, seen = await serve(HEAD + WHOLE)

    def missing() -> str:
        raise ToolError("The secret TINY_KEY is not set: set the environment variable TINY_KEY.")

    provider = RemoteProvider(TinyWire(), f"http://127.0.0.1:{port}", key=missing, label="tiny")
    error = await failure(provider, "key")
    assert "tiny has no key" in str(error)
    assert "set the environment variable TINY_KEY" in str(error)
    assert seen == []


@pytest.mark.parametrize("key", ["sk-one\r\nX-Evil: two", "sk-ключ-0123456789", "sk-\x00-0123456789"])
async def test_a_key_that_cannot_be_a_header_is_refused_unseen(serve: Serve, key: str) -> None:
    port, seen = await serve(HEAD + WHOLE)
    error = await failure(tiny(port, key=key), "key")
    assert key not in str(error)
    assert seen == []


async def test_a_line_end_after_the_key_does_no_harm(serve: Serve) -> None:
    port, seen = await serve(HEAD + WHOLE)
    await ask(tiny(port, key=KEY + "\n"))
    assert f"Bearer {KEY}\r\n".encode() in seen[0]


@pytest.mark.parametrize(
    "url", ["", "model.test/v1", "ftp://model.test", "https://me:pw@model.test", "http://a/?b=c"]
)
def test_a_base_url_that_cannot_be_used_is_refused_by_name(url: str) -> None:
    with pytest.raises(InvalidConfig, match=r"providers\.tiny\.base_url"):
        RemoteProvider(TinyWire(), url, key=lambda: None, label="tiny")
