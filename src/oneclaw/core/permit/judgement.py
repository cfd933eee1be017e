"""Judges a call's arguments by the owner's rules: granted in advance, or shown to a person first."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from oneclaw.core.tool import ToolDefinition


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on one need of one call.

    is_granted  a rule of the owner covers these very arguments
    about       what exactly would happen: an answer that is kept holds for this alone
    notes       lines for the person who is asked
    where       how the call is shut in, as "in the sandbox, no network"
    warnings    those of the notes that a person must see before a yes
    rules       rules that cover the call and are known to be harmless, to be offered to a person
    fits        whether a pattern that a person gives covers the call, as the rules read it; it raises
                ValueError for one that can be no rule
    """

    is_granted: bool
    about: str
    notes: tuple[str, ...] = ()
    fits: Callable[[Mapping[str, str]], bool] | None = None
    where: str = ""
    warnings: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()


Judge = Callable[[ToolDefinition, str, Mapping[str, Any]], Judgement | None]
"""Judges a need of a call by its arguments; None where no rule speaks of such calls at all.

It raises `ToolError` for a call that no answer could allow: nobody is asked about it.
"""


def bound_to(judged: Iterable[Judgement], redact: Callable[[Any], Any] | None) -> str:
    """The subject of an answer; a redacted secret is identified by its hash."""
    exact = " ".join(one.about for one in judged)
    shown = exact if redact is None else redact(exact)
    if shown == exact:
        return exact
    return f"{shown} (SHA-256 {hashlib.sha256(exact.encode('utf-8', 'surrogatepass')).hexdigest()})"
