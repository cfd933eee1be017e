"""Programs run as an ordinary user: the one who runs the tests, or one that root makes for the purpose."""

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

USER = 61_234
"""Nobody's number: the user has no name, no home and no rights."""
_NEEDED = [sys.base_prefix, sys.prefix, str(Path(__file__).parents[1])]

_ENTER = """
set -e
stage=$1 user=$2; shift 2
mount --make-rprivate /
count=0
for path in {needed}; do
  count=$((count + 1)); mkdir -p "$stage/$count"; mount --bind "$path" "$stage/$count"
done
for path in {closed}; do mount -t tmpfs -o mode=755,size=1m none "$path"; done
count=0
for path in {needed}; do
  count=$((count + 1)); mkdir -p "$path"; mount --bind "$stage/$count" "$path"
done
exec env HOME=/nonexistent setpriv --reuid "$user" --regid "$user" --clear-groups --bounding-set -all "$@"
"""
"""In a mount namespace of its own: folders that only root may enter are covered, what is needed is shown."""


def command_of_user(stage: str) -> list[str]:
    """What stands before a command line that an ordinary user is to run; `stage` is an empty folder."""
    if os.geteuid() != 0:
        return []
    if shutil.which("unshare") is None or shutil.which("setpriv") is None:
        pytest.skip("to run as another user takes unshare and setpriv")
    if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
        pytest.skip("to run as another user takes mounts of its own, which a chroot does not allow")
    closed = {top for path in _NEEDED if (top := _closed(Path(path)))}
    script = _ENTER.format(needed=" ".join(map(_quoted, _NEEDED)), closed=" ".join(map(_quoted, closed)))
    return ["unshare", "-m", "sh", "-c", script, "sh", stage, str(USER)]


def give_up_powers() -> None:
    """Take root's powers from this thread, so that modes of files hold: others may not reach our code."""
    if os.geteuid() == 0:
        version, no_powers = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
        assert ctypes.CDLL(None).capset(version, no_powers) == 0


@contextmanager
def ordinary_user() -> Generator[tuple[list[str], Path]]:
    """What stands before the command line, and a folder that is the user's own."""
    with tempfile.TemporaryDirectory() as stage, tempfile.TemporaryDirectory() as folder:
        if os.geteuid() == 0:
            os.chown(folder, USER, USER)
        yield command_of_user(stage), Path(folder)


def run_as_user(program: str, *arguments: str, seconds: float = 60.0) -> subprocess.CompletedProcess[str]:
    """Run Python code as an ordinary user, in a folder of its own."""
    with ordinary_user() as (before, folder):
        return subprocess.run(
            [*before, sys.executable, "-c", program, *arguments],
            cwd=folder,
            env={"PATH": os.environ.get("PATH", os.defpath), "HOME": str(folder)},
            capture_output=True,
            text=True,
            timeout=seconds,
        )


def _closed(path: Path) -> str | None:
    """The highest folder above a path that others may not enter."""
    found = [parent for parent in (path, *path.parents) if not parent.stat().st_mode & 0o001]
    return str(found[-1]) if found else None


def _quoted(path: str) -> str:
    import shlex

    return shlex.quote(path)
