"""Runs the tests of a file again as a user without special rights, where the tests run as root."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

NOBODY = 65534


_REACH = """
set -e
hidden=$1 prefix=$2 aside=$3; shift 3
if [ -n "$hidden" ]; then
    mount --bind "$prefix" "$aside"
    mount -t tmpfs -o mode=755 none "$hidden"
    mkdir -p "$prefix"
    mount --move "$aside" "$prefix"
fi
exec setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all "$@"
"""
"""Shows Python where the home of root hides it, in a mount namespace of its own, and gives up every power."""


def run_as_ordinary(file: str, seconds: float = 110.0) -> None:
    """Run the tests of `file` as an ordinary user, but for the one that calls this."""
    if os.geteuid() != 0:
        pytest.skip("the other tests of this file ran as an ordinary user already")
    prefix = Path(sys.base_prefix).resolve()
    closed = [folder for folder in prefix.parents if not folder.stat().st_mode & 0o001]
    with tempfile.TemporaryDirectory() as home:
        os.chmod(home, 0o755)
        (Path(home) / "aside").mkdir()
        (Path(home) / "own").mkdir()
        os.chown(f"{home}/own", NOBODY, NOBODY)
        start = ["unshare", "--mount", "sh", "-c", _REACH, "sh"]
        start += [str(closed[-1]) if closed else "", str(prefix), f"{home}/aside", sys.executable]
        tried = subprocess.run([*start, "-c", "import oneclaw, pytest"], capture_output=True, text=True)
        if tried.returncode:
            pytest.skip(f"an ordinary user cannot start this Python: {tried.stderr[-300:]}")
        line = ["-m", "pytest", file, "-k", "not ordinary", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
        done = subprocess.run(
            [*start, *line, f"--basetemp={home}/own/tests"],
            env={
                "PATH": os.environ["PATH"],
                "HOME": f"{home}/own",
                "TMPDIR": f"{home}/own",
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            cwd=Path(__file__).parent.parent,
            capture_output=True,
            text=True,
            timeout=seconds,
        )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert " passed" in done.stdout
