"""make_folder: makes a folder and its missing parents."""

from oneclaw.core.call import Output
from oneclaw.core.define.function import tool
from oneclaw.core.tool import Context
from oneclaw.guard.files import moving
from oneclaw.guard.files.change import FileChange
from oneclaw.guard.files.route import spell


@tool(
    needs=["files.write"],
    effect="write",
    seconds=10,
    group="files",
    resource="file:{path}",
    label="Make a folder",
)
def make_folder(context: Context, path: str) -> Output:
    """Make a folder. Missing folders on the way to it are made as well.

    path: The path of the new folder, inside the workspace.
    """
    change = FileChange(context)
    if moving.make_folder(change.effects, path):
        return change.output(f"Made the folder {spell(path)}")
    return change.output(f"The folder {spell(path)} is there already")
