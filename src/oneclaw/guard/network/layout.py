"""Tells layout tables from data tables.

A Markdown table has one line per row. A heading, a listing or another table inside a cell would lose its
lines there: old pages, letters, and listings with numbered lines are made so.
"""

import re
from dataclasses import dataclass, field

_TAG = re.compile(
    r"<(/?)(table|caption|thead|tbody|tfoot|tr|td|th|pre|h[1-6])(?=[\s/>])([^<>]{0,2000})>", re.IGNORECASE
)
_FOR_LAYOUT = re.compile(r"""\srole\s*=\s*["']?(?:presentation|none)\b""", re.IGNORECASE)


@dataclass(slots=True)
class _Table:
    """One open table: the tags that make it, and what tells whether it holds data."""

    is_said_layout: bool
    tags: list[re.Match[str]] = field(default_factory=list[re.Match[str]])
    rows: int = 0
    has_headings: bool = False
    has_blocks: bool = False

    @property
    def is_layout(self) -> bool:
        """Whoever gave the columns names meant a table, whatever stands in it; one row is none."""
        return self.is_said_layout or (not self.has_headings and (self.has_blocks or self.rows <= 1))


def open_up(html: str) -> str:
    """The page with the tags of such tables exchanged for plain divisions."""
    tables: list[_Table] = []
    closed: list[_Table] = []
    for tag in _TAG.finditer(html):
        is_end, name = bool(tag[1]), tag[2].lower()
        if name == "table" and not is_end:
            if tables:
                tables[-1].has_blocks = True
            tables.append(_Table(_FOR_LAYOUT.search(tag[3]) is not None))
        if not tables:
            continue
        table = tables[-1]
        if name == "pre" or name.startswith("h"):
            table.has_blocks = True
            continue
        table.tags.append(tag)
        table.has_headings |= name == "th"
        table.rows += name == "tr" and not is_end
        if name == "table" and is_end:
            closed.append(tables.pop())
    tags = [tag for table in closed + tables if table.is_layout for tag in table.tags]
    pieces: list[str] = []
    place = 0
    for tag in sorted(tags, key=lambda tag: tag.start()):
        pieces += (html[place : tag.start()], f"<{tag[1]}div{tag[3]}>")
        place = tag.end()
    return "".join((*pieces, html[place:]))
