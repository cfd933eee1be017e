"""The provider `local`: answers with the GGUF files that a person has added."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

from oneclaw.core.answer import AnswerEvent
from oneclaw.providers.base import Request
from oneclaw.providers.local.generic import GenericModel
from oneclaw.providers.local.gguf import read_header
from oneclaw.providers.local.models import PROVIDER, LocalModels
from oneclaw.providers.local.processes import ModelProcesses


class LocalProvider:
    """Answers with the models of this machine; a process is started when its model is first asked."""

    def __init__(self, models: LocalModels, processes: ModelProcesses) -> None:
        self.models = models
        self.processes = processes
        self._generic: dict[str, GenericModel] = {}

    async def answer(self, request: Request) -> AsyncGenerator[AnswerEvent]:
        model = self.models.get(request.model)
        load = self.processes.load(Path(model.file), self.models.window_of(model))
        name = f"{PROVIDER}/{model.name}"
        if model.name not in self._generic:  # a file is read once, and refused if it is no model any more
            header = read_header(Path(model.file))
            self._generic[model.name] = GenericModel(header.takes_tools, header.marks)
        generic = self._generic[model.name]
        answers = generic.answer(request, lambda body: self.processes.ask(name, load, "chat", body))
        async with aclosing(answers):
            async for answer in answers:
                yield answer

    async def close(self) -> None:
        """End all processes."""
        await self.processes.close()
