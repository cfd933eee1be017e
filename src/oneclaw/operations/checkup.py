"""One check of the doctor: what was looked at, how it is, and what to do about it."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Checkup:
    """One thing looked at: how it is in one sentence, and the remedy where something is to be done."""

    topic: str
    state: Literal["ok", "warn", "bad"]
    text: str
    remedy: str = ""
