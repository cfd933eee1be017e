"""`oneclaw serve`: the web page."""

import argparse
import asyncio
import signal
import sys
from collections.abc import Coroutine, Generator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from oneclaw.cli.opened import open_app, read_config
from oneclaw.cli.terminal import print_line
from oneclaw.core.errors import InvalidConfig, OneClawError
from oneclaw.operations import embedded
from oneclaw.operations.access import PASSWORD_CHARS, AccessBook, access_file
from oneclaw.operations.models import answer_with

if TYPE_CHECKING:
    from oneclaw.app import App
    from oneclaw.web.server import Server


def run(arguments: argparse.Namespace) -> int | Coroutine[Any, Any, int]:
    """Not in a loop where a password is asked for: Ctrl-C must reach the prompt."""
    return set_password(arguments) if arguments.set_password else serve(arguments)


def set_password(arguments: argparse.Namespace) -> int:
    book = AccessBook(access_file(read_config(arguments).home))
    if sys.stdin.isatty():
        from getpass import getpass

        said = getpass("Password for the page (not shown): ")
        if getpass("The same again: ") != said:
            raise InvalidConfig("These were two different passwords; nothing was kept.")
    else:
        said = sys.stdin.readline(PASSWORD_CHARS[1] + 2).rstrip("\r\n")
    book.set_password(said)
    print("The password is kept as a hash. Every browser has to log in again.")
    return 0


async def serve(arguments: argparse.Namespace, *, is_port_free: bool = False, hint: str = "") -> int:
    """Serve the page until Ctrl-C.

    is_port_free  take another port where the one of the arguments is taken
    hint          a line that is printed besides
    """
    try:
        from oneclaw.web.server import Server
        from oneclaw.web.server_address import ServerAddress
    except ModuleNotFoundError as error:
        raise InvalidConfig(f"The page needs {error.name}: pip install 'oneclaw[web]'.") from None
    async with open_app(arguments) as app:
        await _choose_model(app)
        names, files = tuple(arguments.name), (arguments.tls_cert, arguments.tls_key)
        at = ServerAddress(arguments.host, arguments.port, names, *files)
        try:
            server = Server(app, at)
        except InvalidConfig:
            if not is_port_free:
                raise
            server = Server(app, replace(at, port=0))
        with _stopped_by_signals(server):
            _tell(server, is_opened=not arguments.no_open)
            if hint:
                print_line(hint)
            print_line("Ctrl-C ends it.", "dim")
            sys.stdout.flush()
            await server.serve()
        going = len(app.runs.all())
    if going:
        print_line(f"{going} runs were stopped; `oneclaw runs` lists them, and the page resumes them.")
    return 0


def _tell(server: "Server", is_opened: bool) -> None:
    link = server.link()
    if is_opened and sys.stdout.isatty() and _open(link):
        print(f"The page is open in your browser: {server.address}")
    else:
        print(f"Open the page: {link}")
        print("The link works once, within ten minutes.")


@contextmanager
def _stopped_by_signals(server: "Server") -> Generator[None]:
    loop, ends = asyncio.get_running_loop(), (signal.SIGINT, signal.SIGTERM)
    for each in ends:
        loop.add_signal_handler(each, server.stop)
    try:
        yield
    finally:
        for each in ends:
            loop.remove_signal_handler(each)


async def _choose_model(app: "App") -> None:
    """Have the tiny model answer where none is set; the page says so where it cannot run."""
    if app.catalog.default or not embedded.is_installed():
        return
    from oneclaw.cli.embedded import fetch_model

    with suppress(OneClawError):
        await fetch_model(embedded.NAME)
        answer_with(app, embedded.NAME)


def _open(link: str) -> bool:
    import os
    import webbrowser

    has_screen = sys.platform == "darwin" or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
    return has_screen and webbrowser.open(link)
