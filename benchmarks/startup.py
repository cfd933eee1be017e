"""How long Python, `import oneclaw` and `oneclaw --help` take to start."""

import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from table import draw

ONECLAW = Path(sys.executable).parent / "oneclaw"
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "import oneclaw": [sys.executable, "-c", "import oneclaw"],
    "oneclaw --help": [str(ONECLAW), "--help"],
}


def measure(rounds: int) -> str:
    """Every command once a round, so that a busy minute falls on all of them."""
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(rounds):
        for name, command in COMMANDS.items():
            times[name].append(_start(command))
    floor = min(times["python -c pass"])
    rows = [
        [
            name,
            f"{min(took) * 1e3:.1f}",
            f"{median(took) * 1e3:.1f}",
            f"{max(0.0, min(took) - floor) * 1e3:.1f}",
        ]
        for name, took in times.items()
    ]
    return draw("Start", ["command", "min ms", "median ms", "over bare ms"], rows)


def _start(command: list[str]) -> float:
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, timeout=60, env=environment)
    return time.perf_counter() - start
