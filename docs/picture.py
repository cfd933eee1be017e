"""Draw docs/demo.svg: the conversation of `make run` where nobody types."""

import io
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

WIDTH = 100


def record(words: list[str]) -> str:
    """What the command writes to a terminal, colours and all."""
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(WIDTH)}
    command = [sys.executable, "-m", "oneclaw.cli.main", *words]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, env=environment)
    os.close(slave)
    seen = b""
    while True:
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        if not data:
            break
        seen += data
    process.wait()
    os.close(master)
    return seen.decode(errors="replace").replace("\r\n", "\n")


def main() -> None:
    lines = record(["demo"]).split("\n")
    start = next(number for number, line in enumerate(lines) if "What time is it" in line)
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    console.print("[bold]$ make run[/bold]", "…", sep="\n")
    console.print(Text.from_ansi("\n".join(lines[start:])))
    target = Path(__file__).parent / "demo.svg"
    # The fonts of the machine that shows it: a picture of ours fetches nothing.
    svg = re.sub(r"@font-face \{.*?\}\n", "", console.export_svg(title="oneclaw demo"), flags=re.DOTALL)
    target.write_text(svg.replace("Fira Code", "monospace"), encoding="utf-8")
    print(f"Wrote {target.name}")


if __name__ == "__main__":
    main()
