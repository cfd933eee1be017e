"""copy_file: copies a file."""

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
    return Preview(moved("copy", arguments["source"], arguments["destination"]))


@tool(
    needs=["files.write"],
    effect="write",
    seconds=30,
    group="files",
    resource="file:",
    label="Copy a file",
    preview=preview,
)
def copy_file(context: Context, source: str, destination: str, overwrite: bool = False) -> Output:
    """Copy a file.

    Missing folders are made. A link is followed: what it points to is copied.

    source: The path of the file to copy, inside the workspace.
    destination: The path of the copy; a folder that is there already takes it in under its own name.
    overwrite: Replace a file that is there already; the person is asked first.
    """
    change = FileChange(context)

    def work(may_replace: bool) -> str:
        return moving.copy(change.effects, source, destination, overwrite=may_replace)

    real = change.overwriting(work, overwrite)
    change.diff = moved("copy", source, name_in(context.workspace, real))
    return change.output(f"Copied {spell(source)} to {change.name(real)}")
