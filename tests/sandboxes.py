"""Which sandboxes this machine has: tests that need another one skip, and say why."""

import shutil
import subprocess
from functools import cache

import pytest

from oneclaw.guard.sandbox import landlock


@cache
def lack(way: str) -> str:
    """Why a way to shut commands in cannot be had here; empty when it can. Our own code is not asked."""
    if way == "landlock":
        return "" if landlock.version() else "this kernel has no Landlock"
    if way != "bubblewrap":
        return ""
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed: apt install bubblewrap"
    plainest = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "true"]
    tried = subprocess.run(plainest, capture_output=True, text=True, timeout=60)
    return f"bubblewrap does not work here: {tried.stderr}" if tried.returncode else ""


def skip_without(way: str) -> None:
    if lack(way):
        pytest.skip(lack(way))


needs_bubblewrap = pytest.mark.skipif(lack("bubblewrap") != "", reason=lack("bubblewrap") or "it works")
