"""What commands share: the settings of the command line, and the app opened with them."""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from oneclaw.core.errors import Kind

if TYPE_CHECKING:
    from oneclaw.app import App
    from oneclaw.config import Config

EXIT_CODES: dict[Kind | None, int] = {
    None: 0,
    Kind.EXECUTION_ERROR: 1,
    Kind.NETWORK_ERROR: 1,
    Kind.FILE_NOT_FOUND: 1,
    Kind.FILE_TOO_LARGE: 1,
    Kind.INTERRUPTED: 1,
    Kind.TOOL_NOT_FOUND: 3,
    Kind.TOOL_NOT_AVAILABLE: 3,
    Kind.VALIDATION_ERROR: 4,
    Kind.PERMISSION_DENIED: 5,
    Kind.PATH_NOT_ALLOWED: 5,
    Kind.TIMEOUT: 6,
    Kind.CANCELLED: 130,
}
"""0 done, 1 failed, 2 wrong use, 3 no such tool, 4 wrong arguments, 5 not allowed, 6 out of time."""


def read_config(arguments: argparse.Namespace) -> "Config":
    """The settings, with what was said on the command line on top."""
    from oneclaw.config import load_config

    environment = dict(os.environ)
    for name in ("home", "workspace", "mode"):
        said = getattr(arguments, name, None)
        if said:
            environment[f"ONECLAW_{name.upper()}"] = said
    return load_config(Path(arguments.config) if arguments.config else None, environment)


def open_app(arguments: argparse.Namespace) -> "App":
    from oneclaw.app import App

    return App(read_config(arguments))
