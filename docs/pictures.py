"""Draw the main screens of the terminal: docs/images/*.svg, and docs/demo.svg for the README.

`make pictures` plays each screen on a pseudo terminal, in a temporary home, with the tiny model or a script.
`--only NAME` draws one of them.
"""

import argparse
import io
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from rich.console import Console
from rich.text import Text
from tests.cli.vt import Terminal

HERE = Path(__file__).parent
COLUMNS = 100
MOST_BYTES = 30_000
MOST_LINES = 36
HOME = "/home/ada"  # shown instead of the temporary home: as long as that, so that tables line up
PROGRAM = (str(Path(sys.executable).parent / "oneclaw"),)
SHOP = 'PRICES = {"tea": 2.5, "cake": 4.0}\n\n\ndef price(item):\n    return PRICES[item]\n'
SAFE_PRICE = "def price(item: str) -> float:\n    return PRICES.get(item, 0.0)"

EDIT = [
    [{"call": "read_file", "arguments": {"path": "shop.py"}}],
    [
        {
            "call": "edit_file",
            "arguments": {
                "path": "shop.py",
                "old": "def price(item):\n    return PRICES[item]",
                "new": SAFE_PRICE,
            },
        }
    ],
    "An item without a price now costs `0.0`, and the function has **types**.",
]
COMMIT = [
    [{"call": "execute_shell_command", "arguments": {"command": "git commit -am 'Safer prices'"}}],
    "Done.",
]


class Home:
    """A person's home: a project under git, settings, and scripts for the model."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.project = folder / "shop"
        self.project.mkdir()
        (self.project / "shop.py").write_text(SHOP)
        for name, replies in (("edit", EDIT), ("commit", COMMIT)):
            (folder / f"{name}.json").write_text(json.dumps(replies))
        git = ["git", "-C", str(self.project), "-c", "user.name=Ada", "-c", "user.email=ada@localhost"]
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "Begin"]):
            subprocess.run([*git, *words], check=True, env=self.environment)
        settings = folder / ".config" / "oneclaw" / "oneclaw.toml"
        settings.parent.mkdir(parents=True)
        servers = ("ollama", "lmstudio", "llamacpp", "vllm")  # none answers, whatever runs on this machine
        settings.write_text(
            "[features]\nshell = true\n"
            + "".join(f'[providers.{name}]\nbase_url = "http://127.0.0.1:1/v1"\n' for name in servers)
        )
        settings.chmod(0o600)

    @property
    def environment(self) -> dict[str, str]:
        return {"HOME": str(self.folder), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TZ": "UTC"}

    @contextmanager
    def play(self, *words: str) -> Iterator[Terminal]:
        with Terminal(
            *words, environment=self.environment, columns=COLUMNS, program=PROGRAM, folder=self.project
        ) as terminal:
            yield terminal


def plain(*words: str) -> Callable[[Home], Terminal]:
    """A command that asks nothing."""

    def screen(home: Home) -> Terminal:
        with home.play(*words) as terminal:
            terminal.end()
        return terminal

    return screen


calls = plain("run", "--model", "scripted/../edit.json", "Make price safe")


def undo(home: Home) -> Terminal:
    (home.project / "shop.py").write_text(SHOP)
    calls(home)
    return plain("undo")(home)


def chat(home: Home) -> Terminal:
    with home.play("chat", "--model", "local/smollm2") as terminal:
        for message in ("What time is it in Tokyo?", "What is 15 % of 249.90?"):
            terminal.wait("> ", 60)
            terminal.type(f"{message}\n")
            terminal.wait("tokens", 60)
        terminal.wait("> ", 60)
    return terminal


def question(home: Home, *, helped: bool = False) -> Terminal:
    with home.play("chat", "--model", "scripted/../commit.json") as terminal:
        terminal.wait("> ")
        terminal.type("Commit what changed\n")
        terminal.wait("more")
        terminal.wait("> ")
        if helped:
            terminal.type("?\n")
            terminal.wait("\n> ")
    start = next(at for at, line in enumerate(terminal.screen.lines) if line.startswith("> "))
    del terminal.screen.rows[:start]  # the header names the script
    return terminal


def setup(home: Home) -> Terminal:
    with home.play("setup") as terminal:
        terminal.wait("] ", 60)
    return terminal


SCREENS: dict[str, tuple[str, Callable[[Home], Terminal]]] = {
    "chat": ("oneclaw chat", chat),
    "calls": ('oneclaw run "Make price safe"', calls),
    "question": ("oneclaw chat", question),
    "question-help": ("oneclaw chat", lambda home: question(home, helped=True)),
    "undo": ("oneclaw undo", undo),
    "tools": ("oneclaw tools", plain("tools")),
    "models": ("oneclaw models", plain("models")),
    "why": (
        'oneclaw why execute_shell_command command="git push"',
        plain("why", "execute_shell_command", "command=git push"),
    ),
    "doctor": ("oneclaw doctor", plain("doctor")),
    "setup": ("oneclaw setup", setup),
    "failure": (
        'oneclaw run --model anthropic/claude-sonnet-5 "Hello"',
        plain("run", "--model", "anthropic/claude-sonnet-5", "Hello"),
    ),
}


def draw(target: Path, command: str, screen: str, most_lines: int = MOST_LINES) -> None:
    """An SVG of a command and its screen. It fetches no font: the viewer's own are used."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text(f"$ {command}", "bold"))
    lines = screen.rstrip().split("\n")
    console.print(Text.from_ansi("\n".join(lines[:most_lines])))
    if len(lines) > most_lines:
        console.print(Text(f"… {len(lines) - most_lines} more lines", "dim"))
    svg = console.export_svg(title=command, unique_id="oneclaw")
    svg = re.sub(r"@font-face \{.*?\}\n", "", svg, flags=re.DOTALL).replace("Fira Code", "monospace")
    svg = svg.replace("&#160;", "\u00a0")
    if len(svg.encode()) > MOST_BYTES:
        raise SystemExit(f"{target.name} has {len(svg.encode()):,} bytes; at most {MOST_BYTES:,} are wanted.")
    target.parent.mkdir(exist_ok=True)
    target.write_text(svg, encoding="utf-8")
    print(f"Wrote docs/{target.relative_to(HERE)}", flush=True)


