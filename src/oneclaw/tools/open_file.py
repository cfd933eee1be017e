"""open_file: opens a workspace file on the person's screen."""

from collections.abc import Callable

from oneclaw.core.define.function import tool
from oneclaw.core.tool import Context, Tool
from oneclaw.guard import opener
from oneclaw.guard.opener import ShowFile


def open_file_tool(show: Callable[[], ShowFile | None] = lambda: None) -> Tool:
    """The tool; `show` gives what shows a file in the page, where the page is the front."""

    @tool(
        needs=["files.read"],
        effect="unknown",
        seconds=15,
        group="desktop",
        isolation="inline",
        label="Open a file",
    )
    async def open_file(context: Context, path: str) -> str:
        """Open a file on the person's screen, as a page in the browser or a picture in a viewer.

        One file only: write HTML with its styles and scripts inside.

        path: The file to open, inside the workspace.
        """
        real = opener.locate(context.workspace, path)
        if not opener.is_shown(real):
            return (
                f"Not opened: a file of this kind may be run by what opens it. The person can open it: {real}"
            )
        return await opener.open_on_screen(context, real, show())

    return open_file
