"""write_file: writes or appends to a file atomically."""

from collections.abc import Mapping
from typing import Any, BinaryIO, Literal

from oneclaw.core.call import Output
from oneclaw.core.define.function import tool
from oneclaw.core.errors import Kind, ToolError, invalid
from oneclaw.core.permit.need import OVERWRITE
from oneclaw.core.session import Session
from oneclaw.core.text.diff import Preview
from oneclaw.core.text.encoding import detect
from oneclaw.core.tool import Context
from oneclaw.guard.files import paths
from oneclaw.guard.files.change import FileChange, preview_of
from oneclaw.guard.files.route import spell

_CHUNK_BYTES = 64 * 1024


def preview(arguments: Mapping[str, Any], session: Session) -> Preview:
    """The diff that a call would make."""
    content, is_added = arguments["content"], arguments.get("mode") == "append"

    def change(old: bytes | None) -> bytes:
        before = (old or b"") if is_added else b""
        return before + encode(content, detect(before[:8192]).name if before else "utf-8")

    return Preview(preview_of(session.workspace, arguments["path"], change), ("content",))


@tool(
    needs=["files.write"],
    effect="write",
    seconds=10,
    group="files",
    resource="file:{path}",
    label="Write a file",
    preview=preview,
)
def write_file(
    context: Context, path: str, content: str, mode: Literal["overwrite", "append"] = "overwrite"
) -> Output:
    """Write contents to a file on local storage.

    Missing folders are made. The file is replaced in one step: it never holds half of the content.

    path: The file path to write, inside the workspace.
    content: The content to write to the file.
    mode: 'overwrite' (replace the file) or 'append' (add to its end). Defaults to 'overwrite'.
    """
    data, change = encode(content, "utf-8"), FileChange(context)
    if mode == "overwrite":
        _overwrite(context, path, data, change)
        return change.output(_confirm(path, len(data), mode))
    written = 0

    def add(old: BinaryIO | None, new: BinaryIO) -> None:
        nonlocal written
        written = new.write(encode(content, _copy(context, old, new)) if old else data)

    paths.change_file(context.workspace, path, add, context.check, context.require_in_thread, change)
    return change.output(_confirm(path, written, mode))


def _overwrite(context: Context, path: str, data: bytes, change: FileChange) -> None:
    """Replace or create a file; if the session must ask, an existing file needs a person's yes."""
    must_ask = context.session.must_ask(OVERWRITE)
    if must_ask and _is_there(context, path):
        reason = f"{spell(path)} is there already; what it holds would be lost."
        context.require_in_thread(OVERWRITE, reason)
        must_ask = False

    def check() -> None:
        context.check()
        if must_ask and _is_there(context, path):
            message = f"{spell(path)} was made by somebody else meanwhile, so it was left as it is."
            raise ToolError(message, Kind.PERMISSION_DENIED)

    paths.replace_file(context.workspace, path, data, check, context.require_in_thread, change)


def _is_there(context: Context, path: str) -> bool:
    try:
        paths.kind_of(context.workspace, path)
    except ToolError as error:
        if error.kind is Kind.FILE_NOT_FOUND:
            return False
        raise
    return True


def encode(content: str, encoding: str) -> bytes:
    try:
        return content.encode(encoding)
    except UnicodeEncodeError as error:
        message = f"content has half a surrogate pair at character {error.start:,}, which no file can hold."
        raise invalid(message) from None


def _copy(context: Context, old: BinaryIO, new: BinaryIO) -> str:
    """Copy what a file holds; returns the encoding its mark names, in which more must be written."""
    chunk = old.read(_CHUNK_BYTES)
    encoding = detect(chunk).name
    while chunk:
        new.write(chunk)
        context.check()
        chunk = old.read(_CHUNK_BYTES)
    return encoding


def _confirm(path: str, written: int, mode: str) -> str:
    return f"Successfully wrote {written} bytes to {spell(path)} (mode: {mode})"
