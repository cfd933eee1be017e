"""`oneclaw tools portability`: shows the schema each provider gets and what was changed."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict

from oneclaw.cli.terminal import print_json, print_table
from oneclaw.core.tool import ToolDefinition
from oneclaw.operations.portability import Portability, list_portability


def show_portability(definitions: Iterable[ToolDefinition], dialect: str | None, as_json: bool) -> int:
    found = list_portability(definitions, dialect)
    if as_json:
        return print_json([asdict(each) for each in found])
    print_table(
        ("TOOL", "PROVIDER", "VERDICT", "WHERE", "WHY"),
        [line for each in found for line in _lines(each)],
        ("bold", "", "yellow", "", ""),
        wrapped=2,
    )
    return 0


def _lines(found: Portability) -> Iterator[tuple[str, ...]]:
    head = (found.tool, found.provider)
    if not found.changes:
        yield (*head, "kept", "", "")
    for change in found.changes:
        where = f"{change.path.removeprefix('$').lstrip('.') or 'root'}: {change.keyword}"
        yield (*head, change.verdict, where, change.why)
