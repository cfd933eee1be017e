"""Records what a conversion changed: place, keyword and reason."""

from dataclasses import dataclass
from typing import Literal

from oneclaw.core.subschema import Schema

ChangeKind = Literal["rewritten", "dropped"]

SAID = "x-said"
"""Where words wait for the description of a schema while it is converted; no schema from outside keeps it."""

_MOST = 1_000
_PATH_CHARS = 300


@dataclass(frozen=True, slots=True)
class DialectChange:
    """One thing a provider is sent otherwise than it was written. What was dropped is still checked here."""

    path: str
    keyword: str
    verdict: ChangeKind
    why: str


class Changes:
    """The changes of one conversion, each once, and not without end."""

    __slots__ = ("_seen",)

    def __init__(self) -> None:
        self._seen: dict[DialectChange, None] = {}

    def rewrite(self, path: str, keyword: str, why: str) -> None:
        self._add(DialectChange(path[:_PATH_CHARS], keyword[:_PATH_CHARS], "rewritten", why))

    def drop(self, path: str, keyword: str, why: str) -> None:
        self._add(DialectChange(path[:_PATH_CHARS], keyword[:_PATH_CHARS], "dropped", why))

    def _add(self, change: DialectChange) -> None:
        if len(self._seen) < _MOST:
            self._seen.setdefault(change)

    def listed(self) -> tuple[DialectChange, ...]:
        return tuple(self._seen)


def say(schema: Schema, *words: str) -> None:
    """Keep words for the description of a schema."""
    said: list[str] = [*schema.get(SAID, ()), *(each for each in words if each)]
    if said:
        schema[SAID] = list(dict.fromkeys(said))
