"""restore_file: restores a deleted file or folder from the trash."""

from oneclaw.core.call import Output
from oneclaw.core.define.function import tool
from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.tool import Context
from oneclaw.guard.files import moving
from oneclaw.guard.files.change import FileChange
from oneclaw.guard.files.entry import real_path
from oneclaw.guard.files.kept import deleted, place_of
from oneclaw.guard.files.protected import opened_roots
from oneclaw.guard.files.route import name_in, spell

_MOST_NAMED = 10


@tool(
    needs=["files.write"],
    effect="write",
    seconds=30,
    group="files",
    resource="file:{path}",
    label="Restore a deleted file",
)
def restore_file(context: Context, path: str) -> Output:
    """Bring back a file or folder that delete_file deleted, to the path it had.

    path: The path it had when it was deleted.
    """
    workspace, change = context.workspace, FileChange(context)
    keeper = change.keeper
    wanted, trash = real_path(workspace, path), deleted(keeper.undo)
    if wanted not in trash:
        named = sorted(name_in(workspace, each) for each in trash if opened_roots(workspace, each))
        listed = ", ".join(map(spell, named[:_MOST_NAMED])) + (" …" if len(named) > _MOST_NAMED else "")
        hint = f"the trash holds: {listed}." if named else "the trash is empty."
        raise ToolError(f"{spell(path)} is not in the trash; {hint}", Kind.FILE_NOT_FOUND, effects="none")
    moving.restore(change.effects, trash[wanted], str(place_of(keeper.undo, trash[wanted])), wanted)
    return change.output(f"Restored {spell(path)}")
