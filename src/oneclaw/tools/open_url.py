"""open_url: a web address, or a file by its address, opened on the person's screen."""

from collections.abc import Callable
from functools import partial

from oneclaw.core.make.function import tool
from oneclaw.core.tool import Context, Tool
from oneclaw.guard import opener
from oneclaw.guard.network.gate import NEED
from oneclaw.guard.opener import Show


def open_url_tool(show: Callable[[], Show | None] = lambda: None) -> Tool:
    """The tool; `show` gives what shows an address in the page, where the page is the front."""

    @tool(needs=["network"], effect="unknown", seconds=20, group="desktop", isolation="inline")
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
            allow = partial(_allow_private, context)
            target = await opener.admit(url, context.session.network, allow)
        in_page = show()
        if in_page is not None and await in_page(context.session, target):
            return f"Opened in the page: {target}"
        program = opener.find_opener(context.workspace)
        if program is None:
            return f"Not opened: there is no desktop here to open it on. The person can open it: {target}"
        await opener.start(program, target)
        return f"Opened: {target}"

    return open_url


async def _allow_private(context: Context, host: str, why: str) -> None:
    await context.require(NEED, f"{host} is not public: it is {why}.")
