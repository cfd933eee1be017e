"""One stream of every provider, cut at every byte: whole after a retry, or with calls that never run."""

import random
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest
from tests.providers.formats.every import BY_WIRE
from tests.providers.formats.format import Call, Text

from oneclaw.core.message import AssistantMessage, Usage
from oneclaw.guard.network.pool import HttpResponse as Response
from oneclaw.providers.base import ProviderError, Wire
from oneclaw.providers.catalog import ProviderSettings
from oneclaw.providers.connect import make_wire
from oneclaw.providers.http.arrival import Patience, read_answer
from oneclaw.providers.http.remote import cut
from oneclaw.testing import REQUEST, WIRES
from oneclaw.testing.answers import arguments_of

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
TEXT = "I read „ä“ 😀 first."
CALLS = [("read_file", {"path": "ä.txt"}), ("get_time", {"zone": "b"})]
PARTS = [Text(TEXT), *(Call(name, arguments, f"id_{name}") for name, arguments in CALLS)]
OPEN, ENDING = (
    {wire: b"".join(BY_WIRE[wire].stream(PARTS, Usage(10, 9))[half]) for wire in WIRES} for half in (0, 1)
)
STREAMS = {wire: OPEN[wire] + ENDING[wire] for wire in WIRES}
each_wire = pytest.mark.parametrize("name", WIRES)


def wire_of(name: str) -> Wire:
    return make_wire(ProviderSettings("p", name, "http://127.0.0.1"))


def plain(message: AssistantMessage) -> AssistantMessage:
    """Without what is counted: the tokens come last, and may be missing where the answer itself is whole."""
    return AssistantMessage(message.parts, message.finish, message.wire)


async def read(wire: Wire, body: bytes, *, is_reset: bool) -> tuple[AssistantMessage, bool]:
    """The message of a body that ends here, or that the connection breaks off; and whether it is complete."""

    async def chunks() -> AsyncIterator[bytes]:
        yield body
        if is_reset:
            raise ProviderError("The connection was reset.", "network")

    reader = wire.reader(REQUEST)
    response = Response(200, "OK", (("content-type", "text/event-stream"),), chunks())
    try:
        async with aclosing(read_answer(response, reader, Patience(10, 10))) as progress:
            async for _ in progress:
                pass
    except ProviderError as error:
        if error.trouble not in ("stream", "network"):
            raise
    return reader.message(), reader.is_complete


def check_broken(message: AssistantMessage, whole: AssistantMessage) -> None:
    assert message.finish == "cut"
    assert whole.text.startswith(message.text)
    assert all(call.fault for call in message.calls)
    assert len(message.calls) <= len(whole.calls)


async def whole_of(name: str) -> AssistantMessage:
    message, is_complete = await read(wire_of(name), STREAMS[name], is_reset=False)
    assert is_complete
    assert message.text == TEXT
    assert [(call.name, arguments_of(call)) for call in message.calls] == CALLS
    assert [call.fault for call in message.calls] == ["", ""]
    assert message.finish == "calls"
    return plain(message)


@pytest.mark.parametrize("is_reset", [False, True], ids=["ends", "is reset"])
@each_wire
async def test_a_stream_cut_at_any_byte_is_whole_or_its_calls_never_run(name: str, is_reset: bool) -> None:
    wire, stream, whole = wire_of(name), STREAMS[name], await whole_of(name)
    with_calls = 0
    for place in range(len(stream)):
        message, is_complete = await read(wire, stream[:place], is_reset=is_reset)
        if is_complete:
            assert plain(message) == whole
            assert place > len(OPEN[name])  # what was cut before its end is never taken for whole
        else:
            check_broken(cut(message), whole)
            with_calls += bool(message.calls)
    assert with_calls > 50


@each_wire
async def test_a_stream_with_any_byte_wrong_is_an_answer_or_a_clean_failure(name: str) -> None:
    wire, stream, chance = wire_of(name), STREAMS[name], random.Random(7)
    complete = broken = 0
    for _ in range(400):
        spoiled = bytearray(stream)
        for _ in range(chance.choice((1, 3, 30))):
            spoiled[chance.randrange(len(spoiled))] = chance.randrange(256)
        # Anything but `ProviderError` comes out of `read` and fails the test.
        message, is_complete = await read(wire, bytes(spoiled), is_reset=False)
        complete += is_complete
        broken += not is_complete
        if not is_complete:
            assert all(call.fault for call in cut(message).calls)
    assert complete > 20
    assert broken > 20
