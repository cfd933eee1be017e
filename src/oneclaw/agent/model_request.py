"""Requests one answer from the models of a chain and keeps it, whole or as far as it arrived."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace

from oneclaw.agent.agent import Agent
from oneclaw.agent.chain import Chain
from oneclaw.agent.conversation import Conversation
from oneclaw.core.answer import Answered, AnswerProgress, AnswerRestarted, TextAdded
from oneclaw.core.message import AssistantMessage, TextPart
from oneclaw.core.run_event import AnswerFinished
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.base import OutputSchema, ProviderError, Request

LEAST_ANSWER_TOKENS = 1_024
MOST_ANSWER_TOKENS = 32_000


class ModelRequest:
    """Asks for the answers of one run. `tell` is told what comes while a model answers."""

    def __init__(
        self,
        agent: Agent,
        conversation: Conversation,
        chain: Chain,
        tell: Callable[[AnswerProgress | AnswerRestarted | AnswerFinished], None],
    ) -> None:
        self._agent = agent
        self._conversation = conversation
        self._chain = chain
        self._tell = tell
        self._seen: list[str] = []
        self._output = None if agent.answer_type is None else agent.answer_type.sent
        self._told: dict[str, OutputSchema] = {}

    @property
    def seen(self) -> str:
        """The text that was seen of the last answer."""
        return "".join(self._seen)

    async def ask(
        self,
        can_call: bool,
        tools: Callable[[], tuple[ToolDefinition, ...]],
        switch: Callable[[ProviderError], None],
    ) -> AssistantMessage:
        """The next answer, kept; raises `ProviderError` when no model of the chain gives one.

        tools   gives the tools of the model that answers now
        switch  is told why a model failed, and has the next one of the chain answer, or raises
        """
        while True:
            self._seen.clear()
            try:
                message = await self._listen(self._request(can_call, tools()))
            except ProviderError as error:
                self._seen.clear()  # what came of a failed answer is void
                if not self._tell_in_words(error):
                    switch(error)
            except asyncio.CancelledError:
                await self._keep_seen()
                raise
            else:
                self._tell(AnswerFinished(message))  # first: the store keeps it in the row of the message
                await self._keep(message)
                return message

    def _request(self, can_call: bool, tools: tuple[ToolDefinition, ...]) -> Request:
        agent, conversation = self._agent, self._conversation
        return Request(
            self._chain.link.name,
            conversation.window.messages,
            agent.instructions,
            tools,
            can_call,
            self._most_output(),
            agent.options.get(self._chain.link.model.provider, {}),
            self._told.get(self._chain.link.model.name, self._output),
        )

    def _tell_in_words(self, error: ProviderError) -> bool:
        """Have a model whose server refused the request asked once more, with the output schema in words."""
        model = self._chain.link.model.name
        if self._output is None or model in self._told or error.status not in (400, 422):
            return False
        if error.trouble != "request":
            return False
        self._told[model] = replace(self._output, is_native=False)
        return True

    def _most_output(self) -> int | None:
        """The longest answer to ask for: what the model can write, as far as its window has room for it."""
        model = self._chain.link.model
        if model.most_output is None:
            return None
        left = model.window - self._conversation.window.tokens - LEAST_ANSWER_TOKENS
        return min(model.most_output, MOST_ANSWER_TOKENS, max(left, LEAST_ANSWER_TOKENS))

    async def _listen(self, request: Request) -> AssistantMessage:
        link = self._chain.link
        async with aclosing(link.provider.answer(request)) as answers:
            async for answer in answers:
                if isinstance(answer, Answered):
                    message = answer.message
                    if message.model != link.model.name:
                        parts, finish, wire = message.parts, message.finish, message.wire
                        message = AssistantMessage(parts, finish, wire, link.model.name, message.usage)
                    return self._conversation.name_calls(message)
                if isinstance(answer, TextAdded):
                    self._seen.append(answer.text)
                elif isinstance(answer, AnswerRestarted):
                    self._seen.clear()
                self._tell(answer)
        raise ProviderError(f"{link.model.name} gave no answer. Try again, or another model.", "stream")

    async def _keep(self, message: AssistantMessage) -> None:
        cost = self._chain.cost(message)
        if message.parts:
            await self._conversation.append(message, cost)
        else:
            await self._conversation.record(message, cost)

    async def _keep_seen(self) -> None:
        """Of an answer that is stopped, keep the text the user has seen."""
        if self._seen:
            message = AssistantMessage((TextPart(self.seen),), "stopped", "", self._chain.link.model.name)
            await self._conversation.append(message)
