"""move_file: moves or renames a file or folder, atomically."""

from collections.abc import Mapping
from typing import Any

from oneclaw.core.call import Output
from oneclaw.core.define.function import tool
from oneclaw.core.session import Session
from oneclaw.core.text.diff import Preview, moved
from oneclaw.core.tool import Context
from oneclaw.guard.files import moving
from oneclaw.guard.files.change import FileChange
from oneclaw.guard.files.route import name_in, spell


def preview(arguments: Mapping[str, Any], session: Session) -> Preview:
    """The diff that a call would make."""
    return Preview(moved("rename", arguments["source"], arguments["destination"]))


@tool(
    needs=["files.write"],
    effect="write",
    seconds=30,
    group="files",
    resource="file:",
    label="Move or rename a file",
    preview=preview,
)
def move_file(context: Context, source: str, destination: str, overwrite: bool = False) -> Output:
    """Move or rename a file or a folder.

    Missing folders are made. A link is moved itself, not what it points to.

    source: The path of the file or folder to move, inside the workspace.
    destination: The new path; a folder that is there already takes it in under its own name.
    overwrite: Replace a file that is there already; the person is asked first. Folders are never replaced.
    """
    change = FileChange(context)

    def work(may_replace: bool) -> str:
        return moving.move(change.effects, source, destination, overwrite=may_replace)

    real = change.overwriting(work, overwrite)
    change.diff = moved("rename", source, name_in(context.workspace, real))
    return change.output(f"Moved {spell(source)} to {change.name(real)}")
