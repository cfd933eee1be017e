"""The connections of a provider: kept, side by side, over TLS, in one event loop after another."""

import asyncio
import gc
import ssl
from contextlib import aclosing
from pathlib import Path

import pytest
from tests.conftest import Serve
from tests.loopback import answering
from tests.providers.tiny import (
    HALF,
    HEAD,
    KEY,
    QUICK,
    REQUEST,
    WHOLE,
    TinyWire,
    ask,
    ask_message,
    restarts,
    tiny,
)

from oneclaw.core.answer import Answered, TextAdded
from oneclaw.core.errors import ToolError
from oneclaw.core.session import Network
from oneclaw.guard.network.dial import lookup
from oneclaw.guard.network.gate import Gate
from oneclaw.guard.network.pool import Wiring
from oneclaw.providers.base import ProviderError, Request
from oneclaw.providers.http.remote import RemoteProvider


async def test_a_connection_is_kept_for_the_next_request() -> None:
    connections, requests, ended = 0, 0, asyncio.Event()
    body = HEAD.replace(b"Connection: close\r\n", b"Content-Length: %d\r\n" % len(WHOLE)) + WHOLE

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections, requests
        connections += 1
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = next(
                    line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")
                )
                await reader.readexactly(int(length.partition(b":")[2]))
                requests += 1
                writer.write(body)
        except asyncio.IncompleteReadError:
            writer.close()
            ended.set()

    async with await asyncio.start_server(handle, "127.0.0.1", 0) as server:
        provider = tiny(server.sockets[0].getsockname()[1])
        for _ in range(3):
            async with aclosing(provider.answer(REQUEST)) as answers:
                assert [type(answer) for answer in [each async for each in answers]][-1] is Answered
        await provider.close()
        await asyncio.wait_for(ended.wait(), 5)
    assert (connections, requests) == (1, 3)


# The connection of the first loop is dropped, as by a program that does not close what it opened.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_provider_can_be_used_in_one_loop_after_another() -> None:
    async def ask_once(provider: RemoteProvider) -> None:
        async with aclosing(provider.answer(REQUEST)) as answers:
            given = [each async for each in answers]
        assert isinstance(given[-1], Answered)
        assert restarts(given) == []

    async def ask_and_close(provider: RemoteProvider) -> None:
        await ask_once(provider)
        await provider.close()

    with answering(lambda asked: WHOLE) as port:
        provider = tiny(port)
        asyncio.run(ask_once(provider))
        asyncio.run(ask_and_close(provider))
        gc.collect()


async def test_requests_side_by_side_get_each_their_own_answer(serve: Serve) -> None:
    arrived = 0
    everyone = asyncio.Event()

    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        nonlocal arrived
        arrived += 1
        if arrived == 20:
            everyone.set()
        await everyone.wait()  # none is answered before all are there: they do overlap
        name = request.rpartition(b'"model": "')[2].partition(b'"')[0]
        writer.write(HEAD + b'data: {"text": "%b"}\n\ndata: {"end": true}\n\n' % name)

    port, _ = await serve(answer)
    provider = tiny(port)

    async def text_of(model: str) -> str:
        async with aclosing(provider.answer(Request(model, REQUEST.messages))) as answers:
            last = [each async for each in answers][-1]
        assert isinstance(last, Answered)
        return last.message.text

    names = [f"m{number}" for number in range(20)]
    assert await asyncio.wait_for(asyncio.gather(*map(text_of, names)), 20) == names
    await provider.close()


async def test_a_proxy_the_owner_set_is_used_for_a_public_provider(serve: Serve) -> None:
    async def resolve(host: str, port: int) -> list[str]:
        return ["93.184.216.34"]

    port, proxied = await serve(HEAD + WHOLE)
    network = Network(proxy=f"http://127.0.0.1:{port}")
    provider = RemoteProvider(
        TinyWire(),
        "http://model.test/v1",
        key=lambda: KEY,
        label="tiny",
        network=network,
        wiring=Wiring(resolve=resolve),
    )
    assert (await ask_message(provider)).text == "Hello"
    assert proxied[0].startswith(b"POST http://model.test:80/v1/answer ")


async def test_hosts_open_to_tools_are_not_opened_by_a_provider_nor_the_other_way(serve: Serve) -> None:
    """Leave for the base URL is for its host and port: the name of it may not lead elsewhere."""
    port, seen = await serve(HEAD + WHOLE)
    provider = tiny(port)
    gate = Gate(provider.network, None, lookup)
    assert (await gate.admit("127.0.0.1", port)).is_private
    with pytest.raises(ToolError, match="loopback"):
        await gate.admit("127.0.0.1", port + 1)
    with pytest.raises(ToolError, match="loopback"):
        await gate.admit("127.0.0.2", port)
    assert seen == []


def secure(certificate: Path, port: int, *, is_trusted: bool = True) -> RemoteProvider:
    async def resolve(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    file = str(certificate / "cert.pem") if is_trusted else None
    wiring = Wiring(resolve=resolve, tls=ssl.create_default_context(cafile=file))
    url = f"https://good.test:{port}/v1"
    return RemoteProvider(
        TinyWire(), url, key=lambda: KEY, label="tiny", wiring=wiring, retry=QUICK, attempts=2
    )


def server_tls(certificate: Path) -> ssl.SSLContext:
    ours = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ours.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    return ours


async def test_an_answer_comes_over_tls(certificate: Path, serve: Serve) -> None:
    port, seen = await serve(HEAD + WHOLE, tls=server_tls(certificate))
    assert (await ask_message(secure(certificate, port))).text == "Hello"
    assert len(seen) == 1


async def test_a_server_nobody_vouches_for_is_told_no_key(certificate: Path, serve: Serve) -> None:
    port, seen = await serve(HEAD + WHOLE, tls=server_tls(certificate))
    with pytest.raises(ProviderError, match="certificate is not valid") as caught:
        await ask(secure(certificate, port, is_trusted=False))
    assert caught.value.trouble == "network"
    assert seen == []


async def test_stopping_closes_a_connection_over_tls_at_once(certificate: Path, serve: Serve) -> None:
    left = asyncio.Event()

    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        try:
            writer.write(HEAD + HALF)
            while True:  # a closed connection is seen by writing to it
                await writer.drain()
                await asyncio.sleep(0.01)
                writer.write(b": still here\n\n")
        finally:
            left.set()

    port, _ = await serve(answer, tls=server_tls(certificate))
    provider = secure(certificate, port)
    async with aclosing(provider.answer(REQUEST)) as answers:
        assert await anext(answers) == TextAdded("Hel")
    await asyncio.wait_for(left.wait(), 5)
    await provider.close()
