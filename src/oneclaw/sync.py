"""Synchronous app for scripts and notebooks: `with App() as app`."""

from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from oneclaw.run.loop_thread import LoopThread

if TYPE_CHECKING:
    from oneclaw.agent.agent import Agent
    from oneclaw.agent.undo import UndoResult
    from oneclaw.core.call import ToolCall, ToolResult
    from oneclaw.core.run_event import RunEvent, RunFinished


class AsyncApp(Protocol):
    """The asynchronous app that a `SyncApp` drives."""

    @property
    def call(self) -> "Callable[..., Coroutine[Any, Any, ToolResult]]": ...
    @property
    def run(self) -> "Callable[..., AsyncGenerator[RunEvent]]": ...
    @property
    def ask(self) -> "Callable[..., Coroutine[Any, Any, RunFinished]]": ...
    @property
    def undo(self) -> "Callable[..., Coroutine[Any, Any, UndoResult]]": ...
    async def __aenter__(self) -> Any: ...
    async def __aexit__(self, *error: Any) -> None: ...


class SyncApp:
    """The methods of an `App` that scripts need, each of which waits until it is done."""

    def __init__(self, app: AsyncApp) -> None:
        self._app = app
        self._loop = LoopThread()
        try:
            self._loop.run(app.__aenter__())
        except BaseException:
            self._loop.close()
            raise

    def call(
        self, tool: "ToolCall | str", arguments: Mapping[str, Any] | None = None, /, **named: Any
    ) -> "ToolResult":
        """Call a tool: `app.call("read_file", path="notes.txt")`."""
        return self._loop.run(self._app.call(tool, arguments, **named))

    def ask(self, agent: "Agent | str", text: str | None = None, **more: Any) -> "RunFinished":
        """Ask an agent, or the default one where only a text is given, and wait for the answer."""
        return self._loop.run(self._app.ask(agent, text, **more))

    def stream(self, agent: "Agent | str", text: str | None = None, **more: Any) -> "Iterator[RunEvent]":
        """The events of a run as they happen; leaving the `for` early stops the run."""
        return self._loop.iterate(self._app.run(agent, text, **more))

    def undo(self, call_or_run: int | str = "", **more: Any) -> "UndoResult":
        """Undo what a call or a run changed in the workspace; without a name, the last one that did."""
        return self._loop.run(self._app.undo(call_or_run, **more))

    def close(self) -> None:
        """Close the app and end its thread."""
        try:
            self._loop.run(self._app.__aexit__(None, None, None))
        finally:
            self._loop.close()
