"""The provider `local`: models that run on this machine, each in a process of its own."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any

from oneclaw.core.answer import Answer
from oneclaw.core.subschema import is_object
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.base import ProviderError, Request
from oneclaw.providers.local.engine import check_installed
from oneclaw.providers.local.fetch import SMOLLM2, fetch
from oneclaw.providers.local.generic import GenericModel
from oneclaw.providers.local.gguf import read_header
from oneclaw.providers.local.models import PROVIDER, LocalModel, LocalModels
from oneclaw.providers.local.process import Chunk, Idle, Load, ModelProcess, Way
from oneclaw.providers.local.prompt import write_prompt
from oneclaw.providers.local.turn import Turns

ADAPTER = Path(__file__).with_name("tools-lora.gguf")
EMBEDDED_WINDOW = 3_072
"""Of each slot: the tools, the longest message, and a call that copies it."""
EMBEDDED_SLOTS = 2


class LocalProvider:
    """Answers with the models of this machine; a process is started when its model is first asked."""

    def __init__(self, models: LocalModels) -> None:
        self.models = models
        self._turns = Turns()
        self._generic: dict[str, GenericModel] = {}
        self._processes: dict[str, ModelProcess] = {}
        self._warming: asyncio.Future[None] | None = None

    async def answer(self, request: Request) -> AsyncGenerator[Answer]:
        model = self.models.get(request.model)
        load = await self._load_of(model)

        async def ask(way: Way, body: Chunk) -> AsyncGenerator[Chunk]:
            async with aclosing(self._ask(model, load, way, body)) as chunks:
                async for chunk in chunks:
                    yield chunk

        if model.is_embedded:
            answers = self._turns.answer(request, lambda body: ask("complete", body))
        else:
            generic = self._generic_for(model)
            answers = generic.answer(request, lambda body: ask("chat", body))
        async with aclosing(answers):
            async for answer in answers:
                yield answer

    async def warm(self, name: str, tools: Sequence[ToolDefinition]) -> None:
        """Load the embedded model and have it begin to read its tools: the first answer comes sooner.

        Returns when it is loaded; it reads on by itself, also while the loop stands still.
        """
        model = self.models.get(name)
        if model.is_embedded and self._warming is None:
            process = await self._process(model, await self._load_of(model))
            reading = process.ask("complete", {"prompt": write_prompt(tools, ""), "n_predict": 1})
            self._warming = asyncio.ensure_future(_drain(reading))
            await asyncio.sleep(0)  # so that the question is on its way

    async def close(self) -> None:
        """End all processes."""
        processes, self._processes = list(self._processes.values()), {}
        await asyncio.gather(*(process.close() for process in processes))

    def process_of(self, name: str) -> ModelProcess | None:
        """The running process of a model, for whoever wants to know what it takes."""
        return self._processes.get(name)

    async def _load_of(self, model: LocalModel) -> Load:
        check_installed()
        settings = self.models.settings
        if model.is_embedded:
            file = await fetch(SMOLLM2, settings.cache)
            window, slots, adapter = EMBEDDED_WINDOW, EMBEDDED_SLOTS, str(ADAPTER)
        else:
            file, window, slots, adapter = Path(model.file), self.models.window_of(model), 1, ""
        return Load(str(file), window, settings.worker_threads, settings.idle_seconds, slots, adapter)

    def _generic_for(self, model: LocalModel) -> GenericModel:
        """How a model is spoken to; its file is looked at once, and refused if it is not what it was."""
        known = self._generic.get(model.name)
        if known is None:
            header = read_header(Path(model.file))
            known = self._generic[model.name] = GenericModel(header.takes_tools, header.marks)
        return known

    async def _ask(
        self, model: LocalModel, load: Load, way: Way, body: Chunk
    ) -> AsyncGenerator[dict[str, Any]]:
        if self._warming is not None:
            await asyncio.shield(self._warming)  # it reads what we would have to read
        while True:
            process = await self._process(model, load)
            try:
                async with aclosing(process.ask(way, body)) as chunks:
                    async for chunk in chunks:
                        if "error" in chunk:
                            raise _explain(model, chunk["error"])
                        yield chunk
                return
            except Idle:
                continue  # it was about to end when we asked, and has answered nothing

    async def _process(self, model: LocalModel, load: Load) -> ModelProcess:
        """The process of a model, loaded; others that have nothing to do make room for it."""
        known = self._processes.get(model.name)
        if known is None or not known.is_alive or known.load != load:
            idle = [name for name, process in self._processes.items() if not process.is_busy]
            leaving = [self._processes.pop(name) for name in idle]
            known = self._processes[model.name] = ModelProcess(load, f"{PROVIDER}/{model.name}")
            await asyncio.gather(*(process.close() for process in leaving))
        await known.ready()
        return known


async def _drain(chunks: AsyncGenerator[Chunk]) -> None:
    """Have an answer come to its end, whatever it is; what is wrong shows when somebody asks."""
    with suppress(ProviderError, Idle):
        async for _ in chunks:
            pass


def _explain(model: LocalModel, error: Any) -> ProviderError:
    said = str(error.get("message", "")) if is_object(error) else str(error)
    code = error.get("code") if is_object(error) else None
    if is_object(error) and error.get("type") == "exceed_context_size_error":
        return ProviderError(
            f"The conversation is longer than {PROVIDER}/{model.name} is set to read ({said}). Begin a new"
            " session, or raise local.window.",
            "window",
        )
    trouble = "request" if code == 400 else "server"
    return ProviderError(f"{PROVIDER}/{model.name} cannot answer: {said[:300]}.", trouble)
