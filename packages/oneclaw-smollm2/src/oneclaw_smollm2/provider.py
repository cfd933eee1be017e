"""The provider of `local/smollm2`, and what OneClaw is told of it."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any

from oneclaw import OneClawError, ToolDefinition
from oneclaw.providers import AnswerEvent, Download, Model, ProviderHost, ProviderPackage, Request
from oneclaw_smollm2.answers import FIRST_LINE
from oneclaw_smollm2.fetch import SMOLLM2, fetch, find
from oneclaw_smollm2.prompt import write_prompt
from oneclaw_smollm2.rules import RULED
from oneclaw_smollm2.turn import Turns
from oneclaw_smollm2.verbs import TRAINED

NAME = "local/smollm2"
ADAPTER = Path(__file__).with_name("tools-lora.gguf")
CONVERSATION_TOKENS = 131_072
"""It reads the last message only and refuses one that is too long, so no conversation is ever summarised."""
WINDOW = 3_072
"""Of each slot: the tools, the longest message, and a call that copies it."""
SLOTS = 2


class SmolProvider:
    """Answers with SmolLM2 and the adapter; its process is started when it is first asked."""

    def __init__(self, host: ProviderHost) -> None:
        self.host = host
        self._turns = Turns()
        self._warming: asyncio.Future[None] | None = None

    async def answer(self, request: Request) -> AsyncGenerator[AnswerEvent]:
        async with aclosing(self._turns.answer(request, self._complete)) as answers:
            async for answer in answers:
                yield answer

    async def warm(self, model: str, tools: Sequence[ToolDefinition]) -> None:
        """Load the model and have it begin to read its tools: the first answer comes sooner.

        Returns when it is loaded; it reads on by itself, also while the loop stands still.
        """
        if self._warming is None:
            await self.host.processes.ready(NAME, await self._load())
            reading = self._ask({"prompt": write_prompt(tools, ""), "n_predict": 1})
            self._warming = asyncio.ensure_future(_drain(reading))
            await asyncio.sleep(0)  # so that the question is on its way

    async def close(self) -> None:
        """Nothing is left to close: the processes belong to the host."""

    async def _load(self) -> Any:
        file = await fetch(SMOLLM2, self.host.cache)
        return self.host.processes.load(file, WINDOW, slots=SLOTS, adapter=ADAPTER)

    async def _complete(self, body: dict[str, Any]) -> AsyncGenerator[dict[str, Any]]:
        """Have the process complete a prompt."""
        if self._warming is not None:
            await asyncio.shield(self._warming)  # it reads what we would have to read
        async with aclosing(self._ask(body)) as chunks:
            async for chunk in chunks:
                yield chunk

    async def _ask(self, body: dict[str, Any]) -> AsyncGenerator[dict[str, Any]]:
        load = await self._load()
        async with aclosing(self.host.processes.ask(NAME, load, "complete", body)) as chunks:
            async for chunk in chunks:
                yield chunk


async def _drain(chunks: AsyncGenerator[dict[str, Any]]) -> None:
    """Read an answer to its end; what is wrong shows when somebody asks."""
    with suppress(OneClawError):
        async for _ in chunks:
            pass


PACKAGE = ProviderPackage(
    open=SmolProvider,
    models=(
        Model(
            "smollm2", CONVERSATION_TOKENS, is_small=True, tools=(*TRAINED, *RULED), asks=("files.overwrite",)
        ),
    ),
    is_local=True,
    runs_gguf=True,
    introduction=FIRST_LINE,
    download=Download(
        lambda cache: 0 if find(SMOLLM2, cache) else SMOLLM2.bytes,
        lambda cache, progress: fetch(SMOLLM2, cache, progress),
    ),
)
