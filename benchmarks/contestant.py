"""A contestant: one library in its own process, which says who it is and answers each line with figures."""

import json
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Contestant:
    """A running process, and what it said of itself."""

    process: subprocess.Popen[str]
    said: dict[str, Any]

    def ask(self, *words: object) -> list[float]:
        """The figures it answers to one line."""
        stdin, stdout = self.process.stdin, self.process.stdout
        if stdin is None or stdout is None:
            raise OSError(f"{self.said['name']} cannot be spoken to")
        stdin.write(" ".join(map(str, words)) + "\n")
        stdin.flush()
        line = stdout.readline()
        if not line:
            raise OSError(f"{self.said['name']} stopped in the middle of the race")
        return [float(figure) for figure in line.split()]

    def close(self) -> None:
        if self.process.stdin is not None:
            self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@contextmanager
def line_up(
    folder: Path, ours: Sequence[list[str]], theirs: Sequence[list[str]], peers: Path | None
) -> Generator[list[Contestant]]:
    """The scripts of a folder, ours in this Python and theirs in that of the peers; closed at the end."""
    commands = [(sys.executable, command) for command in ours]
    if peers is not None:
        commands += [(str(peers), command) for command in theirs]
    with ExitStack() as stack:
        contestants: list[Contestant] = []
        for python, (script, *words) in commands:
            contestant = start([python, str(folder / script), *words])
            if contestant is None:
                print(f"({' '.join([script, *words])} did not start and is left out.)", file=sys.stderr)
                continue
            stack.callback(contestant.close)
            contestants.append(contestant)
        yield contestants


def start(command: list[str]) -> Contestant | None:
    """A contestant that has said who it is, or None when it could not start."""
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    hello = process.stdout.readline() if process.stdout else ""
    if not hello:
        process.kill()
        process.wait()
        return None
    return Contestant(process, json.loads(hello))
