"""Files for JavaScript tools, through the file guard."""

import base64
import binascii
import os
from typing import Any

from oneclaw.core.errors import Kind, ToolError, invalid
from oneclaw.core.text.encoding import (
    UnknownEncoding,
    describe_binary,
    detect,
    make_decoder,
    replace_surrogates,
)
from oneclaw.core.tool import Context
from oneclaw.guard.files import paths
from oneclaw.guard.files.change import FileChange
from oneclaw.guard.files.route import spell

MAX_BYTES = 4 * 1024 * 1024
ENTRIES = 10_000
BYTES = "bytes"
"""The encoding that stands for none: the content is given as it is."""


def read(context: Context, path: str, encoding: str) -> str:
    """The text of a file; for `bytes` its content in base64."""
    with paths.open_file(context.workspace, path) as file:
        size = os.fstat(file.fileno()).st_size
        data = b"" if size > MAX_BYTES else file.read(MAX_BYTES + 1)
    if size > MAX_BYTES or len(data) > MAX_BYTES:
        raise ToolError(
            f"File is too large ({max(size, len(data))} bytes): fs.readFile reads at most {MAX_BYTES} bytes"
            f" ({MAX_BYTES // 2**20} MB).",
            Kind.FILE_TOO_LARGE,
        )
    return base64.b64encode(data).decode("ascii") if encoding == BYTES else _decode(data, path, encoding)


def write(context: Context, path: str, content: str, is_packed: bool) -> None:
    """Write a file: text as UTF-8, or bytes from base64 if `is_packed`."""
    try:
        data = base64.b64decode(content, validate=True) if is_packed else content.encode("utf-8")
    except UnicodeEncodeError as error:
        message = f"content has half a surrogate pair at character {error.start:,}, which no file can hold."
        raise invalid(message) from None
    except (binascii.Error, ValueError):
        raise invalid("The bytes to write are not base64.") from None
    change = FileChange(context)
    paths.replace_file(context.workspace, path, data, context.check, context.require_in_thread, change)


def exists(context: Context, path: str) -> bool:
    """Whether there is a file or folder; a path outside the workspace is refused, not answered."""
    try:
        paths.kind_of(context.workspace, path)
    except ToolError as error:
        if error.kind is Kind.FILE_NOT_FOUND or isinstance(error.__context__, NotADirectoryError):
            return False
        raise
    return True


def list_folder(context: Context, path: str) -> list[dict[str, Any]]:
    """The entries of a folder, sorted by name: `{name, kind, size}`, the size of what is a file."""
    with paths.open_folder(context.workspace, path) as folder:
        walk = folder.walk(lambda entry: False, ENTRIES)
        found: list[dict[str, Any]] = []
        for entry in walk:
            status = folder.status(entry) if entry.kind == "file" else None
            size = None if status is None else status.st_size
            found.append({"name": entry.name, "kind": entry.kind, "size": size})
    if not walk.is_complete:
        raise ToolError(
            f"{spell(path)} has more than {ENTRIES:,} entries, which is the most fs.list gives.",
            Kind.FILE_TOO_LARGE,
        )
    return found


def _decode(data: bytes, path: str, encoding: str) -> str:
    try:
        found = detect(data, encoding)
    except UnknownEncoding:
        message = f"Unsupported encoding: {encoding[:80]!r}; use for example 'utf-8', 'latin1' or 'bytes'."
        raise invalid(message) from None
    kind = describe_binary(data[:8192], found)
    if kind is not None:
        raise ToolError(
            f"{spell(path)} looks like {kind} ({len(data)} bytes), which is not text;"
            " read it with fs.readFile(path, 'bytes').",
            Kind.EXECUTION_ERROR,
        )
    try:
        return replace_surrogates(make_decoder(found.name).decode(data[len(found.mark) :], final=True))[0]
    except UnicodeError as error:  # an encoding that does not let itself be mended
        message = f"{spell(path)} cannot be read as {found.name}: {error}"[:400]
        raise invalid(message) from None
