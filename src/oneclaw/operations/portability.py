"""Reports the schema each provider gets for a tool, and every change."""

from collections.abc import Iterable
from dataclasses import dataclass

from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.dialect.change import DialectChange
from oneclaw.providers.dialect.rules import RULES

PROVIDERS = tuple(RULES)


@dataclass(frozen=True, slots=True)
class Portability:
    """A tool as one provider gets it; `verdict` is the gravest of its changes, or `kept`."""

    tool: str
    provider: str
    verdict: str
    strict: bool
    changes: tuple[DialectChange, ...]


def list_portability(definitions: Iterable[ToolDefinition], provider: str | None = None) -> list[Portability]:
    """Each tool for each provider, or for this one."""
    from oneclaw.providers.dialect.convert import to_dialect

    found: list[Portability] = []
    for definition in definitions:
        for dialect in [provider] if provider else PROVIDERS:
            made = to_dialect(definition.parameters, dialect)
            # dropped sorts before rewritten: the graver one
            verdict = min((change.verdict for change in made.changes), default="kept")
            found.append(Portability(definition.name, dialect, verdict, made.is_strict, made.changes))
    return found