def styled(terminal: Terminal, home: Path) -> str:
    """The screen in its colours, with `HOME` for the temporary home."""
    for row in terminal.screen.rows:
        text = "".join(char for char, _ in row)
        for found in re.finditer(re.escape(str(home)), text):
            for at, char in enumerate(HOME, found.start()):
                row[at] = (char, row[at][1])
    return "\n".join(map(colour, terminal.screen.rows))


def colour(row: list[tuple[str, str]]) -> str:
    """One row: each style once for all the characters that have it."""
    runs = groupby(row, key=itemgetter(1))
    return "".join(f"\x1b[0m{style}{''.join(char for char, _ in cells)}" for style, cells in runs) + "\x1b[0m"


def draw_demo() -> None:
    """The conversation of `make run` where nobody types."""
    silent = ("sh", "-c", 'exec "$0" demo </dev/null', *PROGRAM)
    with Terminal(
        environment=dict(os.environ), columns=COLUMNS, program=silent, folder=HERE.parent
    ) as terminal:
        terminal.end()
    start = next(at for at, line in enumerate(terminal.screen.lines) if "What time is it" in line)
    draw(HERE / "demo.svg", "make run", "\n".join(map(colour, terminal.screen.rows[start:])), most_lines=50)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=[*SCREENS, "demo"], help="draw this one alone")
    only = parser.parse_args().only
    folder = Path("/tmp") / secrets.token_hex(2)  # noqa: S108 (mkdir refuses one that is there)
    folder.mkdir(mode=0o700)
    try:
        home = Home(folder)
        for name, (command, screen) in SCREENS.items():
            if only in (None, name):
                draw(HERE / "images" / f"{name}.svg", command, styled(screen(home), folder))
        if only in (None, "demo"):
            draw_demo()
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
