"""Connection: the task that connects to one MCP server, keeps the connection, and connects again.

Theory of operation. The SDK wants a client to be entered and left in one task, so each server has a task of
its own, `_live`, and whatever happens to one server stays there. The task connects within a time limit, lists
the tools, and waits until the connection ends or the server says that its tools changed. After an end it
waits with a growing pause and connects again; a call that comes meanwhile has it try at once. Calls run in
the tasks of their callers, so that the cancelling of a call reaches the server.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, suppress
from typing import TYPE_CHECKING, Any, Literal, Protocol

from oneclaw.core.errors import Kind, ToolError, describe
from oneclaw.core.tool import Context
from oneclaw.core.version import __version__
from oneclaw.mcp.client.mcp_calls import McpCall, McpCalls
from oneclaw.mcp.client.mcp_server import McpServer

if TYPE_CHECKING:
    from oneclaw.mcp.client.sampling import AskModel

ConnectionState = Literal["stopped", "starting", "ready", "waiting"]

FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 60.0
STEADY_SECONDS = 60.0
"""A connection that held this long is no sign of a server that cannot hold one."""
CLOSE_SECONDS = 6.0
PAGES = 500
TOOLS = 20_000


class McpWire(Protocol):
    """A way to a server: the SDK's transport, and what is known of its other end."""

    @property
    def transport(self) -> Any: ...
    @property
    def ended(self) -> asyncio.Event | None: ...
    @property
    def log(self) -> str: ...
    @property
    def warnings(self) -> list[str]: ...
    def bad_tools(self) -> Mapping[str, str]: ...
    async def why_ended(self) -> str: ...
    async def close(self) -> None: ...


