"""open_file: a file of the workspace, opened on the person's screen."""

from collections.abc import Callable

from oneclaw.core.make.function import tool
from oneclaw.core.tool import Context, Tool
from oneclaw.guard import opener
from oneclaw.guard.opener import Show


def open_file_tool(show: Callable[[], Show | None] = lambda: None) -> Tool:
    """The tool; `show` gives what shows a file in the page, where the page is the front."""

    @tool(needs=["files.read"], effect="unknown", seconds=15, group="desktop", isolation="inline")
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
        in_page = show()
        if in_page is not None and await in_page(context.session, real):
            return f"Opened in the page: {real}"
        program = opener.find_opener(context.workspace)
        if program is None:
            return f"Not opened: there is no desktop here to open it on. The person can open it: {real}"
        await opener.start(program, real)
        return f"Opened: {real}"

    return open_file
