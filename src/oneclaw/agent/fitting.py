"""Fits a conversation into the model's window: summarises, then shortens, then drops.

At 70 % of the primary model's window what is older than the last four exchanges gives way to a summary, which
a separate request makes. Where four exchanges are too long for that, fewer stay word for word, so that there
is room again and not every exchange asks for a summary. What still does not fit is shortened and dropped by
the window itself. A provider that says that the conversation is too long all the same is believed: it is
shortened below what was refused, and asked again. Whatever is done is told; the store keeps all of it.
"""

from collections.abc import Callable, Sequence
from contextlib import aclosing

from oneclaw.agent import compact
from oneclaw.agent.chain import Chain
from oneclaw.agent.conversation import Conversation
from oneclaw.agent.kept_skills import is_kept
from oneclaw.agent.tokens import estimate
from oneclaw.agent.window import Shrunk
from oneclaw.core.answer import Answered
from oneclaw.core.message import AssistantMessage, Message
from oneclaw.core.run_event import HistoryCompacted
from oneclaw.providers.base import ProviderError, Request

COMPACT_AT = 0.7
KEPT_EXCHANGES = 4
ROOMY = 0.5
"""The part of the window that fewer than four exchanges may take after a summary."""
WORTH = 0.1
"""The part of the window that must give way for a summary to be worth its request."""
ANSWER_TOKENS = 8_192
"""Tokens reserved for the answer."""
LEAST_ANSWER_TOKENS = 1_024
"""Tokens that must be left for it where there is no room for more."""

GIVE_WAY = 0.7
"""The part of a conversation that stays after a provider refused it as too long."""
MOST_REFUSALS = 4
"""How often one answer is asked for with less."""


class Fitting:
    """Fits one conversation. `tell` is told what was done, `spend` what it took."""

    def __init__(
        self,
        conversation: Conversation,
        chain: Chain,
        tell: Callable[[HistoryCompacted], None],
        spend: Callable[[AssistantMessage], float | None],
    ) -> None:
        self._conversation = conversation
        self._chain = chain
        self._tell = tell
        self._spend = spend
        self._refused: dict[str, int] = {}  # by model: what a conversation may take since it refused more
        self._refusals = 0

    async def fit(self) -> None:
        """Make it fit; raises `ProviderError` when it cannot be made to."""
        window, model = self._conversation.window, self._chain.link.model
        self._refusals = 0
        if window.tokens > COMPACT_AT * self._chain.window:
            older = self._older()
            if older:
                await self._summarise(older)
        shrunk = self.shrink()
        if shrunk is not None and not shrunk.fits and self._is_too_long():
            text = f"{model.name} reads {model.window:,} tokens and the conversation needs {window.tokens:,}."
            if window.overhead_tokens > model.window // 2:
                text += (
                    f" Its instructions and tools alone take {window.overhead_tokens:,}: raise the context"
                    " length of its server, or give it fewer tools with"
                    f" `oneclaw config set 'models.\"{model.name}\".small' true`."
                )
            raise ProviderError(text, "window")

    def _is_too_long(self) -> bool:
        """Whether there is no room for even a short answer; where the window is a guess, the server says."""
        model = self._chain.link.model
        room = min(model.window, self._refused.get(model.name, model.window)) - LEAST_ANSWER_TOKENS
        return model.is_window_known and self._conversation.window.tokens > room

    def shrink(self) -> Shrunk | None:
        """Shorten and drop as far as the model that answers now needs it."""
        model = self._chain.link.model
        most = model.window - min(ANSWER_TOKENS, model.window // 4)
        shrunk = self._conversation.window.shrink(min(most, self._refused.get(model.name, most)))
        if shrunk is not None and (shrunk.dropped or shrunk.shortened):
            how, count = ("dropped", shrunk.dropped) if shrunk.dropped else ("shortened", shrunk.shortened)
            self._tell(HistoryCompacted(how, count, shrunk.tokens_before, shrunk.tokens_after))
        return shrunk

    def give_way(self) -> bool:
        """Shorten what the model that answers now refused as too long; says whether to ask it again."""
        tokens = self._conversation.window.tokens
        self._refusals += 1
        if self._refusals > MOST_REFUSALS:
            return False
        self._refused[self._chain.link.model.name] = int(tokens * GIVE_WAY)
        shrunk = self.shrink()
        return shrunk is not None and shrunk.tokens_after < tokens

    def _older(self) -> Sequence[Message]:
        """Messages to summarise."""
        window, size = self._conversation.window, self._chain.window
        older: Sequence[Message] = ()
        for kept in range(KEPT_EXCHANGES, 0, -1):
            older = window.older(kept)
            tokens = sum(estimate(each) for each in older if not is_kept(each))
            part = COMPACT_AT if kept == KEPT_EXCHANGES else ROOMY
            if older and window.tokens - tokens <= part * size:
                return older if tokens > WORTH * size else ()
        return older

    async def _summarise(self, older: Sequence[Message]) -> None:
        window = self._conversation.window
        before, most = window.tokens, self._chain.link.model.window // 2
        text = await compact.summarise(self._ask, older, most_tokens=most)
        await self._conversation.compact(len(older), text or window.summary or compact.goal_alone(older))
        how = "dropped" if text is None else "summarised"
        self._tell(HistoryCompacted(how, len(older), before, window.tokens))

    async def _ask(self, instructions: str, messages: Sequence[Message]) -> str:
        link = self._chain.link
        async with aclosing(link.provider.answer(Request(link.name, messages, instructions))) as answers:
            async for answer in answers:
                if isinstance(answer, Answered):
                    # Kept for what it took, and with nothing in it: it is no part of the conversation.
                    took = AssistantMessage((), "stop", "", link.model.name, answer.message.usage)
                    await self._conversation.record(took, self._spend(took))
                    return answer.message.text
        return ""
