"""`oneclaw serve`: the web page."""

import argparse
import sys

from oneclaw.cli.opened import open_app
from oneclaw.core.errors import InvalidConfig


async def run(arguments: argparse.Namespace) -> int:
    try:
        from oneclaw.web.server import Server, serve_page
    except ModuleNotFoundError as error:
        raise InvalidConfig(f"The page needs {error.name}: pip install 'oneclaw[web]'.") from None

    def tell(server: Server) -> None:
        link = server.link()
        is_opened = not arguments.no_open and sys.stdout.isatty() and _open(link)
        if is_opened:
            print(f"The page is open in your browser: {server.address}")
        else:
            print(f"Open the page: {link}")
            print("The link works once, within ten minutes.")
        print("Ctrl-C ends it.", flush=True)

    async with open_app(arguments) as app:
        await serve_page(app, arguments.port, tell)
    return 0


def _open(link: str) -> bool:
    import os
    import webbrowser

    has_screen = sys.platform == "darwin" or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
    return has_screen and webbrowser.open(link)
