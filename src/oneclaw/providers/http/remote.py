"""A provider over HTTP: requests, reading and retries."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from oneclaw.core.answer import Answered, AnswerEvent, AnswerProgress, AnswerRestarted
from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.message import AssistantMessage
from oneclaw.core.session import Network
from oneclaw.core.version import __version__
from oneclaw.guard.network.gate import Gate
from oneclaw.guard.network.headers import check
from oneclaw.guard.network.outgoing_request import REDIRECTS, OutgoingRequest
from oneclaw.guard.network.url import parse
from oneclaw.guard.secret.redactor import SecretRedactor
from oneclaw.providers.base import RETRIED, AnswerReader, ProviderError, Request, Trouble, Wire
from oneclaw.providers.http.address import parse_base
from oneclaw.providers.http.arrival import MOST_BYTES, Patience, read_answer, read_chunks, read_start
from oneclaw.providers.http.retry import Retry, retry_after
from oneclaw.providers.written import faulted

if TYPE_CHECKING:
    from oneclaw.guard.network.pool import GuardedPool, Wiring
    from oneclaw.guard.network.pool import HttpResponse as Response

_BROKEN: frozenset[Trouble] = frozenset({"stream", "network", "timeout"})
_ERROR_BYTES = 64 << 10
_ERROR_SECONDS = 10.0
_LIST_BYTES = 8 << 20
_LEAST_KEY_CHARS = 8
_KEPT = 20  # connections that wait for the next request


class RemoteProvider:
    """Speaks one wire format with one server; `label` is the name the owner knows it by.

    The server may be on this machine or network: the owner named it, so its host and port, and no other, are
    open. Redirects are not followed and proxies of the environment are not used. Connections are kept, and
    opened with the first request.
    """

    def __init__(
        self,
        wire: Wire,
        base_url: str,
        *,
        key: Callable[[], str | None],
        label: str,
        network: Network | None = None,
        attempts: int = 4,
        idle_seconds: float = 120.0,
        total_seconds: float = 900.0,
        most_bytes: int = MOST_BYTES,
        headers: Mapping[str, str] | None = None,
        wiring: "Wiring | None" = None,
        retry: Retry | None = None,
    ) -> None:
        self._wire = wire
        self._base_url = base_url.rstrip("/")
        self._key = key
        self._label = label
        target = parse_base(self._base_url, label)
        listed = (f"{target.bare_host}:{target.port}",)
        # What is open to tools is none of its business, and what is open to it none of theirs.
        self.network = Network(network.proxy if network else None, listed)
        self._attempts = attempts
        self._idle_seconds = idle_seconds
        self._total_seconds = total_seconds
        self._most_bytes = most_bytes
        self._headers = dict(headers or {})
        self._wiring = wiring
        self._retry = retry or Retry()
        self._pool: GuardedPool | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def answer(self, request: Request) -> AsyncGenerator[AnswerEvent]:
        """Ask until there is a complete answer, at most `attempts` times; else give the part that came."""
        patience = Patience(self._idle_seconds, self._total_seconds)
        key = self._find_key()
        errand = self._errand("POST", self._wire.path(request), key, self._wire.write(request))
        attempt = 1
        while True:
            reader = self._wire.reader(request)
            try:
                async with aclosing(self._ask(errand, reader, patience)) as progress:
                    async for each in progress:
                        yield each
            except ProviderError as failure:
                error = self._told(failure, key)
            else:
                yield Answered(self._named(reader.message(), request))
                return
            seconds = self._pause(error, attempt, patience)
            if seconds is None:
                message = reader.message()
                if not message.parts or error.trouble not in _BROKEN:
                    raise error
                yield Answered(self._named(cut(message), request))
                return
            attempt += 1
            yield AnswerRestarted(str(error), seconds, attempt)
            await asyncio.sleep(seconds)

    async def fetch(self, path: str, seconds: float = 10.0, posted: Mapping[str, Any] | None = None) -> Any:
        """The JSON document at `path`, asked for once, by POST where something is posted.

        A path that begins with // is one of the server, and not below its base URL. Raises `ProviderError`.
        """
        patience = Patience(seconds, seconds)
        key = self._find_key()
        sent = None if posted is None else json.dumps(posted).encode()
        errand = self._errand("GET" if posted is None else "POST", path, key, sent)
        try:
            async with (
                self._exchange(errand, patience) as response,
                aclosing(read_chunks(response, patience, _LIST_BYTES)) as chunks,
            ):
                body = b"".join([chunk async for chunk in chunks])
        except ProviderError as failure:
            raise self._told(failure, key) from None
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            raise ProviderError(
                f"{self._label} answered without JSON. Check its base URL.", "stream"
            ) from None

    async def close(self) -> None:
        """Close the connections; the next request opens new ones."""
        pool, self._pool = self._pool, None
        if pool is not None and self._loop is asyncio.get_running_loop():
            await pool.aclose()

    async def _ask(
        self, errand: OutgoingRequest, reader: AnswerReader, patience: Patience
    ) -> AsyncGenerator[AnswerProgress]:
        """One attempt. Errors after the provider ended its answer are ignored."""
        try:
            async with (
                self._exchange(errand, patience) as response,
                aclosing(read_answer(response, reader, patience, self._most_bytes)) as progress,
            ):
                async for each in progress:
                    yield each
        except ProviderError:
            if not reader.is_complete:
                raise
        if not reader.is_complete:
            raise ProviderError("The provider ended its answer before it was whole. Try again.", "stream")

    @asynccontextmanager
    async def _exchange(self, errand: OutgoingRequest, patience: Patience) -> AsyncGenerator["Response"]:
        """The response to a request; raises `ProviderError` unless its status is a success."""
        try:
            async with AsyncExitStack() as stack:
                exchange = self._open().exchange(errand, may_be_silent=True)
                response = await patience.wait(stack.enter_async_context(exchange))
                if not 200 <= response.status < 300:
                    raise await self._refusal(response, patience)
                yield response
        except ToolError as error:
            trouble: Trouble = "timeout" if error.kind is Kind.TIMEOUT else "network"
            told = f"The provider cannot be reached or broke off ({error.message.rstrip('.')})"
            raise ProviderError(
                f"{told}: start it, check its base URL, or choose another model (`oneclaw models`).", trouble
            ) from None

    async def _refusal(self, response: "Response", patience: Patience) -> ProviderError:
        headers = {name.lower(): value for name, value in response.headers}
        if response.status in REDIRECTS:
            place = headers.get("location", "")[:200]
            return ProviderError(
                f"The provider sends requests on to {place!r}, which is not followed. Set its base_url to the"
                " right address.",
                "request",
                status=response.status,
            )
        patience = Patience(_ERROR_SECONDS, min(_ERROR_SECONDS, patience.left_seconds))
        body = await read_start(response, patience, _ERROR_BYTES)
        error = self._wire.explain(response.status, headers, body)
        if error.retry_after is None:
            error.retry_after = retry_after(headers, time.time())
        return error

    def _pause(self, error: ProviderError, attempt: int, patience: Patience) -> float | None:
        """Seconds to wait before the next attempt; None when there is none."""
        if error.trouble not in RETRIED or attempt >= self._attempts:
            return None
        if error.retry_after is not None and error.retry_after > self._retry.most_retry_after:
            return None
        seconds = self._retry.seconds(attempt, error.retry_after)
        return seconds if seconds < patience.left_seconds else None

    def _told(self, error: ProviderError, key: str | None) -> ProviderError:
        """The error by the provider's name, without the key, and with a wait that is too long for us."""
        text = without_key(str(error), key)
        text = text.replace("The provider", self._label, 1) if text.startswith("The provider") else text
        text = text if self._label in text else f"{self._label}: {text}"
        asked = error.retry_after
        if asked is not None and error.trouble in RETRIED and asked > self._retry.most_retry_after:
            most = self._retry.most_retry_after
            text += f" It asks to wait {asked:,.0f} seconds, and at most {most:g} are waited."
        return ProviderError(text, error.trouble, status=error.status, retry_after=asked)

    def _find_key(self) -> str | None:
        try:
            key = (self._key() or "").strip() or None
        except ToolError as error:
            raise ProviderError(f"{self._label} has no key. {error.message}", "key") from None
        if key is not None and not (key.isascii() and key.isprintable()):
            raise ProviderError(
                f"The key of {self._label} has characters no key has, as a line end. Set it again.", "key"
            )
        return key

    def _errand(self, method: str, path: str, key: str | None, body: bytes | None = None) -> OutgoingRequest:
        headers = {
            "User-Agent": f"oneclaw/{__version__}",
            "Accept": "application/json" if body is None else "text/event-stream",
            # Packed events would wait in a buffer on the way.
            "Accept-Encoding": "identity",
        }
        if body is not None:
            headers["Content-Type"] = "application/json"
        headers |= self._wire.headers(key) | self._headers
        try:
            url = urljoin(self._base_url, path[1:]) if path.startswith("//") else self._base_url + path
            return OutgoingRequest(method, parse(url), check(headers.items()), body)
        except ToolError as error:
            raise ProviderError(without_key(error.message, key), "request") from None

    def _named(self, message: AssistantMessage, request: Request) -> AssistantMessage:
        return replace(message, model=f"{self._label}/{request.model}")

    def _open(self) -> "GuardedPool":
        loop = asyncio.get_running_loop()
        # Connections belong to the loop they were opened in; those of a loop that ended are gone.
        if self._pool is None or self._loop is not loop:
            from oneclaw.guard.network.pool import GuardedPool, Wiring

            wiring = self._wiring or Wiring()
            gate = Gate(self.network, None, wiring.resolve)
            self._pool, self._loop = GuardedPool(gate, self.network, wiring, _KEPT), loop
        return self._pool


def cut(message: AssistantMessage) -> AssistantMessage:
    """The message as one that broke off: none of its calls may run."""
    return replace(message, parts=tuple(map(faulted, message.parts)), finish="cut")


def without_key(text: str, key: str | None) -> str:
    """The text without the key, however it is spelled, and without the start of a key that was cut off."""
    if not key:
        return text
    text = SecretRedactor({"key": key}).redact(text)
    for chars in range(len(key) - 1, _LEAST_KEY_CHARS - 1, -1):
        if key[:chars] in text:
            return text.replace(key[:chars], "[redacted:key]")
    return text
