"""find_files: finds files by path pattern."""

from oneclaw.core.define.function import tool
from oneclaw.core.errors import invalid
from oneclaw.core.text.glob import Glob, InvalidGlob
from oneclaw.core.tool import Context
from oneclaw.guard.files import paths
from oneclaw.guard.files.route import spell, spell_whole
from oneclaw.guard.files.tree import ENTRIES, TreeEntry


@tool(
    needs=["files.read"], effect="read", seconds=30, group="files", resource="file:{path}", label="Find files"
)
def find_files(
    context: Context, pattern: str, path: str = ".", limit: int = 200, hidden: bool = False
) -> str:
    """Find files by a glob pattern, sorted by path, one a line.

    '*.py' finds names in any folder, 'src/*.py' only in src, 'src/**/*.{js,ts}' anywhere below src; a pattern
    ending in / finds folders. Links are shown and not followed.

    pattern: The glob pattern, matched below path.
    path: The folder to look in, inside the workspace. Defaults to the workspace itself.
    limit: The most paths to show. Defaults to 200.
    hidden: Let * and ** also match names that begin with a dot. Defaults to false; .git must be named.
    """
    if limit < 1:
        raise invalid("limit must be 1 or more.")
    try:
        glob = Glob(pattern, hidden=hidden)
    except InvalidGlob as error:
        raise invalid(f"The pattern {spell(pattern)} cannot be used: {error}.") from None

    def is_worth_entering(entry: TreeEntry) -> bool:
        context.check()
        return glob.may_match_below(entry.path)

    lines: list[str] = []
    count = 0
    with paths.open_folder(context.workspace, path) as folder:
        walk = folder.walk(is_worth_entering, ENTRIES)
        for entry in walk:
            if (entry.kind == "folder") == glob.is_for_folders and glob.matches(entry.path):
                count += 1
                if count <= limit:
                    lines.append(spell_whole(folder.path_of(entry)) + ("/" if entry.kind == "folder" else ""))
    if not count:
        lines.append(f"(Nothing matches {spell(pattern)} in {spell(path)}.)")
    if count > limit:
        lines.append(f"({count - limit:,} more match; raise limit or narrow the pattern.)")
    if not walk.is_complete:
        lines.append(f"(Only the first {ENTRIES:,} entries were looked at; name a folder in path.)")
    return "\n".join(lines)
