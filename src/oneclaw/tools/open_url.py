"""open_url: opens a URL on the person's screen."""

from collections.abc import Callable

from oneclaw.core.define.function import tool
from oneclaw.core.tool import Context, Tool
from oneclaw.guard import opener
from oneclaw.guard.network.gate import ask_for_private
from oneclaw.guard.opener import ShowFile


def open_url_tool(show: Callable[[], ShowFile | None] = lambda: None) -> Tool:
    """The tool; `show` gives what shows an address in the page, where the page is the front."""

    @tool(
        needs=["network"],
        effect="unknown",
        seconds=20,
        group="desktop",
        isolation="inline",
        label="Open a web page",
    )
    async def open_url(context: Context, url: str) -> str:
        """Open a web page on the person's screen; to read a page yourself, use fetch_url.

        url: The address, starting with http://, https:// or, for a file in the workspace, file://.
        """
        path = opener.path_of_url(url)
        if path is not None:
            await context.require("files.read", f"{path[:200]} is a file.")
            target = opener.locate(context.workspace, path)
            if not opener.is_shown(target):
                return f"Not opened: a file of this kind may be run by what opens it: {target}"
        else:
            target = await opener.admit(url, context.session.network, ask_for_private(context))
        return await opener.open_on_screen(context, target, show())

    return open_url
