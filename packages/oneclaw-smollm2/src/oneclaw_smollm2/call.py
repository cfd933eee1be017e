"""A call that is read by rule, with no model asked for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Ruled:
    """A call as a rule reads it; without `arguments` something is missing that has to be asked for."""

    tool: str
    verb: str
    arguments: Mapping[str, Any] | None = None
