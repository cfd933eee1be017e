"""Processes of local models, one per model: started on first use, ended to free memory."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

from oneclaw.core.subschema import is_object
from oneclaw.providers.base import ProviderError
from oneclaw.providers.local.engine import check_installed
from oneclaw.providers.local.models import LocalSettings
from oneclaw.providers.local.process import Chunk, Idle, Load, ModelProcess, RequestKind


class ModelProcesses:
    """Runs GGUF files with llama.cpp. Models are known by their full names, as `local/smollm2`."""

    def __init__(self, settings: LocalSettings) -> None:
        self.settings = settings
        self._processes: dict[str, ModelProcess] = {}

    def load(self, file: Path, window: int, *, slots: int = 1, adapter: Path | None = None) -> Load:
        """A file to run: `window` tokens for each of `slots` requests at once, with a LoRA adapter or not."""
        settings = self.settings
        adapted = "" if adapter is None else str(adapter)
        return Load(str(file), window, settings.worker_threads, settings.idle_seconds, slots, adapted)

    async def ask(self, name: str, load: Load, way: RequestKind, body: Chunk) -> AsyncGenerator[Chunk]:
        """Yield the chunks of an answer. Closing this stops the model at its next token.

        `way` says what `body` is: `chat`, a request in OpenAI's form, or `complete`, one with a finished
        prompt. Raises `ProviderError`.
        """
        while True:
            process = await self.ready(name, load)
            try:
                async with aclosing(process.ask(way, body)) as chunks:
                    async for chunk in chunks:
                        if "error" in chunk:
                            raise _explain(name, chunk["error"])
                        yield chunk
                return
            except Idle:
                continue  # it was about to end when we asked, and has answered nothing

    async def ready(self, name: str, load: Load) -> ModelProcess:
        """The process of a model, loaded; processes of other models that have nothing to do are ended."""
        check_installed()
        known = self._processes.get(name)
        if known is None or not known.is_alive or known.load != load:
            idle = [each for each, process in self._processes.items() if not process.is_busy]
            leaving = [self._processes.pop(each) for each in idle]
            known = self._processes[name] = ModelProcess(load, name)
            await asyncio.gather(*(process.close() for process in leaving))
        await known.ready()
        return known

    def get(self, name: str) -> ModelProcess | None:
        """The running process of a model."""
        return self._processes.get(name)

    async def close(self) -> None:
        """End all processes."""
        processes, self._processes = list(self._processes.values()), {}
        await asyncio.gather(*(process.close() for process in processes))


def _explain(name: str, error: Any) -> ProviderError:
    said = str(error.get("message", "")) if is_object(error) else str(error)
    code = error.get("code") if is_object(error) else None
    if is_object(error) and error.get("type") == "exceed_context_size_error":
        return ProviderError(
            f"The conversation is longer than {name} is set to read ({said}). Begin a new session, or raise"
            " local.window.",
            "window",
        )
    trouble = "request" if code == 400 else "server"
    return ProviderError(f"{name} cannot answer: {said[:300]}.", trouble)
