"""search_text: finds lines that match a regular expression."""

import os
import time
from dataclasses import dataclass, field
from typing import BinaryIO

from oneclaw.core.define.function import tool
from oneclaw.core.errors import Kind, ToolError, invalid
from oneclaw.core.text.encoding import describe_binary, detect
from oneclaw.core.text.glob import Glob, InvalidGlob
from oneclaw.core.text.regex import InvalidPattern, LinePattern, MatchedLine
from oneclaw.core.tool import Context
from oneclaw.guard.files import paths
from oneclaw.guard.files.route import spell, spell_whole
from oneclaw.guard.files.tree import ENTRIES, TreeEntry

MAX_BYTES = 1024 * 1024
MAX_NAMED_BYTES = 64 * 1024 * 1024
MOST_SECONDS = 20.0
LINE_CHARS = 300


@dataclass(slots=True)
class SearchMatches:
    """Matches so far, and what was left out."""

    lines: list[str] = field(default_factory=list[str])
    matches: int = 0
    files: int = 0
    binary: int = 0
    large: int = 0
    closed: int = 0
    notes: list[str] = field(default_factory=list[str])


class Enough(Exception):
    """The limit or the time is reached; the text says which."""


@tool(
    needs=["files.read"],
    effect="read",
    seconds=30,
    group="files",
    resource="file:{path}",
    label="Search in files",
)
def search_text(
    context: Context,
    pattern: str,
    path: str = ".",
    glob: str = "*",
    ignore_case: bool = False,
    limit: int = 100,
    around: int = 0,
    hidden: bool = False,
) -> str:
    """Search the lines of files for a regular expression; matches are shown as path:line: text.

    The syntax is RE2: no look-around, no back-references. Links, binary files and files over 1 MB are left
    out; a single file named in path may have 64 MB.

    pattern: The regular expression, looked for in each line.
    path: The folder or file to search, inside the workspace. Defaults to the workspace itself.
    glob: Search only files that match this pattern, such as '*.py' or 'src/**/*.{js,ts}'. Defaults to all.
    ignore_case: Take capital and small letters as the same. Defaults to false.
    limit: The most matching lines to show. Defaults to 100.
    around: Lines to show before and after each match. Defaults to 0.
    hidden: Also search names that begin with a dot. Defaults to false; .git must be named.
    """
    if limit < 1 or not 0 <= around <= 50:
        raise invalid("limit must be 1 or more, and around from 0 to 50.")
    try:
        lines, chosen = LinePattern(pattern, ignore_case=ignore_case), Glob(glob, hidden=hidden)
    except InvalidPattern as error:
        message = f"The pattern {spell(pattern)} is not a regular expression that can be used: {error}."
        raise invalid(message) from None
    except InvalidGlob as error:
        raise invalid(f"The glob {spell(glob)} cannot be used: {error}.") from None
    search = TextSearch(context, lines, limit, around)
    try:
        if paths.kind_of(context.workspace, path) == "folder":
            search.search_folder(path, chosen)
        else:
            with paths.open_file(context.workspace, path) as file:
                search.search_file(file, path, MAX_NAMED_BYTES)
                if search.found.large:
                    size = os.fstat(file.fileno()).st_size
                    most = f"Maximum to search is {MAX_NAMED_BYTES} bytes."
                    raise ToolError(f"File is too large ({size} bytes). {most}", Kind.FILE_TOO_LARGE)
    except Enough as reason:
        search.found.notes.append(str(reason))
    return report(search.found)


