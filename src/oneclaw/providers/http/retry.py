"""Retry delays, including Retry-After."""

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Retry:
    """Waits that grow, with chance in them, so that many who failed together do not come back together.

    most_retry_after  the longest wait a provider may ask for; a longer one is not waited for
    """

    first_seconds: float = 0.5
    factor: float = 2.0
    longest_seconds: float = 30.0
    most_retry_after: float = 60.0
    chance: random.Random = field(default_factory=random.Random, compare=False)

    def seconds(self, failed: int, asked: float | None = None) -> float:
        """The wait after so many failed attempts; never shorter than what the provider asked for."""
        # The exponent is bounded: a float of 2**1024 is an error.
        grown = self.first_seconds * self.factor ** min(failed - 1, 64)
        own = min(grown, self.longest_seconds) * self.chance.uniform(0.5, 1.0)
        if asked is None:
            return own
        return max(own, asked * self.chance.uniform(1.0, 1.1))


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """The seconds a provider asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date.

    `headers` have lower-case names; `now` is the time of the clock, as `time.time()`. None where it says
    nothing that can be read.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after")
    if text is None:
        return None
    seconds = _number(text)
    return _until(text, now) if seconds is None else seconds


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return max(number, 0.0) if math.isfinite(number) else None


def _until(text: str, now: float) -> float | None:
    from datetime import UTC
    from email.utils import parsedate_to_datetime

    try:
        date = parsedate_to_datetime(text)
        # A date without a zone is meant as UTC, which is the only one HTTP has.
        moment = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError, IndexError, TypeError):
        return None
    return max(moment - now, 0.0)
