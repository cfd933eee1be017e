"""Changes on the way to a provider: where, which keyword, rewritten or dropped, and why."""

from dataclasses import dataclass
from typing import Any, Literal

Schema = dict[str, Any]
Verdict = Literal["rewritten", "dropped"]

SAID = "x-said"
"""Where words wait for the description of a schema while it is converted; no schema from outside keeps it."""

_MOST = 1_000
_PATH_CHARS = 300


@dataclass(frozen=True, slots=True)
class Change:
    """One thing a provider is sent otherwise than it was written. What was dropped is still checked here."""

    path: str
    keyword: str
    verdict: Verdict
    why: str


class Changes:
    """The changes of one conversion, each once, and not without end."""

    __slots__ = ("_seen",)

    def __init__(self) -> None:
        self._seen: dict[Change, None] = {}

    def rewrite(self, path: str, keyword: str, why: str) -> None:
        self._add(Change(path[:_PATH_CHARS], keyword[:_PATH_CHARS], "rewritten", why))

    def drop(self, path: str, keyword: str, why: str) -> None:
        self._add(Change(path[:_PATH_CHARS], keyword[:_PATH_CHARS], "dropped", why))

    def _add(self, change: Change) -> None:
        if len(self._seen) < _MOST:
            self._seen.setdefault(change)

    def listed(self) -> tuple[Change, ...]:
        return tuple(self._seen)


def say(schema: Schema, *words: str) -> None:
    """Keep words for the description of a schema."""
    said: list[str] = [*schema.get(SAID, ()), *(each for each in words if each)]
    if said:
        schema[SAID] = list(dict.fromkeys(said))
