"""A program that is loaded once and forks a victim for each round; the victims are killed."""

import signal
import subprocess
import sys
from collections.abc import Sequence

KILLED = -signal.SIGKILL
_FORK = r"""

while line := sys.stdin.readline():
    victim = os.fork()
    if victim == 0:
        code = 1
        try:
            code = run(*line.rstrip("\n").split("\t")) or 0
        finally:
            os._exit(code)
    print(victim, flush=True)
    if sys.stdin.readline() == "kill\n":
        os.kill(victim, 9)
    print(os.waitstatus_to_exitcode(os.waitpid(victim, 0)[1]), flush=True)
"""


class Nursery:
    """`program` imports what it needs, also `os` and `sys`, and has `run(*words)`, the life of a victim."""

    def __init__(self, program: str, *arguments: str, pass_fds: Sequence[int] = ()) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", program + _FORK, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=pass_fds,
            text=True,
        )

    def start(self, *words: object) -> None:
        """Fork a victim."""
        self._write("\t".join(map(str, words)))
        self._read()

    def wait(self, *, kills: bool) -> int:
        """Kill the victim, or wait until it ends by itself; its exit code, `KILLED` where it was killed."""
        self._write("kill" if kills else "wait")
        return self._read()

    def end(self) -> None:
        self._process.communicate(timeout=30)

    def _write(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def _read(self) -> int:
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())
