"""Sieve: takes tools that break the protocol out of a listing, so that the others are still listed.

The SDK refuses a whole listing for one bad entry. The sieve stands between a transport and the SDK, and puts
the bad entries aside with the reason.
"""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, cast

from oneclaw.mcp.client.sdk import SessionMessage, ValidationError, types

NAME_CHARS = 128


class Sieve:
    """A transport around another one. `bad` has the reasons by the name of the tool, as far as it has one."""

    def __init__(self, transport: AbstractAsyncContextManager[Any]) -> None:
        self._transport = transport
        self.bad: dict[str, str] = {}

    async def __aenter__(self) -> tuple[Any, Any]:
        read, write = await self._transport.__aenter__()
        return _SievedStream(read, self), write

    async def __aexit__(self, *raised: Any) -> bool | None:
        return await self._transport.__aexit__(*raised)

    def sift(self, message: Any) -> Any:
        """The message without the tools that the SDK would refuse."""
        response = getattr(message, "message", None)
        if not isinstance(response, types.JSONRPCResponse):
            return message
        result = response.result
        tools = result.get("tools")
        if not isinstance(tools, list):
            return message
        kept = [tool for place, tool in enumerate(cast("list[Any]", tools)) if self._is_good(tool, place)]
        if len(kept) == len(cast("list[Any]", tools)):
            return message
        sifted = response.model_copy(update={"result": {**result, "tools": kept}})
        return SessionMessage(sifted, metadata=message.metadata)

    def _is_good(self, tool: Any, place: int) -> bool:
        try:
            types.Tool.model_validate(tool, by_name=False)
            if tool["inputSchema"].get("type") != "object":
                raise ValueError('its inputSchema does not say "type": "object"')
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            field = ".".join(map(str, first["loc"][:3])) or "it"
            reason = f"{field} is wrong: {first['msg']}"
        except ValueError as error:
            reason = str(error)
        else:
            return True
        name = cast("Mapping[str, Any]", tool).get("name") if isinstance(tool, Mapping) else None
        named = name if isinstance(name, str) and name else f"entry {place}"
        self.bad[named[:NAME_CHARS]] = f"it breaks the protocol: {reason}."
        return False


class _SievedStream:
    """A stream of messages whose listings are sifted."""

    def __init__(self, stream: Any, sieve: Sieve) -> None:
        self._stream = stream
        self._sieve = sieve

    @property
    def last_context(self) -> Any:
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> Any:
        return self._sieve.sift(await self._stream.receive())

    async def aclose(self) -> None:
        await self._stream.aclose()

    def close(self) -> None:
        self._stream.close()

    def __aiter__(self) -> "_SievedStream":
        return self

    async def __anext__(self) -> Any:
        return self._sieve.sift(await anext(self._stream))

    async def __aenter__(self) -> "_SievedStream":
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *raised: Any) -> bool | None:
        return await self._stream.__aexit__(*raised)
