"""edit_file: replaces an exact piece of a file's text."""

import json
import os
import re
import time
from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import Any, BinaryIO

from oneclaw.core.call import Output
from oneclaw.core.define.function import tool
from oneclaw.core.errors import Kind, ToolError, invalid
from oneclaw.core.session import Session
from oneclaw.core.text.diff import Preview
from oneclaw.core.text.encoding import Encoding, describe_binary, detect
from oneclaw.core.tool import Context
from oneclaw.guard.files import paths
from oneclaw.guard.files.change import FileChange, preview_of
from oneclaw.guard.files.route import spell

MAX_BYTES = 10 * 1024 * 1024
NEAREST_SECONDS = 0.5
ALIKE = 0.5
_COMPARED_CHARS = 300
_SHOWN_CHARS = 300
_SHOWN_LINES = 10


def preview(arguments: Mapping[str, Any], session: Session) -> Preview:
    """The diff that a call would make."""
    path, old, new = arguments["path"], arguments["old"], arguments["new"]

    def change(data: bytes | None) -> bytes:
        text, encoding = _decode(data or b"", path)
        text, _ = edit(text, old, new, arguments.get("all", False), path)
        return encoding.mark + text.encode(encoding.name, _errors(encoding))

    return Preview(preview_of(session.workspace, path, change), ("old", "new"))


@tool(
    needs=["files.write"],
    effect="write",
    seconds=10,
    group="files",
    resource="file:{path}",
    label="Edit a file",
    preview=preview,
)
def edit_file(context: Context, path: str, old: str, new: str, all: bool = False) -> Output:
    """Replace an exact piece of text in a file.

    old must stand in the file exactly once, white space included, unless all is true. The line endings and
    the encoding of the file are kept.

    path: The file path to edit, inside the workspace.
    old: The text to replace, exactly as it is in the file.
    new: The text to put in its place.
    all: Replace every occurrence of old. Defaults to false.
    """
    _check(old, new)
    lines: list[int] = []

    def change(file: BinaryIO | None, changed: BinaryIO) -> None:
        nonlocal lines
        if file is None:
            raise ToolError(f"File not found: {spell(path)}", Kind.FILE_NOT_FOUND)
        text, encoding = _read(file, path)
        text, lines = edit(text, old, new, all, path)
        changed.write(encoding.mark + text.encode(encoding.name, _errors(encoding)))

    paths.open_file(context.workspace, path).close()  # what is not there is not made, nor are its folders
    made = FileChange(context)
    paths.change_file(context.workspace, path, change, context.check, context.require_in_thread, made)
    if len(lines) == 1:
        return made.output(f"Replaced 1 occurrence in {spell(path)}, on line {lines[0]:,}")
    return made.output(f"Replaced {len(lines):,} occurrences in {spell(path)}, on lines {_list(lines)}")


def edit(text: str, old: str, new: str, all: bool, path: str) -> tuple[str, list[int]]:
    """The text with `old` replaced by `new`, and the lines on which `new` now begins."""
    old, new = _fit_line_endings(text, old, new)
    first = text.find(old)
    if first < 0:
        raise invalid(f"old was not found in {spell(path)}; {nearest(text, old)}.")
    if not all and text.find(old, first + 1) >= 0:
        raise invalid(
            f"old stands in {spell(path)} more than once, on lines {_list(_lines_of(text, old))}; add text"
            " around it to make it unique, or pass all=true."
        )
    lines: list[int] = []
    line = 1
    pieces = text.split(old)
    for piece in pieces[:-1]:
        line += piece.count("\n")
        lines.append(line)
        line += new.count("\n")
    return new.join(pieces), lines


