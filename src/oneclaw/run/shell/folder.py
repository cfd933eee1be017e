"""The folders of a shell on this side: its states, in memory where there is such a place, and its /tmp."""

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from oneclaw.run.shell.script import NO_FOLDER, WHOLE

MEMORY = Path("/dev/shm")  # noqa: S108
COMMAND = "command"


@dataclass(frozen=True, slots=True)
class ShellFolder:
    """`states` holds what is carried from command to command, `tmp` is the /tmp of the shell."""

    states: Path
    tmp: Path

    def write_command(self, text: str) -> None:
        (self.states / COMMAND).write_bytes(text.encode("utf-8", "surrogateescape"))

    def how_ended(self, state: int) -> bytes:
        """The last line of a state: WHOLE, NO_FOLDER, or something else when the command ended the shell."""
        longest = max(len(WHOLE), len(NO_FOLDER))
        try:
            with (self.states / str(state)).open("rb") as file:
                file.seek(-min(longest, os.fstat(file.fileno()).st_size), os.SEEK_END)
                end = file.read(longest)
        except OSError:
            return b""
        return next((mark for mark in (WHOLE, NO_FOLDER) if end.endswith(mark)), b"")

    def forget(self, state: int) -> None:
        (self.states / str(state)).unlink(missing_ok=True)

    def remove_states(self) -> None:
        shutil.rmtree(self.states, ignore_errors=True)

    def remove(self) -> None:
        self.remove_states()
        shutil.rmtree(self.tmp, ignore_errors=True)


def make_folder(tmp: Path | None = None) -> ShellFolder:
    """New folders; `tmp` is given where a shell shares the one of another."""
    parent = MEMORY if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) else None
    states = Path(tempfile.mkdtemp(prefix="oneclaw-states-", dir=parent))
    return ShellFolder(states, tmp or Path(tempfile.mkdtemp(prefix="oneclaw-tmp-")))
