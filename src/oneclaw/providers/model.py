"""Model: its name, window, prices and tools."""

from dataclasses import dataclass

from oneclaw.core.message import Usage


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens: read, written, read from a cache, written into one."""

    input: float
    output: float
    cached: float | None = None
    cache_written: float | None = None

    def of(self, usage: Usage) -> float:
        """The cost of this usage in US dollars."""
        plain = max(usage.input - usage.cached - usage.cache_written, 0)
        cached = self.input if self.cached is None else self.cached
        cache_written = self.input if self.cache_written is None else self.cache_written
        dollars = plain * self.input + usage.output * self.output
        return (dollars + usage.cached * cached + usage.cache_written * cache_written) / 1_000_000


@dataclass(frozen=True, slots=True)
class Model:
    """One model.

    name         its full name, `provider/model`; in a `ProviderPackage` the part after the slash
    window       how many tokens it reads
    most_output  how many it writes at most; None where nobody knows
    is_small     whether it gets a few tools only: `tools`, or those for small models where it names none
    asks         the needs a person is asked for each time it calls a tool that has them
    is_window_known  whether somebody said how much it reads; else `window` is a guess, and the server decides
    """

    name: str
    window: int
    most_output: int | None = None
    price: Price | None = None
    is_small: bool = False
    tools: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    is_window_known: bool = True

    @property
    def provider(self) -> str:
        return self.name.partition("/")[0]
