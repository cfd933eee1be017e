"""Fallback chain: the agent's model, then the next ones when it fails."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from oneclaw.core.errors import OneClawError
from oneclaw.core.message import AssistantMessage
from oneclaw.providers.base import Provider, ProviderError
from oneclaw.providers.model import Model


@dataclass(frozen=True, slots=True)
class Link:
    """One model of the chain: what is known of it, who answers for it, and by which name."""

    model: Model
    provider: Provider
    name: str


class Chain:
    """The models of a run, in order. A model that failed is not asked again in this run."""

    def __init__(self, names: Sequence[str], open_link: Callable[[str], Link]) -> None:
        self._names = list(names)
        self._open = open_link
        self.link = open_link(self._names.pop(0))
        self.window = self.link.model.window  # of the first: what compaction goes by

    def cost(self, message: AssistantMessage) -> float | None:
        """The cost of an answer in US dollars; None without a price."""
        price = self.link.model.price
        return None if price is None else price.of(message.usage)

    def advance(self, error: ProviderError, tokens: int) -> Link:
        """The next model whose window holds so many tokens; raises `ProviderError` when there is none."""
        passed: list[str] = []
        while self._names:
            name = self._names.pop(0)
            try:
                link = self._open(name)
            except OneClawError as other:
                passed.append(f"{name}: {other}")
                continue
            if link.model.window <= tokens:
                passed.append(f"{name} reads {link.model.window:,} tokens and {tokens:,} are needed")
                continue
            self.link = link
            return link
        if not passed:
            raise error
        raise ProviderError(
            f"{error} No fallback can take over: {'; '.join(passed)}.", error.trouble, status=error.status
        )
