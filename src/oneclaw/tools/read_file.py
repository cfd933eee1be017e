"""read_file: reads one file of the workspace, whole or in pieces."""

import os
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from oneclaw.core.call import Output
from oneclaw.core.define.function import tool
from oneclaw.core.errors import Kind, ToolError, invalid
from oneclaw.core.text.encoding import (
    UnknownEncoding,
    describe_binary,
    detect,
    make_decoder,
    replace_surrogates,
    suggest,
)
from oneclaw.core.tool import Context
from oneclaw.core.trim import safe_cut
from oneclaw.guard.files import paths
from oneclaw.guard.files.route import spell
from oneclaw.guard.secret.redactor import SECRET_CHARS

MAX_BYTES = 1024 * 1024
CHARS = 20_000
_CHUNK_BYTES = 64 * 1024


class TextChunk(NamedTuple):
    """Part of a text: from `offset` and `skip_chars` on, up to where the next piece begins, if there is one.

    `lines` is how many lines the whole text has, where that was counted.
    """

    text: str
    offset: int
    skip_chars: int
    next_offset: int
    next_skip_chars: int
    is_last: bool
    lines: int | None


@tool(
    needs=["files.read"],
    effect="read",
    seconds=10,
    group="files",
    resource="file:{path}",
    chars=CHARS + 1_000,
    spill=False,
    label="Read a file",
)
def read_file(
    context: Context,
    path: str,
    encoding: str = "utf-8",
    offset: int = 1,
    limit: int | None = None,
    skip_chars: int = 0,
) -> str | Output:
    """Read the contents of a file from local storage.

    At most 20,000 characters are returned at once; a last line then says how to go on. Files over 1 MB are
    read with offset and limit. Where bytes do not fit the encoding, a note says which one to try.

    path: The file path to read, inside the workspace.
    encoding: File encoding. Defaults to 'utf-8'; a byte order mark is recognised.
    offset: The first line to read, counted from 1.
    limit: The most lines to read. Defaults to as many as fit.
    skip_chars: Characters of the first line to leave out, to read on in a very long line.
    """
    if offset < 0 or skip_chars < 0 or (limit is not None and limit < 1):
        raise invalid("offset and limit count lines from 1, and skip_chars counts characters from 0.")
    offset = max(offset, 1)
    with paths.open_file(context.workspace, path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > MAX_BYTES and (offset, limit, skip_chars) == (1, None, 0):
            raise ToolError(
                f"File is too large ({size} bytes). Maximum supported size is {MAX_BYTES} bytes (1 MB);"
                " read it in pieces with offset and limit.",
                Kind.FILE_TOO_LARGE,
            )
        chunks = redacted(context, decode(context, file, path, encoding))
        piece = take(chunks, offset, limit, skip_chars, is_counted=size <= MAX_BYTES)
        text, lost = replace_surrogates(piece.text)
        note = ""
        if lost:
            file.seek(0)
            head = file.read(MAX_BYTES)
            used, places = detect(head, encoding).name, "1 place is" if lost == 1 else f"{lost:,} places are"
            note = f"{places} not {used} and shown as \ufffd; try encoding='{suggest(head, used)}'"
    if piece.lines is not None and offset > max(piece.lines, 1):
        raise invalid(f"{spell(path)} has {piece.lines:,} lines; there is no line {offset:,}.")
    text += "" if piece.is_last else how_to_go_on(piece, size)
    return Output(text, details={"replaced": lost}, note=note) if lost else text


def decode(context: Context, file: BinaryIO, path: str, encoding: str) -> Iterator[str]:
    """The text of a file, chunk by chunk; refuses what is not text."""
    chunk = file.read(_CHUNK_BYTES)
    try:
        found = detect(chunk, encoding)
    except UnknownEncoding:
        message = f"Unsupported encoding: {encoding[:80]!r}; use for example 'utf-8', 'utf-16' or 'latin-1'."
        raise invalid(message) from None
    kind = describe_binary(chunk[:8192], found)
    if kind is not None:
        size = os.fstat(file.fileno()).st_size
        raise ToolError(
            f"{spell(path)} looks like {kind} ({size} bytes), which read_file cannot show as text;"
            " use a tool made for that.",
            Kind.EXECUTION_ERROR,
        )
    decoder = make_decoder(found.name)
    chunk = chunk[len(found.mark) :]
    before = b""
    try:
        while chunk:
            text = decoder.decode(chunk)
            _check_spelling(context, before + chunk, text, path, found.name)
            yield text
            context.check()
            before, chunk = chunk[-SECRET_CHARS:], file.read(_CHUNK_BYTES)
        yield decoder.decode(b"", final=True)
    except UnicodeError as error:  # an encoding that does not let itself be mended
        message = f"{spell(path)} cannot be read as {found.name}: {error}"[:400]
        raise invalid(message) from None


def _check_spelling(context: Context, data: bytes, text: str, path: str, encoding: str) -> None:
    """Refuse an encoding that spells a known secret so that nobody would know it."""
    if encoding == "utf-8":
        return
    plain = data.decode("latin-1")
    if context.redact(plain) != plain and context.redact(text) == text:
        message = (
            f"{spell(path)} is not {encoding}: it holds a known secret in plain letters; leave encoding out."
        )
        raise invalid(message)


def redacted(context: Context, chunks: Iterator[str]) -> Iterator[str]:
    """The text without known secrets, before pieces are cut from it: half a secret is not known as one."""
    held = ""
    for chunk in chunks:
        text = context.redact(held + chunk)
        end = max(len(text) - SECRET_CHARS, 0)
        held = text[end:]  # a secret may begin here and end in the next chunk
        yield text[:end]
    yield held


class TextReader:
    """A text that is read as far as it is needed; `text` is what has been read and not passed over."""

    __slots__ = ("_chunks", "_last", "_newlines", "is_at_end", "text")

    def __init__(self, chunks: Iterator[str]) -> None:
        self._chunks = chunks
        self._newlines = 0
        self._last = ""
        self.text = ""
        self.is_at_end = False

    @property
    def lines(self) -> int | None:
        """How many lines there are, once the end is reached."""
        return self._newlines + (self._last not in ("", "\n")) if self.is_at_end else None

    def read_on(self) -> bool:
        for chunk in self._chunks:
            if chunk:
                self._newlines += chunk.count("\n")
                self._last = chunk[-1]
                self.text += chunk
                return True
        self.is_at_end = True
        return False

    def pass_lines(self, count: int) -> None:
        while True:
            here = self.text.count("\n")
            if here >= count:
                break
            count -= here
            self.text = ""
            if not self.read_on():
                return
        start = 0
        for _ in range(count):
            start = self.text.index("\n", start) + 1
        self.text = self.text[start:]

    def pass_chars(self, count: int) -> None:
        """Pass over characters, though not over the end of the line."""
        while True:
            newline = self.text.find("\n")
            here = len(self.text) if newline < 0 else newline
            if here >= count or newline >= 0:
                self.text = self.text[min(here, count) :]
                return
            count -= here
            self.text = ""
            if not self.read_on():
                return


def take(
    chunks: Iterator[str], offset: int, limit: int | None, skip_chars: int, *, is_counted: bool
) -> TextChunk:
    """The lines from `offset` on that fit; where `is_counted`, the rest is read to count its lines."""
    source = TextReader(chunks)
    source.pass_lines(offset - 1)
    source.pass_chars(skip_chars)
    while len(source.text) <= CHARS and not (limit and source.text.count("\n") >= limit):
        if not source.read_on():
            break
    shown = source.text[: _end(source.text, limit)]
    is_last = len(shown) == len(source.text) and not source.read_on()
    while is_counted and source.read_on():
        source.text = ""
    newlines = shown.count("\n")
    rest = len(shown) - (shown.rfind("\n") + 1)
    next_skip_chars = rest + skip_chars if rest and not newlines else rest
    return TextChunk(shown, offset, skip_chars, offset + newlines, next_skip_chars, is_last, source.lines)


def _end(text: str, limit: int | None) -> int:
    """Where to cut: after so many lines, after the last line that fits, or in a line too long to fit."""
    end = 0
    for _ in range(limit or 0):
        end = text.find("\n", end) + 1
        if end == 0:
            break
    end = end or len(text)
    if end <= CHARS:
        return end
    return text.rfind("\n", 0, CHARS) + 1 or safe_cut(text, CHARS)


def how_to_go_on(piece: TextChunk, size: int) -> str:
    whole = f"{piece.lines:,} lines" if piece.lines is not None else f"a file of {size:,} bytes"
    go_on = f"offset={piece.next_offset}"
    if piece.next_skip_chars:
        go_on += f" and skip_chars={piece.next_skip_chars}"
    if piece.next_offset == piece.offset:
        first, last = piece.skip_chars + 1, piece.next_skip_chars
        shown = f"characters {first:,}-{last:,} of line {piece.offset:,}"
    else:
        shown = f"lines {piece.offset:,}-{piece.next_offset - 1:,}"
    return f"\n(These are {shown} of {whole}. Go on with {go_on}.)"
