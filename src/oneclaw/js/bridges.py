"""Host functions of JavaScript tools, each behind its permission."""

import asyncio
from typing import TYPE_CHECKING, Any

from oneclaw.clock import zone as zones
from oneclaw.core.errors import Kind, ToolError, invalid
from oneclaw.core.tool import Context, ToolDefinition
from oneclaw.js import bridge_files, bridge_time
from oneclaw.run.thread import for_thread

if TYPE_CHECKING:
    from oneclaw.guard.network.pool import Wiring

FETCHES = 10
"""How many requests of one call are under way at once; the others wait."""


class Bridges:
    """Answers one call of one tool. What a worker asks for is not trusted: every value is looked at."""

    def __init__(
        self, definition: ToolDefinition, context: Context, *, wiring: "Wiring | None" = None
    ) -> None:
        self._definition = definition
        self._context = context
        self._wiring = wiring
        self._fetches = asyncio.Semaphore(FETCHES)

    async def answer(self, op: str, arguments: list[Any]) -> Any:
        """The answer to one request of the tool, a JSON value; raises `ToolError`."""
        if op.startswith("fs."):
            return await self._answer_files(op, arguments)
        match op, arguments:
            case "fetch", [str(url), dict()]:
                from oneclaw.js import bridge_fetch  # loads what requests need, which most tools do not

                self._need("network", "fetch")
                async with self._fetches:
                    return await bridge_fetch.fetch(self._context, url, arguments[1], self._wiring)
            case "time.format", [int() | float() as milliseconds, str() | None as zone, str(format)]:
                return await bridge_time.format_moment(milliseconds, zone, format)
            case "time.zone", [int() | float() as milliseconds, str() | None as zone]:
                return await bridge_time.describe_zone(milliseconds, zone)
            case "time.zones", []:
                return sorted(zones.names())
            case _:
                raise unknown(op)

    async def _answer_files(self, op: str, arguments: list[Any]) -> Any:
        context = self._context
        match op, arguments:
            case "fs.read", [str(path), str(encoding)]:
                self._need("files.read", "fs.readFile")
                return await asyncio.to_thread(bridge_files.read, context, path, encoding)
            case "fs.write", [str(path), str(content), bool(is_packed)]:
                self._need("files.write", "fs.writeFile")
                asking = for_thread(context, asyncio.get_running_loop())
                return await asyncio.to_thread(bridge_files.write, asking, path, content, is_packed)
            case "fs.exists", [str(path)]:
                self._need("files.read", "fs.exists")
                return await asyncio.to_thread(bridge_files.exists, context, path)
            case "fs.list", [str(path)]:
                self._need("files.read", "fs.list")
                return await asyncio.to_thread(bridge_files.list_folder, context, path)
            case _:
                raise unknown(op)

    def _need(self, need: str, what: str) -> None:
        """Declared needs were granted before the call; a tool gets nothing else."""
        if need not in self._definition.needs:
            name = self._definition.name
            message = f"{what} needs the permission {need}: add it to requiredPermissions of {name}."
            raise ToolError(message, Kind.PERMISSION_DENIED)


def unknown(op: str) -> ToolError:
    return invalid(f"The program has no answer to {op[:60]!a} with these values.")
