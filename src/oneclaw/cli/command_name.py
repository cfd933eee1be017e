"""The name under which this program is started again, for hints."""

import os
import shutil
import sys
from pathlib import Path


def command_name() -> str:
    """The name to type for this program; `make` leaves it in an environment that the shell does not know."""
    started = Path(sys.argv[0])
    if shutil.which("oneclaw") or started.name != "oneclaw":
        return "oneclaw"
    return os.path.relpath(started)
