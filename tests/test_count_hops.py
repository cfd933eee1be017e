"""tools/count_hops.py counts the files and package switches on the road of a call."""

import re
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / "tools" / "count_hops.py"


def test_the_script_prints_files_and_package_switches_of_both_roads() -> None:
    ended = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr
    counts = {
        road: (int(files), int(switches))
        for road, files, switches in re.findall(r"(.+): (\d+) files, (\d+) package switches\n", ended.stdout)
    }
    assert counts.keys() == {"App.call", "round of a run"}, ended.stdout
    # The engine, the tool and its guard, at the least; a run passes through all that a call does, and more.
    assert (3, 2) < counts["App.call"] < counts["round of a run"]
