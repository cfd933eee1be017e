"""Small disks in memory, which only root can mount; tests skip without."""

import os
import subprocess
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