def nearest(text: str, old: str) -> str:
    """Says which lines are most like `old`, looking no longer than `NEAREST_SECONDS`."""
    lines, wanted = text.splitlines(), old.splitlines()
    stripped = [" ".join(line.split()) for line in wanted]
    blanks = [" ".join(line.split()) for line in lines]
    places = (at for at, line in enumerate(blanks) if stripped and line == stripped[0])
    start = next((at for at in places if blanks[at : at + len(stripped)] == stripped), None)
    if start is not None and any(stripped):
        return f"line {start + 1:,} differs only in white space: {_quote(lines, start, len(wanted))}"
    anchor = max(range(len(wanted)), key=lambda index: len(wanted[index].strip()), default=0)
    best = _most_alike(lines, wanted[anchor] if wanted else "")
    if best is None:
        return "nothing in it is much like it: read the file again"
    start = max(0, best - anchor)
    return f"the nearest text is on line {start + 1:,}: {_quote(lines, start, len(wanted))}"


def _check(old: str, new: str) -> None:
    if not old:
        raise invalid("old is empty; name the text to replace, or write the whole file with write_file.")
    if old == new:
        raise invalid("old and new are the same; nothing would change.")
    for name, value in (("old", old), ("new", new)):
        try:
            value.encode()
        except UnicodeEncodeError as error:
            message = (
                f"{name} has half a surrogate pair at character {error.start:,}, which no file can hold."
            )
            raise invalid(message) from None


def _read(file: BinaryIO, path: str) -> tuple[str, Encoding]:
    size = os.fstat(file.fileno()).st_size
    if size > MAX_BYTES:
        message = f"File is too large ({size} bytes). Maximum size to edit is {MAX_BYTES} bytes (10 MB)."
        raise ToolError(message, Kind.FILE_TOO_LARGE)
    return _decode(file.read(MAX_BYTES), path)


def _decode(data: bytes, path: str) -> tuple[str, Encoding]:
    encoding = detect(data[:8192])
    kind = describe_binary(data[:8192], encoding)
    if kind is not None:
        raise ToolError(f"{spell(path)} looks like {kind} ({len(data)} bytes) and cannot be edited as text.")
    try:
        return data[len(encoding.mark) :].decode(encoding.name, _errors(encoding)), encoding
    except UnicodeDecodeError as error:
        raise ToolError(f"{spell(path)} is damaged {encoding.name} text: {error.reason}.") from None


def _errors(encoding: Encoding) -> str:
    # Bytes that are not UTF-8 go through unchanged.
    return "surrogateescape" if encoding.name == "utf-8" else "strict"


def _fit_line_endings(text: str, old: str, new: str) -> tuple[str, str]:
    """`old` and `new` with the line endings of the text, if it has one kind or `old` is not found as is."""
    endings = text.count("\r\n")
    if endings and (endings == text.count("\n") or old not in text):
        return re.sub("\r?\n", "\r\n", old), re.sub("\r?\n", "\r\n", new)
    if not endings and "\r\n" in old:
        return old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    return old, new


def _lines_of(text: str, old: str) -> list[int]:
    """The lines on which `old` stands: the first of them, and one more."""
    lines: list[int] = []
    line, seen, start = 1, 0, text.find(old)
    while start >= 0 and len(lines) <= _SHOWN_LINES:
        line += text.count("\n", seen, start)
        lines.append(line)
        seen, start = start, text.find(old, start + 1)
    return lines


def _list(lines: list[int]) -> str:
    shown = [f"{line:,}" for line in lines[:_SHOWN_LINES]]
    if len(lines) > _SHOWN_LINES:
        return f"{', '.join(shown)} and more"
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def _most_alike(lines: list[str], wanted: str) -> int | None:
    until = time.monotonic() + NEAREST_SECONDS
    matcher: SequenceMatcher[str] = SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted.strip()[:_COMPARED_CHARS])
    best, best_ratio = None, ALIKE
    for index, line in enumerate(lines):
        if index % 64 == 0 and time.monotonic() > until:
            break
        matcher.set_seq1(line.strip()[:_COMPARED_CHARS])
        if matcher.real_quick_ratio() > best_ratio and matcher.quick_ratio() > best_ratio:
            ratio = matcher.ratio()
            if ratio > best_ratio:
                best, best_ratio = index, ratio
    return best


def _quote(lines: list[str], start: int, count: int) -> str:
    block = "\n".join(lines[start : start + max(count, 1)])
    return json.dumps(block[:_SHOWN_CHARS], ensure_ascii=False) + ("…" if len(block) > _SHOWN_CHARS else "")
