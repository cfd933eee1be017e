"""Opens the app or its settings for a command."""

import argparse
import json
import os
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oneclaw.core.errors import InvalidConfig, Kind

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


MOST_BYTES = 256 << 20
"""The most of a file that is read to be imported."""


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


def read_json(path: Path) -> Any:
    """The JSON in a file, or from the pipe if its name is `-`."""
    try:
        with nullcontext(sys.stdin.buffer) if str(path) == "-" else path.open("rb") as opened:
            content = opened.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise InvalidConfig(
                f"{path} has more than {MOST_BYTES >> 20} MiB, the most that is read; part it."
            )
        return json.loads(content.decode("utf-8-sig"))  # some editors put a mark before it
    except OSError as error:
        raise InvalidConfig(f"{path} cannot be read ({error.strerror}).") from None
    except (ValueError, RecursionError) as error:
        raise InvalidConfig(f"{path} is not JSON ({error}).") from None
