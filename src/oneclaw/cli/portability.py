"""`oneclaw tools portability`: what each provider is sent of each tool, what was changed for it, and why."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from oneclaw.cli.terminal import print_json, print_table
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.dialect.convert import DIALECTS, to_dialect

Row = dict[str, Any]


def show_portability(definitions: Iterable[ToolDefinition], dialect: str | None, as_json: bool) -> int:
    rows = list(_rows(definitions, [dialect] if dialect else DIALECTS))
    if as_json:
        print_json(rows)
        return 0
    print_table(
        ("TOOL", "PROVIDER", "VERDICT", "WHERE", "WHY"),
        [line for row in rows for line in _lines(row)],
        ("bold", "", "yellow", "", ""),
        wrapped=2,
    )
    return 0


def _rows(definitions: Iterable[ToolDefinition], dialects: Iterable[str]) -> Iterator[Row]:
    for definition in definitions:
        for dialect in dialects:
            dialected = to_dialect(definition.parameters, dialect)
            verdicts = {change.verdict for change in dialected.changes}
            yield {
                "tool": definition.name,
                "provider": dialect,
                "verdict": min(verdicts, default="kept"),  # dropped before rewritten: the graver one
                "strict": dialected.is_strict,
                "changes": [asdict(change) for change in dialected.changes],
            }


def _lines(row: Row) -> Iterator[tuple[str, ...]]:
    head = (row["tool"], row["provider"])
    if not row["changes"]:
        yield (*head, "kept", "", "")
    for change in row["changes"]:
        where = f"{change['path'].removeprefix('$').lstrip('.') or 'root'}: {change['keyword']}"
        yield (*head, change["verdict"], where, change["why"])
