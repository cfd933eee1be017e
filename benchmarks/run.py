"""Prints what OneClaw costs: start, first request, dispatch and loop, many runs, JavaScript, shell, MCP."""

import argparse
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import dispatch
import first_request
import javascript
import local_model
import loop
import many_runs
import mcp_server
import page
import peers
import register
import shell
import startup

NAMES = (
    "startup",
    "first_request",
    "dispatch",
    "loop",
    "many_runs",
    "register",
    "javascript",
    "shell",
    "local_model",
    "page",
    "mcp_server",
)
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


def replace_sections(page: str, pages: list[str]) -> str:
    """The page with these sections in the place of those of the same headings; new ones at the end."""
    sections = [f"## {text}" for text in page.split("\n## ")[1:]]
    first = page.split("\n## ")[0]
    for each in pages:
        made = [f"## {text}".rstrip("\n") for text in f"\n{each}".split("\n## ")[1:]]
        for section in made:
            heading = section.splitlines()[0]
            at = next((at for at, old in enumerate(sections) if old.splitlines()[0] == heading), None)
            if at is None:
                sections.append(section)
            else:
                sections[at] = section
    return "\n".join(f"{part.rstrip()}\n" for part in [first, *sections])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="how often each thing is measured (15)")
    parser.add_argument("--no-peers", action="store_true", help="measure OneClaw alone")
    parser.add_argument(
        "--only", choices=NAMES, help="measure this alone; --save leaves the others as they are"
    )
    parser.add_argument("--save", action="store_true", help="write docs/benchmarks.md as well")
    options = parser.parse_args()
    needs_peers = options.only is None or options.only in ("first_request", "dispatch", "loop")
    installed = find_peers(needs_peers and not options.no_peers)
    measures = {
        "startup": lambda: startup.measure(options.rounds),
        "first_request": lambda: first_request.measure(installed, options.rounds),
        "dispatch": lambda: dispatch.measure(installed, options.rounds),
        "loop": lambda: loop.measure(installed, options.rounds),
        "many_runs": lambda: many_runs.measure(options.rounds),
        "register": lambda: register.measure(options.rounds),
        "javascript": lambda: javascript.measure(options.rounds),
        "shell": lambda: shell.measure(options.rounds),
        "local_model": lambda: local_model.measure(options.rounds),
        "page": lambda: page.measure(options.rounds),
        "mcp_server": lambda: mcp_server.measure(options.rounds),
    }
    about = machine()
    print(f"{about}\n")
    pages: list[str] = []
    for name in NAMES if options.only is None else (options.only,):
        pages.append(measures[name]())
        print(pages[-1], flush=True)
    if options.save and options.only is not None:  # the machine above is that of the other sections
        pages = [f"{page.rstrip()}\n\nMeasured apart: {about}\n" for page in pages]
    if options.save:
        new = f"# Benchmarks\n\nWritten by `make bench ARGS=--save`.\n\n{about}\n"
        PAGE.write_text(replace_sections(new if options.only is None else PAGE.read_text(), pages))
        print("docs/benchmarks.md written.")


if __name__ == "__main__":
    main()
