"""list_files: lists one folder of the workspace."""

import stat

from oneclaw.core.define.function import tool
from oneclaw.core.errors import invalid
from oneclaw.core.tool import Context
from oneclaw.guard.files import paths
from oneclaw.guard.files.paths import OpenFolder
from oneclaw.guard.files.route import spell, spell_whole
from oneclaw.guard.files.tree import TreeEntry

_ODD = {stat.S_IFIFO: "FIFO", stat.S_IFSOCK: "socket", stat.S_IFCHR: "device", stat.S_IFBLK: "device"}


@tool(
    needs=["files.read"], effect="read", seconds=10, group="files", resource="file:{path}", label="List files"
)
def list_files(context: Context, path: str = ".", limit: int = 500) -> str:
    """List what is in a folder, sorted by name, one entry a line: folders end in /, files show their size.

    path: The folder to list, inside the workspace. Defaults to the workspace itself.
    limit: The most entries to show. Defaults to 500.
    """
    if limit < 1:
        raise invalid("limit must be 1 or more.")
    with paths.open_folder(context.workspace, path) as folder:
        walk = folder.walk(lambda entry: False)
        entries = list(walk)
        lines = [_describe(folder, entry) for entry in entries[:limit]]
    if not entries:
        return f"(The folder {spell(path)} is empty.)"
    if len(entries) > limit:
        more = f"{len(entries) - limit:,} more" if walk.is_complete else "many more"
        lines.append(f"(There are {more}; raise limit, or look for a name with find_files.)")
    return "\n".join(lines)


def _describe(folder: OpenFolder, entry: TreeEntry) -> str:
    name = spell_whole(entry.name)
    if entry.kind == "folder":
        return f"{name}/"
    if entry.kind == "link":
        return f"{name} -> {spell_whole(folder.target(entry))}"
    status = folder.status(entry)
    if status is None:
        return f"{name} (gone)"
    if entry.kind == "other":
        return f"{name} ({_ODD.get(stat.S_IFMT(status.st_mode), 'not a file')})"
    return f"{name} ({status.st_size:,} bytes)"
