"""What a command costs in the shell of a conversation, and what a sandbox takes to start, beside bash."""

import asyncio
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median

from oneclaw.core.session import Session, Workspace
from oneclaw.core.tool import Context
from oneclaw.guard.sandbox import landlock
from oneclaw.run.shell.session import ShellCommand
from oneclaw.run.shell.shells import Shells, ShellSetup
from table import draw

COMMANDS = 20
PAUSE_SECONDS = 0.02
"""Between two commands a model thinks for much longer; meanwhile the next bash is made ready."""


def measure(rounds: int) -> str:
    if shutil.which("bwrap") is None or shutil.which("bash") is None:
        return "## Shell\n\nLeft out: bubblewrap is not installed.\n"
    times: dict[str, list[float]] = {}
    for _ in range(rounds):
        times.setdefault("bash -c true", []).append(_plain())
        for name, seconds in asyncio.run(_ours()).items():
            times.setdefault(name, []).append(seconds)
    rows = [[name, f"{min(took) * 1e3:.2f}", f"{median(took) * 1e3:.2f}"] for name, took in times.items()]
    note = (
        'Each command is `true`, measured from the call to the result with both output streams. "A command in'
        ' the session" is the median of twenty commands with a pause before each, as when a model thinks; the'
        " time includes saving the state of the shell."
    )
    return draw("Shell", ["command", "min ms", "median ms"], rows, note)


def _plain() -> float:
    begun = time.perf_counter()
    subprocess.run(["bash", "-c", "true"], check=True, capture_output=True, timeout=60)
    return time.perf_counter() - begun


async def _ours() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        times = await _ways(Path(folder), "bubblewrap")
        return times | (await _ways(Path(folder), "landlock") if landlock.version() else {})


async def _ways(folder: Path, way: str) -> dict[str, float]:
    shells = Shells(ShellSetup(folder / "data", sandbox=way))  # pyright: ignore[reportArgumentType]
    (folder / "workspace").mkdir(exist_ok=True)
    context = Context(session=Session("one", workspace=Workspace(folder / "workspace")))
    command = ShellCommand("true", 60.0)
    try:
        begun = time.perf_counter()
        await shells.run_fresh(context, command)  # finds out what works, and copies what programs look up
        very_first = time.perf_counter() - begun
        begun = time.perf_counter()
        await shells.run(context, command)
        first = time.perf_counter() - begun
        spaced = [await _one(shells, context, command) for _ in range(COMMANDS)]
        begun = time.perf_counter()
        for _ in range(COMMANDS):
            await shells.run(context, command)
        dense = (time.perf_counter() - begun) / COMMANDS
    finally:
        await shells.close()
    return {
        f"{way}: the very first of a program": very_first,
        f"{way}: start and first command": first,
        f"{way}: a command in the session": median(spaced),
        f"{way}: one right after the other": dense,
    }


async def _one(shells: Shells, context: Context, command: ShellCommand) -> float:
    await asyncio.sleep(PAUSE_SECONDS)
    begun = time.perf_counter()
    await shells.run(context, command)
    return time.perf_counter() - begun


if __name__ == "__main__":
    print(measure(15))
