"""McpServerSource: one MCP server as a source of tools."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from oneclaw.core.errors import InvalidConfig, Kind, OneClawError, ToolError
from oneclaw.core.load import LoadProblem
from oneclaw.core.source import Changed
from oneclaw.core.text.display import one_line
from oneclaw.core.tool import Context, Tool
from oneclaw.mcp.client.approvals import Approvals, Approved, ApprovedTool
from oneclaw.mcp.client.connection import Connection
from oneclaw.mcp.client.described import ListedTool, definition_of, judge
from oneclaw.mcp.client.extras import extra_tools
from oneclaw.mcp.client.mcp_server import McpServer
from oneclaw.mcp.client.wires import HttpWire, WireParts, make_wire


class McpServerSource:
    """A server of the settings. Nothing of it is started before a person has approved it.

    listed  its tools with what became of each; from the approval until the server has listed them itself
    """

    is_outside = True

    def __init__(
        self,
        server: McpServer,
        approvals: Approvals,
        parts: WireParts,
        *,
        taken: Callable[[str], Sequence[str]] = lambda origin: (),
        is_looking: Callable[[], bool] = lambda: False,
        is_trial: bool = False,
    ) -> None:
        """`is_trial` connects without an approval: a person is about to be asked for it.

        `is_looking` says that no call will be run, so that a server whose tools are known is not started.
        """
        self.server = server
        self.name = f"mcp {server.name}"
        wire = partial(make_wire, server, parts)
        self.connection = Connection(server, wire, self._heard, ask_model=parts.ask_model)
        self.listed: list[ListedTool] = []
        self._approvals = approvals
        self._parts = parts
        self._approved = Approved()
        self._taken = taken
        self._is_looking = is_looking
        self._is_trial = is_trial
        self._refusal = ""
        self._changed: Changed = lambda: None
        self._tools: dict[str, Tool] = {}
        self._by_raw: dict[str, ListedTool] = {}
        self._take_up()

    @property
    def is_required(self) -> bool:
        return self.server.settings.required

    @property
    def tools(self) -> Sequence[Tool]:
        return tuple(self._tools.values())

    @property
    def health(self) -> str:
        return self._refusal or self.connection.problem

    @property
    def problems(self) -> Sequence[LoadProblem]:
        place = f"MCP server {self.server.name}"
        left_out = [
            LoadProblem(f"{place}, tool {one_line(tool.raw, 100)}", f"{tool.state}: {tool.reason}")
            for tool in self.listed
            if tool.state != "on"
        ]
        return [*left_out, *(LoadProblem(place, each, is_warning=True) for each in self.connection.warnings)]

    async def open(self, changed: Changed) -> None:
        self._changed = changed
        self._take_up()
        if self._refusal:
            await self.connection.close()
            raise InvalidConfig(self._refusal)
        if self._is_looking() and self._tools:
            return
        self.connection.start()
        if self._tools and not self.server.settings.required:
            return  # they are known: a call waits until the server is there
        await self.connection.settled()
        if self.connection.state != "ready":
            raise InvalidConfig(self.connection.problem)

    async def close(self) -> None:
        await self.connection.close()

    async def look(self) -> None:
        """Connect where that is allowed, and wait until the server has listed its tools or failed."""
        if not self._refusal:
            self.connection.start()
            await self.connection.settled()

    async def sign_in(self, show: Callable[[str], None]) -> None:
        """Sign in at a server that wants it; `show` is given the address that a person opens."""
        from oneclaw.mcp.client.oauth import sign_in
        from oneclaw.mcp.client.sdk import Client

        async def connect(auth: Any) -> None:
            wire = HttpWire(self.server, self._parts, auth)
            try:
                async with Client(wire.transport, cache=None) as client:
                    await client.list_tools()
            finally:
                await wire.close()

        if self.server.is_local or self._parts.tokens is None:
            raise InvalidConfig(f"The MCP server {self.server.name} is a local program; it has no sign-in.")
        await sign_in(self.server, self._parts.tokens(self.server), connect, show)

    def sign_out(self) -> bool:
        """Forget the tokens of the server; whether there were any."""
        return self._parts.tokens is not None and self._parts.tokens(self.server).forget()

    def trial(self) -> "McpServerSource":
        """The same server, connected without an approval: a person has just seen what is started."""
        return McpServerSource(self.server, self._approvals, self._parts, taken=self._taken, is_trial=True)

    @property
    def is_approved(self) -> bool:
        return self._approved.fingerprint == self.server.fingerprint

    @property
    def approved(self) -> Approved:
        return self._approved

    def approve(self, tools: Iterable[ListedTool]) -> None:
        """Keep the server as it is, and these tools as they are, as approved by a person."""
        kept = dict(self._approved.tools) if self.is_approved else {}
        kept |= {tool.raw: ApprovedTool(tool.name, tool.fields) for tool in tools}
        approved = Approved(self.server.fingerprint, self.server.shown, kept)
        self._approvals.write(self.server.name, approved)
        self._take_up()

    def _take_up(self) -> None:
        """Read what is approved, and make the tools of it until the server has listed its own."""
        self._refusal = ""
        try:
            self._approved = self._approvals.read(self.server.name)
        except InvalidConfig as error:
            self._approved, self._refusal = Approved(), str(error)
        is_approved = self._approved.fingerprint == self.server.fingerprint
        if not is_approved and not self._is_trial:
            what = (
                "its command line changed since it was approved"
                if self._approved.fingerprint
                else "it is not approved"
            )
            self._refusal = (
                self._refusal or f"{what}; see it and approve it: oneclaw mcp approve {self.server.name}"
            )
            self.listed, self._tools = [], {}
            return
        if self.connection.listed is None:
            self.listed = [ListedTool(raw, one.name, one.fields) for raw, one in self._approved.tools.items()]
            self._make_tools()
        else:
            self._judge()

    def _heard(self) -> None:
        if self.connection.listed is not None and not self._refusal:
            self._judge()
        self._changed()

    def _judge(self) -> None:
        listed = self.connection.listed or []
        own = set(self._tools)
        taken = [name for name in self._taken(self.name) if name not in own]
        self.listed = judge(self.server, listed, self.connection.bad, self._approved, taken)
        self._make_tools()

    def _make_tools(self) -> None:
        """The tools that are on; one that has not changed stays the same object."""
        before, self._tools = self._tools, {}
        self._by_raw = {tool.raw: tool for tool in reversed(self.listed)}  # of two, the first
        for tool in self.listed:
            if tool.state == "quarantined" or (tool.state != "on" and not self._is_trial):
                continue
            try:
                definition = definition_of(self.server, tool)
            except OneClawError:  # quarantined before, unless its approval was written by hand
                continue
            known = before.get(tool.name)
            if known is not None and known.definition == definition:
                self._tools[tool.name] = known
            else:
                execute = partial(self._execute, tool)
                self._tools[tool.name] = Tool(definition, execute, origin=self.name)

        if self.connection.capabilities is not None:
            for extra in extra_tools(self.connection, self.name):
                self._tools.setdefault(extra.name, before.get(extra.name, extra))

    async def _execute(self, tool: ListedTool, arguments: dict[str, Any], context: Context) -> Any:
        from oneclaw.mcp.client.call_result import make_output

        await self.connection.client()
        self._check_on(tool)
        result = await self.connection.call(tool.raw, arguments, context)
        return await make_output(
            self.server.name, result, context, has_schema=tool.fields["output"] is not None
        )

    def _check_on(self, tool: ListedTool) -> None:
        """Raise for a tool that the server, once it was there, lists no more or lists otherwise."""
        now = self._by_raw.get(tool.raw)
        if now is None:
            raise ToolError(
                f"The MCP server {self.server.name} has no tool {tool.raw!r} any more.",
                Kind.TOOL_NOT_AVAILABLE,
            )
        if now.state != "on" and not self._is_trial:
            raise ToolError(
                f"The tool is {now.state}: {now.reason} The owner can see and approve the change:"
                f" oneclaw mcp approve {self.server.name}",
                Kind.TOOL_NOT_AVAILABLE,
                effects="none",
            )
