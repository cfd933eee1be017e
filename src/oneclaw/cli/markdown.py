"""Streams Markdown to the terminal block by block."""

import re
import sys
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from oneclaw.cli.terminal import console, printable

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.markdown import Markdown
    from rich.segment import Segment, Segments

FENCE = re.compile(r"( *)(`{3,}|~{3,})")
ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])\s")
STYLES = {"markdown.code": "bold cyan", "markdown.code_block": "cyan", "markdown.h1": "bold underline"}
MOST_COLUMNS = 110
TAIL_CHARS = 4_000
MOST_CHARS = 20_000
"""A block that grows longer is printed as far as it goes, so that a long answer stays cheap to show."""


class Blocks:
    """Text as it comes, given out in blocks that what follows cannot change."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._chars = 0
        self._rest = ""
        self._fence = ""
        self._is_blank = False

    @property
    def open(self) -> str:
        """The unfinished block."""
        return "".join(self._lines) + self._rest

    def add(self, text: str) -> list[str]:
        """Take in more text; returns the blocks that are whole now."""
        *lines, self._rest = (self._rest + text).split("\n")
        whole: list[str] = []
        for line in lines:
            whole += self._add_line(line + "\n")
        return whole

    def flush(self) -> str:
        """All that is left, whole or not."""
        left = self.open
        self.__init__()
        return left

    def _add_line(self, line: str) -> list[str]:
        if self._fence:
            return self._add_fenced(line)
        opens = FENCE.match(line)
        is_new = self._is_blank and not line[0].isspace() and not (self._is_list() and ITEM.match(line))
        whole: list[str] = []
        if self._lines and (is_new or (opens and not opens[1])):
            whole.append(self._take())
        if opens:
            self._fence = opens[2]
        self._is_blank = not line.strip()
        if self._lines or not self._is_blank:
            self._keep(line)
        if self._chars > MOST_CHARS:
            whole.append(self._take())
        return whole

    def _add_fenced(self, line: str) -> list[str]:
        self._keep(line)
        if line.strip().startswith(self._fence) and not line.strip(f" \n{self._fence[0]}"):
            self._fence = ""
            return [] if self._lines[0].startswith(" ") or not FENCE.match(self._lines[0]) else [self._take()]
        if self._chars > MOST_CHARS:
            opening = FENCE.match(self._lines[0])
            first = self._lines[0] if opening else f"{self._fence}\n"
            block = self._take() + self._fence + "\n"
            self._keep(first)
            return [block]
        return []

    def _is_list(self) -> bool:
        return bool(self._lines) and ITEM.match(self._lines[0]) is not None

    def _keep(self, line: str) -> None:
        self._lines.append(line)
        self._chars += len(line)

    def _take(self) -> str:
        block = "".join(self._lines)
        self._lines, self._chars, self._is_blank = [], 0, False
        return block


def rendered(text: str, screen: "Console") -> "Segments":
    """A block as it is shown. What is from outside stays text: no link, no escape, no hidden letter."""
    from rich.segment import Segment, Segments

    markdown = _plain_markdown()(printable(text).expandtabs(4), code_theme="ansi_dark", hyperlinks=False)
    options = screen.options.update(width=min(screen.width, MOST_COLUMNS))
    lines = screen.render_lines(markdown, options, pad=False)
    while lines and not _has_text(lines[-1]):
        lines.pop()
    while lines and not _has_text(lines[0]):
        lines.pop(0)
    # Markdown spells characters by number too, and so could bring in what `printable` took out.
    return Segments(
        [
            Segment(printable(each.text), each.style)
            for line in lines
            for each in (*_without_padding(line), Segment.line())
        ]
    )


def _without_padding(line: "list[Segment]") -> "list[Segment]":
    """The line without the spaces that fill it to the edge."""
    from rich.segment import Segment

    kept = list(line)
    while kept and not kept[-1].text.strip():
        kept.pop()
    if kept:
        kept[-1] = Segment(kept[-1].text.rstrip(), kept[-1].style)
    return kept


def _has_text(line: "list[Segment]") -> bool:
    return any(not each.text.isspace() and each.text for each in line)


@cache
def _plain_markdown() -> "type[Markdown]":
    from rich.markdown import Heading, Markdown

    class LeftHeading(Heading):
        """A heading at the left, where the text below it begins."""

        def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "RenderResult":
            text = self.text.copy()
            text.justify = "left"
            yield text

    class PlainMarkdown(Markdown):
        elements: ClassVar = {**Markdown.elements, "heading_open": LeftHeading}

    return PlainMarkdown


def markdown_console() -> "Console":
    """Where blocks are shown: stdout, without the dark ground that code has elsewhere."""
    from rich.theme import Theme

    screen = console(sys.stdout)
    screen.push_theme(Theme(STYLES))
    return screen


def tail(text: str, lines: int) -> str:
    """The end of an open block, short enough to be shown again and again."""
    kept = text.splitlines(keepends=True)
    if len(text) <= TAIL_CHARS and len(kept) <= lines:
        return text
    first = kept[0] if FENCE.match(kept[0]) else ""
    end = "".join(kept[-lines:])[-TAIL_CHARS:]
    return end if not first or end.startswith(first) else first + end
