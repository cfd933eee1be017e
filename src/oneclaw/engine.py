"""An engine without an app: it needs only a registry of tools."""

from typing import Any, Self

from oneclaw.core import engine
from oneclaw.core.registry import Registry
from oneclaw.run.runner import CallRunner


class StandaloneEngine(engine.Engine):
    """Runs calls. It needs a registry only: `async with Engine(Registry([add])) as engine:`.

    Without a runner it has one of its own, which ends with the `async with`. Everything else has a safe
    default: no settings are read, nothing is stored, and nobody is asked.
    """

    def __init__(self, registry: Registry, runner: engine.Runner | None = None, **more: Any) -> None:
        self._own = CallRunner() if runner is None else None
        super().__init__(registry, self._own or runner, **more)  # pyright: ignore[reportArgumentType]

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._own is not None:
            await self._own.close()


Engine = StandaloneEngine
"""Its public name: `oneclaw.Engine`."""
