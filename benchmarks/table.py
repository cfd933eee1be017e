"""Tables in plain Markdown, so that a terminal and a page show the same."""

from collections.abc import Sequence


def draw(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], note: str = "") -> str:
    """A heading, a table whose columns line up, and a note."""
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    numbers = [all(_is_figure(row[column]) for row in rows) for column in range(len(head))]

    def line(cells: Sequence[str]) -> str:
        padded = [
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(cells, widths, numbers, strict=True)
        ]
        return f"| {' | '.join(padded)} |"

    rule = "|".join(
        "-" * (width + 1) + ":" if number else "-" * (width + 2)
        for width, number in zip(widths, numbers, strict=True)
    )
    body = [f"## {title}", "", line(head), f"|{rule}|", *map(line, rows)]
    return "\n".join([*body, "", note, ""] if note else [*body, ""])


def _is_figure(cell: str) -> bool:
    return cell == "–" or cell.replace(",", "").replace(".", "", 1).isdigit()
