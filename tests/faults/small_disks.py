"""Small disks in memory; tests skip where none can be mounted."""

import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import pytest


@contextmanager
def mounted(options: str) -> Generator[Path]:
    """A tmpfs with these options, as `size=128k,nr_inodes=64`."""
    folder = Path(mkdtemp())
    folder.chmod(0o755)
    mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        folder.rmdir()
        pytest.skip("mounting a small disk takes root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
        folder.rmdir()


def run_on_small_disk(disk: Path, size: str, program: str, *arguments: str) -> list[str]:
    """The lines of a program that sees a small disk at `disk`, in a mount namespace of its own."""
    if shutil.which("unshare") is None:
        pytest.skip("a small disk needs the program unshare")
    flags = "-m" if os.geteuid() == 0 else "-rm"
    line = f'mount -t tmpfs -o size={size} none "$0" || exit 77; exec "$@"'
    words = [str(disk), sys.executable, "-c", program, str(disk), *arguments]
    done = subprocess.run(
        ["unshare", flags, "sh", "-c", line, *words], capture_output=True, text=True, timeout=60, check=False
    )
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip("this machine does not let us mount a small disk")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()
