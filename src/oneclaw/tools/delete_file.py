"""delete_file: moves a file or folder to the trash; restore_file restores it."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from oneclaw.core.call import Output
from oneclaw.core.define.function import tool
from oneclaw.core.errors import ToolError
from oneclaw.core.session import Session
from oneclaw.core.text.diff import Preview
from oneclaw.core.tool import Context
from oneclaw.guard.files import moving, paths
from oneclaw.guard.files.change import FileChange, preview_of
from oneclaw.guard.files.route import spell


def preview(arguments: Mapping[str, Any], session: Session) -> Preview | None:
    """The diff that a call would make; of a folder there is none."""
    if paths.kind_of(session.workspace, arguments["path"]) != "file":
        return None
    return Preview(preview_of(session.workspace, arguments["path"], lambda old: None))


@tool(
    needs=["files.delete"],
    effect="write",
    seconds=30,
    group="files",
    resource="file:{path}",
    label="Delete a file",
    preview=preview,
)
def delete_file(context: Context, path: str) -> Output:
    """Delete a file, or a folder with all that is in it. It goes to a trash; restore_file brings it back.

    A link is deleted itself, not what it points to.

    path: The path of the file or folder to delete, inside the workspace.
    """
    change = FileChange(context)
    keeper = change.keeper
    with suppress(ToolError):  # what is wrong with the path is said below
        shown = preview({"path": path}, context.session)
        change.diff = shown.diff if shown else None
    moved = moving.trash(change.effects, path, keeper.undo.total_bytes, keeper.new_trash)
    what = "the folder " if moved.is_folder else ""
    return change.output(f"Deleted {what}{spell(path)}; restore_file brings it back")