class TextSearch:
    """One search under way."""

    def __init__(self, context: Context, pattern: LinePattern, limit: int, around: int) -> None:
        self._context = context
        self._pattern = pattern
        self._limit = limit
        self._around = around
        self._until = time.monotonic() + MOST_SECONDS
        self.found = SearchMatches()

    def search_folder(self, path: str, glob: Glob) -> None:
        with paths.open_folder(self._context.workspace, path) as folder:
            walk = folder.walk(lambda entry: glob.may_match_below(entry.path), ENTRIES)
            for entry in walk:
                if entry.kind == "file" and glob.matches(entry.path):
                    self._check()
                    self._search_entry(folder, entry)
            if not walk.is_complete:
                note = f"only the first {ENTRIES:,} entries were looked at; name a folder in path"
                self.found.notes.append(note)

    def _search_entry(self, folder: paths.OpenFolder, entry: TreeEntry) -> None:
        try:
            file = folder.open(entry)
        except ToolError:
            self.found.closed += 1
            return
        with file:
            self.search_file(file, folder.path_of(entry), MAX_BYTES)
        if self.found.files % 500 == 0:
            self._context.progress(f"{self.found.files:,} files searched")

    def search_file(self, file: BinaryIO, path: str, most_bytes: int) -> None:
        if os.fstat(file.fileno()).st_size > most_bytes:
            self.found.large += 1
            return
        data = file.read(most_bytes)
        encoding = detect(data[:8192])
        if describe_binary(data[:8192], encoding) is not None:
            self.found.binary += 1
            return
        self.found.files += 1
        data = data[len(encoding.mark) :]
        if encoding.name != "utf-8":
            data = data.decode(encoding.name, "replace").encode()
        # Before it is searched and cut: a match would tell a secret letter by letter, a cut half of it.
        text = data.decode("utf-8", "surrogateescape")
        redacted = self._context.redact(text)
        data = data if redacted == text else redacted.encode("utf-8", "surrogateescape")
        self._search_lines(data.replace(b"\r\n", b"\n"), spell_whole(path))

    def _search_lines(self, text: bytes, path: str) -> None:
        matches: dict[int, MatchedLine] = {}
        number, counted = 1, 0
        try:
            for line in self._pattern.find(text):
                if line is None:
                    self._check()
                    continue
                number += text.count(b"\n", counted, line.start)
                counted = line.start
                matches[number] = line
                self.found.matches += 1
                if self.found.matches == self._limit:
                    raise Enough(
                        f"stopped at {self._limit:,} matches; raise limit, or narrow pattern, path or glob"
                    )
        finally:
            self.found.lines += render(text, path, matches, self._around)

    def _check(self) -> None:
        self._context.check()
        if time.monotonic() > self._until:
            raise Enough(f"stopped after {MOST_SECONDS:g} seconds; narrow path or glob")


def render(text: bytes, path: str, matches: dict[int, MatchedLine], around: int) -> list[str]:
    """The matching lines of a file, and those around them."""
    if not around or not matches:
        return [
            f"{path}:{number}: {_cut(text[line.start : line.end], line.column)}"
            for number, line in matches.items()
        ]
    rows = text.removesuffix(b"\n").split(b"\n")
    shown: list[str] = []
    last = 0
    for middle in matches:
        first = max(last + 1, middle - around)
        if last and first > last + 1:
            shown.append("--")
        for number in range(first, min(len(rows), middle + around) + 1):
            match = matches.get(number)
            mark, column = (":", match.column) if match else ("-", 0)
            shown.append(f"{path}{mark}{number}{mark} {_cut(rows[number - 1], column)}")
            last = number
    return shown


def report(found: SearchMatches) -> str:
    """The lines found, and in the last line how much was searched and what was left out."""
    kinds = {
        "binary": found.binary,
        "too large": found.large,
        "closed or with hard links outside": found.closed,
    }
    left_out = [f"{count:,} {kind}" for kind, count in kinds.items() if count]
    matches, files = _count(found.matches, "match", "matches"), _count(found.files, "file", "files")
    parts = [f"{matches} in {files}", *found.notes]
    if left_out:
        parts.append(f"left out: {', '.join(left_out)}")
    return "\n".join([*found.lines, f"({'; '.join(parts)}.)"])


def _count(count: int, one: str, many: str) -> str:
    return f"1 {one}" if count == 1 else f"{count:,} {many}" if count else f"no {many}"


def _cut(line: bytes, column: int) -> str:
    """A line that fits: of a long one, the part around the match."""
    text = line.decode(errors="replace")
    if len(text) <= LINE_CHARS:
        return text
    start = max(0, len(line[:column].decode(errors="replace")) - LINE_CHARS // 3)
    end = start + LINE_CHARS
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"
