"""A throw-away environment with the libraries we are measured beside."""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

PINS = Path(__file__).parent / "peers.txt"
BUILD = Path(__file__).parents[1] / "build"


def find_uv() -> str | None:
    beside = Path(sys.executable).parent / "uv"
    return str(beside) if beside.exists() else shutil.which("uv")


def install() -> Path:
    """The Python of the environment, made once for each set of pins. Raises when it cannot be made."""
    folder = BUILD / f"peers-{hashlib.sha256(PINS.read_bytes()).hexdigest()[:12]}"
    python = folder / "bin" / "python"
    if (folder / ".done").exists():
        return python
    uv = find_uv()
    if uv is None:
        raise OSError("uv is not here; `make setup` installs it")
    shutil.rmtree(folder, ignore_errors=True)
    run = [uv, "--quiet", "pip", "install", "--python", str(python), "--require-hashes", "-r", str(PINS)]
    for command in ([uv, "--quiet", "venv", "--python", sys.executable, str(folder)], run):
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=900)
    (folder / ".done").touch()
    return python


def reason(error: Exception) -> str:
    """Why there are no peers today, in one line."""
    text = error.stderr if isinstance(error, subprocess.CalledProcessError) else str(error)
    lines = [line.strip() for line in (text or "").splitlines() if line.strip()]
    return lines[0][:160] if lines else type(error).__name__
