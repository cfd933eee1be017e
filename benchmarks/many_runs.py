"""Many runs at once: what each of 50, 200 and 800 takes."""

import subprocess
import sys
from pathlib import Path

from table import draw

CROWDS = (50, 200, 800)
"""Runs at once."""
CROWD = Path(__file__).parent / "crowd.py"
NOTE = (
    "Milliseconds of processor time for each run, the least of the rounds. A run makes three calls in turn,"
    f" and is stored. In each round {max(CROWDS)} runs are made in crowds of each size, and the mean of the"
    " crowds counts."
)


def measure(rounds: int) -> str:
    command = [sys.executable, str(CROWD), str(rounds), *map(str, CROWDS)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    took = [float(line) for line in done.stdout.split()]
    rows = [
        [f"{crowd} at once", f"{each:.3f}", f"{each / took[0]:.2f}"]
        for crowd, each in zip(CROWDS, took, strict=True)
    ]
    return draw("Many runs at once", ["runs", "ms each", f"÷ {CROWDS[0]} at once"], rows, NOTE)
