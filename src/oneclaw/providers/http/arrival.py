"""Reads a provider's response body within time and size limits."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Iterable, Mapping
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any, TypeVar, cast

from oneclaw.core.answer import AnswerProgress
from oneclaw.guard.network.body import Unpacker, media_type
from oneclaw.providers.base import AnswerReader, ProviderError, ServerEvent
from oneclaw.providers.http.sse import ServerEvents

if TYPE_CHECKING:
    from oneclaw.guard.network.pool import HttpResponse as Response

T = TypeVar("T")

MOST_BYTES = 64 << 20
GRACE_SECONDS = 5.0
"""Seconds to keep reading after the provider ended its answer."""

_BLANK = b" \t\r\n\xef\xbb\xbf"
_FIELD_STARTS = b"deir:"  # data, event, id, retry and comments


class Patience:
    """The time limits of one request: for silence, and in total."""

    def __init__(self, idle_seconds: float, total_seconds: float) -> None:
        self._idle_seconds = idle_seconds
        self._total_seconds = total_seconds
        self._clock = asyncio.get_running_loop().time
        self._end = self._clock() + total_seconds

    @property
    def left_seconds(self) -> float:
        return self._end - self._clock()

    def hasten(self, seconds: float) -> None:
        """Wait no longer than so many seconds from now."""
        self._end = min(self._end, self._clock() + seconds)

    async def wait(self, awaitable: Awaitable[T]) -> T:
        """Awaits with a limit; raises `ProviderError` when time runs out."""
        try:
            async with asyncio.timeout_at(min(self._end, self._clock() + self._idle_seconds)):
                return await awaitable
        except TimeoutError:
            if self.left_seconds > 0:
                said = f"was silent for {self._idle_seconds:g} seconds"
            else:
                said = f"took longer than {self._total_seconds:g} seconds in all"
            raise ProviderError(
                f"The provider {said}. Try again, or raise the time limit of the provider.", "timeout"
            ) from None


async def read_chunks(
    response: "Response", patience: Patience, most_bytes: int = MOST_BYTES
) -> AsyncGenerator[bytes]:
    """The bytes of a body, unpacked; raises `ProviderError` for what is late, too much or packed oddly."""
    encoding = header(response, "content-encoding")
    unpacker = Unpacker(encoding, most_bytes)
    if not unpacker.is_known:
        raise ProviderError(f"The provider packed its answer as {encoding[:40]!r}, unasked.", "stream")
    chunks = aiter(response.chunks)
    while (chunk := await patience.wait(anext(chunks, None))) is not None:
        unpacker.feed(chunk)
        # What it unpacked is taken from it at once; its bound is on all that it was given.
        data = bytes(unpacker.body)
        unpacker.body.clear()
        most_bytes -= len(data)
        yield data
        if unpacker.is_full or most_bytes < 0:
            raise ProviderError(
                "The answer is larger than any answer can be, so it was not read on.", "stream"
            )


async def read_start(response: "Response", patience: Patience, most_bytes: int) -> bytes:
    """The start of an error body, as far as it can be read."""
    body = bytearray()
    with suppress(Exception):  # a reset, a bad packing, silence: the status says enough
        async with aclosing(read_chunks(response, patience)) as chunks:
            async for chunk in chunks:
                body += chunk
                if len(body) >= most_bytes:
                    break
    return bytes(body[:most_bytes])


async def read_answer(
    response: "Response", reader: AnswerReader, patience: Patience, most_bytes: int = MOST_BYTES
) -> AsyncGenerator[AnswerProgress]:
    """The progress in the body of a success. What it is, is told by how it begins: servers mislabel it."""
    async with aclosing(read_chunks(response, patience, most_bytes)) as chunks:
        start = await _start(chunks)
        first = start.lstrip(_BLANK)[:1]
        kind = media_type(header(response, "content-type"))
        if first in (b"{", b"["):
            parts = _read_document(start, chunks, reader)
        elif first != b"<" and (kind == "text/event-stream" or (first and first in _FIELD_STARTS)):
            parts = _read_events(start, chunks, reader, patience)
        else:
            raise _no_answer(first, kind)
        async with aclosing(parts) as progress:
            async for each in progress:
                yield each


async def _start(chunks: AsyncIterator[bytes]) -> bytes:
    start = b""
    async for chunk in chunks:
        start += chunk
        # A server may keep the line open with blanks before it says anything.
        if start.lstrip(_BLANK):
            break
        start = start[:3]
    return start


async def _read_events(
    start: bytes, chunks: AsyncIterator[bytes], reader: AnswerReader, patience: Patience
) -> AsyncGenerator[AnswerProgress]:
    events = ServerEvents()
    chunk: bytes | None = start
    while chunk is not None:
        for event in events.feed(chunk):
            for progress in reader.feed(event):
                yield progress
        if reader.is_complete:
            patience.hasten(GRACE_SECONDS)
        chunk = await anext(chunks, None)
    for event in events.finish():
        for progress in reader.feed(event):
            yield progress


async def _read_document(
    start: bytes, chunks: AsyncIterator[bytes], reader: AnswerReader
) -> AsyncGenerator[AnswerProgress]:
    body = bytearray(start)
    async for chunk in chunks:
        body += chunk
    for progress in _take(bytes(body), reader):
        yield progress


def _take(body: bytes, reader: AnswerReader) -> Iterable[AnswerProgress]:
    try:
        document: Any = json.loads(body)
    except (ValueError, RecursionError):
        raise ProviderError("The provider answered with broken JSON. Try again.", "stream") from None
    if isinstance(document, Mapping):
        return reader.take(cast("Mapping[str, Any]", document))
    # The events of a stream in one list, as Gemini sends them where a proxy drops `alt=sse`.
    items = cast("list[Any]", document)
    return [progress for item in items for progress in reader.feed(ServerEvent("", json.dumps(item)))]


def _no_answer(first: bytes, kind: str) -> ProviderError:
    if first == b"<":
        what = "a web page instead of an answer"
    elif first:
        what = f"{kind or 'something'} that is neither a stream of events nor JSON"
    else:
        what = "nothing at all"
    return ProviderError(
        f"The provider answered with {what}. Try again, and check the base URL of the provider.", "stream"
    )


def header(response: "Response", name: str) -> str:
    """The value of a header, or an empty text; `name` is in lower case."""
    return next((value for key, value in response.headers if key.lower() == name), "")
