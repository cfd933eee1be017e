"""Prints what OneClaw costs: start, first request, dispatch and loop beside peers, registering, the model."""

import argparse
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import dispatch
import first_request
import local_model
import loop
import peers
import register
import startup

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"


def machine() -> str:
    """The machine and the day, for whoever compares."""
    names = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    model = next((line.split(":", 1)[1].strip() for line in names if line.startswith("model name")), "")
    system = f"{platform.system()} {platform.release()}"
    day = datetime.now(UTC).date().isoformat()
    cores = f"{os.cpu_count()} cores"
    return ", ".join(filter(None, [model, cores, system, f"Python {platform.python_version()}", day]))


def find_peers(wanted: bool) -> Path | None:
    if not wanted:
        return None
    try:
        return peers.install()
    except (OSError, subprocess.SubprocessError) as error:
        print(f"The peers could not be installed and are left out: {peers.reason(error)}", file=sys.stderr)
        return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="how often each thing is measured (15)")
    parser.add_argument("--no-peers", action="store_true", help="measure OneClaw alone")
    parser.add_argument("--save", action="store_true", help="write docs/benchmarks.md as well")
    options = parser.parse_args()
    installed = find_peers(not options.no_peers)
    pages: list[str] = [f"{machine()}\n"]
    print(pages[0])
    for measure in (
        lambda: startup.measure(options.rounds),
        lambda: first_request.measure(installed, options.rounds),
        lambda: dispatch.measure(installed, options.rounds),
        lambda: loop.measure(installed, options.rounds),
        lambda: register.measure(options.rounds),
        lambda: local_model.measure(options.rounds),
    ):
        pages.append(measure())
        print(pages[-1], flush=True)
    if options.save:
        PAGE.write_text("# Benchmarks\n\nWritten by `make bench ARGS=--save`.\n\n" + "\n".join(pages))
        print("docs/benchmarks.md written.")


if __name__ == "__main__":
    main()