class Connection:
    """The connection to one server; used from one event loop.

    state     stopped, starting, ready, or waiting before the next try
    problem   why it is not ready, in one sentence; empty when nothing is wrong
    listed    the tools as the server lists them now; None until it has listed them
    """

    def __init__(
        self,
        server: McpServer,
        make_wire: Callable[[], Awaitable[McpWire]],
        changed: Callable[[], None],
        *,
        ask_model: "AskModel | None" = None,
    ) -> None:
        self.server = server
        self.state: ConnectionState = "stopped"
        self.problem = ""
        self.listed: list[dict[str, Any]] | None = None
        self.bad: Mapping[str, str] = {}
        self.about = ""
        self.protocol = ""
        self.capabilities: Any = None
        self.calls = McpCalls()
        self.tries = 0
        self._make_wire = make_wire
        self._changed = changed
        self._ask_model = ask_model if server.settings.sampling else None
        self._wire: McpWire | None = None
        self._client: Any = None
        self._task: asyncio.Task[None] | None = None
        self._settled = asyncio.Event()
        self._hurry = asyncio.Event()
        self._relist = asyncio.Event()
        self._lost = asyncio.Event()

    @property
    def log(self) -> str:
        """The end of what a local server wrote to stderr."""
        return "" if self._wire is None else self._wire.log

    @property
    def warnings(self) -> list[str]:
        return [] if self._wire is None else self._wire.warnings

    @property
    def is_ready(self) -> bool:
        """Whether calls can be sent; a server that has just ended is not ready before others know of it."""
        ended = None if self._wire is None else self._wire.ended
        return (
            self.state == "ready" and not self._lost.is_set() and not (ended is not None and ended.is_set())
        )

    def start(self) -> None:
        """Begin to connect; `settled` waits for the first outcome."""
        if self._task is None or self._task.done():
            self._settled.clear()
            self.state = "starting"
            self._task = asyncio.ensure_future(self._live())

    async def settled(self) -> None:
        """Wait until the first try to connect has succeeded or failed."""
        await self._settled.wait()

    async def close(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait((task,), timeout=CLOSE_SECONDS)
        self.state, self._client = "stopped", None

    async def call(self, raw: str, arguments: dict[str, Any], context: Context) -> Any:
        """Call a tool of the server: its result, as the SDK gives it. Raises `ToolError`."""
        client = await self.client()

        def send(call: McpCall) -> Any:
            async def progressed(done: float, total: float | None, message: str | None) -> None:
                call.heard()
                share = done / total if total else None
                context.progress(message or f"{done:g}{f' of {total:g}' if total else ''}", share)

            return client.call_tool(raw, arguments, progress_callback=progressed)

        return await self.exchange(send, context)

    async def exchange(self, send: Callable[[McpCall], Any], context: Context) -> Any:
        """Wait for the answer to what `send` sends, for as long as the server gives signs of life."""
        from oneclaw.mcp.client.sdk import MCPError, ValidationError

        idle = self.server.settings.idle_seconds
        clock = asyncio.timeout(idle)
        try:
            async with clock:
                call = McpCall(context, clock, idle)
                with self.calls.running(call):
                    return await send(call)
        except TimeoutError:
            if not clock.expired():
                raise
            name = self.server.name
            raise ToolError(
                f"The MCP server {name} gave no answer and no progress within {idle:g} seconds; the call was"
                " cancelled there.",
                Kind.TIMEOUT,
                effects="unknown",
            ) from None
        except MCPError as error:
            raise await self._explained(error.code, error.message) from None
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]["msg"]
            raise ToolError(f"The MCP server {self.server.name} broke the protocol: {first}.") from None
        except RuntimeError as error:  # how the SDK speaks of a result that does not fit its schema
            raise ToolError(
                f"The MCP server {self.server.name} gave no usable result: {describe(error)}"
            ) from None
        except BaseExceptionGroup as group:
            raise ToolError(f"The MCP server {self.server.name} failed: {describe(group)}") from None

    async def client(self) -> Any:
        """The client of a connection that is ready; tries now where it is not. Raises `ToolError`."""
        if not self.is_ready:
            wanted = self.tries if self.state == "starting" else self.tries + 1
            self._hurry.set()
            self.start()
            with suppress(TimeoutError):
                async with asyncio.timeout(self.server.settings.start_seconds + CLOSE_SECONDS):
                    while not self.is_ready and not (self.state == "waiting" and self.tries >= wanted):
                        self._settled.clear()
                        await self._settled.wait()
        if not self.is_ready:
            seconds = self.server.settings.start_seconds
            why = self.problem or f"it did not start and list its tools within {seconds:g} seconds"
            message = f"The MCP server {self.server.name} cannot be used: {why}."
            raise ToolError(message, Kind.TOOL_NOT_AVAILABLE, effects="none")
        return self._client

    async def _explained(self, code: int, message: str) -> ToolError:
        from oneclaw.mcp.client.sdk import types

        name = self.server.name
        if code == types.CONNECTION_CLOSED:
            why = "closed the connection" if self._wire is None else await self._wire.why_ended()
            self._lost.set()
            return ToolError(f"The MCP server {name} was lost during the call: it {why}.", effects="unknown")
        return ToolError(f"The MCP server {name} refused the call: {message[:2_000]}")

    async def _live(self) -> None:
        loop, pause = asyncio.get_running_loop(), FIRST_PAUSE_SECONDS
        while True:
            began = loop.time()
            self.tries += 1
            self.state = "starting"
            self._hurry.clear()
            self._lost = asyncio.Event()
            try:
                await self._hold()
            except asyncio.CancelledError:
                raise
            except BaseException as error:
                self.problem = self._reason(error)
            self.state, self._client = "waiting", None
            self._tell()
            pause = FIRST_PAUSE_SECONDS if loop.time() - began > STEADY_SECONDS else pause
            with suppress(TimeoutError):
                async with asyncio.timeout(pause * random.uniform(0.8, 1.2)):  # noqa: S311
                    await self._hurry.wait()
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)

    async def _hold(self) -> None:
        """Connect, and hold the connection until it ends. Raises whatever goes wrong."""
        from oneclaw.mcp.client.sdk import Client, types

        seconds = self.server.settings.start_seconds
        limit = asyncio.timeout(seconds)
        wire = self._wire = await self._make_wire()
        stack = AsyncExitStack()
        listening: asyncio.Task[None] | None = None
        try:
            try:
                async with limit:
                    client = Client(
                        wire.transport,
                        cache=None,
                        client_info=types.Implementation(name="oneclaw", version=__version__),
                        elicitation_callback=self._elicit,
                        sampling_callback=None if self._ask_model is None else self._sample,
                        message_handler=self._take,
                    )
                    await stack.enter_async_context(client)
                    await self._list(client)
            except TimeoutError:
                if not limit.expired():
                    raise
                raise ToolError(f"it did not start and list its tools within {seconds:g} seconds") from None
            except BaseException as error:
                if wire.ended is not None and wire.ended.is_set():
                    raise ToolError(f"it {await wire.why_ended()}") from error
                raise
            self._client, self.problem, self.state = client, "", "ready"
            self._tell()
            listening = asyncio.ensure_future(self._listen(client))
            await self._watch(client, wire)
        finally:
            self._client = None
            try:
                if listening is not None:
                    listening.cancel()
                    await asyncio.wait((listening,))
                async with asyncio.timeout(CLOSE_SECONDS):
                    await stack.aclose()
            except Exception:  # noqa: S110 - it is gone anyway
                pass
            finally:
                await wire.close()

    async def _watch(self, client: Any, wire: McpWire) -> None:
        """Wait for the end of the connection; list the tools again when they changed. Raises `ToolError`."""
        while True:
            waits = [asyncio.ensure_future(self._relist.wait()), asyncio.ensure_future(self._lost.wait())]
            if wire.ended is not None:
                waits.append(asyncio.ensure_future(wire.ended.wait()))
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for each in waits:
                    each.cancel()
            if wire.ended is not None and wire.ended.is_set():
                raise ToolError(f"it {await wire.why_ended()}")
            if self._lost.is_set():
                raise ToolError("the connection was lost")
            self._relist.clear()
            async with asyncio.timeout(self.server.settings.start_seconds):
                await self._list(client)
            self._tell()

    async def _list(self, client: Any) -> None:
        info = client.server_info
        self.protocol, self.capabilities = client.protocol_version, client.server_capabilities
        self.about = "" if info is None else f"{info.name} {info.version}".strip()
        listed: list[dict[str, Any]] = []
        can = self.capabilities
        if can.tools is not None or not (can.resources or can.prompts):
            cursor: str | None = None
            for _ in range(PAGES):
                page = await client.list_tools(cursor=cursor)
                listed += [_fields(tool) for tool in page.tools]
                cursor = page.next_cursor
                if not cursor or len(listed) > TOOLS:
                    break
        self.listed = listed[:TOOLS]
        self.bad = {} if self._wire is None else dict(self._wire.bad_tools())

    async def _listen(self, client: Any) -> None:
        """Hear of changes in the newer protocol, where a server tells only those who listen."""
        from oneclaw.mcp.client.sdk import MODERN_PROTOCOL_VERSIONS

        tools = self.capabilities.tools
        if client.protocol_version not in MODERN_PROTOCOL_VERSIONS or not (tools and tools.list_changed):
            return
        pause = FIRST_PAUSE_SECONDS
        while True:
            try:
                async with client.listen(tools_list_changed=True) as events:
                    self._relist.set()  # what changed before nobody heard of
                    async for _ in events:
                        pause = FIRST_PAUSE_SECONDS
                        self._relist.set()
            except asyncio.CancelledError:
                raise
            except BaseException:  # noqa: S110 - a server that takes no listeners is used without
                pass
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)

    async def _take(self, message: Any) -> None:
        from oneclaw.mcp.client.sdk import types

        if isinstance(message, types.ToolListChangedNotification):
            self._relist.set()

    async def _elicit(self, context: Any, params: Any) -> Any:
        from oneclaw.mcp.client.elicitation import elicit

        return await elicit(self.server.name, self.calls, params)

    async def _sample(self, context: Any, params: Any) -> Any:
        from oneclaw.mcp.client.sampling import sample

        assert self._ask_model is not None
        return await sample(self._ask_model, self.calls, params)

    def _tell(self) -> None:
        self._settled.set()
        self._changed()

    def _reason(self, error: BaseException) -> str:
        if isinstance(error, ToolError):
            return error.message
        return f"it could not be connected: {describe(error)}"


def _fields(tool: Any) -> dict[str, Any]:
    hints = tool.annotations
    return {
        "raw": tool.name,
        "title": tool.title,
        "description": tool.description,
        "input": tool.input_schema,
        "output": tool.output_schema,
        "hints": None if hints is None else hints.model_dump(exclude_none=True),
    }
