"""Checks that llama.cpp (`xllamacpp`), the engine of local models, is installed and loads."""

import importlib.util
import json
import subprocess
import sys

from oneclaw.providers.base import ProviderError

NOT_INSTALLED = (
    "Local models need the extra `local`, which is not installed: `pip install 'oneclaw[local]'`,"
    " or `make run` in a checkout."
)
PACKAGES = {"libgomp.so.1": "libgomp1", "libstdc++.so.6": "libstdc++6"}
"""The libraries of the system that the engine links, and the Debian packages that have them."""
IMPORT_SECONDS = 60
_TRY = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); import xllamacpp"


def is_installed() -> bool:
    """Whether the engine is installed; it may lack a library all the same."""
    return importlib.util.find_spec("xllamacpp") is not None


def check_installed() -> None:
    """Raise `ProviderError` when the engine is not installed."""
    if not is_installed():
        raise ProviderError(NOT_INSTALLED, "request")


def check_loadable() -> None:
    """Raise `ProviderError` when the engine is not installed or cannot be loaded; another process tries."""
    check_installed()
    words = [sys.executable, "-E", "-P", "-c", _TRY, json.dumps(sys.path)]
    tried = subprocess.run(
        words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=IMPORT_SECONDS
    )
    if tried.returncode:
        raise not_loadable(tried.stderr.strip().rpartition("\n")[2].removeprefix("ImportError: "))


def not_loadable(said: str) -> ProviderError:
    """The error for an engine whose import failed; `said` is what the import said."""
    library = said.partition(":")[0]
    if library in PACKAGES:
        text = (
            f"Local models need the library {library}, which is not installed; on Debian and Ubuntu:"
            f" `sudo apt install {PACKAGES[library]}`."
        )
    else:
        text = (
            f"What runs local models cannot be loaded ({said[:200]}). Install it again:"
            " `pip install --force-reinstall 'oneclaw[local]'`."
        )
    return ProviderError(text, "request")
