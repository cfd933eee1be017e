"""The folders of a shell on this side: its states, and its /tmp.

Commands can write in both. So nothing there is opened through a link or without looking what it is: a link
named `command` would have us write, outside of the sandbox, wherever it leads.
"""

import os
import shutil
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from oneclaw.core.errors import ToolError
from oneclaw.run.shell.script import NO_FOLDER, WHOLE

COMMAND = "command"
MOST_STATE_BYTES = 16 << 20
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class ShellFolder:
    """`states` holds what is carried from command to command, `tmp` is the /tmp of the shell."""

    states: Path
    tmp: Path

    def write_command(self, text: str) -> None:
        self._write(COMMAND, text.encode("utf-8", "surrogateescape"))

    def write_state(self, state: int, data: bytes) -> None:
        self._write(str(state), data)

    def read_state(self, state: int) -> bytes:
        """A whole state; empty when there is none."""
        data = self._read(state, MOST_STATE_BYTES)
        return data if data.endswith(WHOLE) and len(data) < MOST_STATE_BYTES else b""

    def how_ended(self, state: int) -> bytes:
        """The last line of a state: WHOLE, NO_FOLDER, or something else when the command ended the shell."""
        end = self._read(state, max(len(WHOLE), len(NO_FOLDER)), is_end=True)
        return next((mark for mark in (WHOLE, NO_FOLDER) if end.endswith(mark)), b"")

    def _write(self, name: str, data: bytes) -> None:
        """A new file in place of whatever has the name. Raises `ToolError`."""
        path = self.states / name
        try:
            path.unlink(missing_ok=True)
            with open(os.open(path, _WRITE, 0o600), "wb") as file:
                file.write(data)
        except OSError as error:
            raise ToolError(
                f"The shell cannot be given a command, for one before has changed the shell's own folder"
                f" ({error.strerror}); run it with fresh.",
                effects="none",
            ) from None

    def _read(self, state: int, most_bytes: int, *, is_end: bool = False) -> bytes:
        try:
            with open(os.open(self.states / str(state), _READ), "rb") as file:
                status = os.fstat(file.fileno())
                if not stat.S_ISREG(status.st_mode):
                    return b""
                if is_end:
                    file.seek(-min(most_bytes, status.st_size), os.SEEK_END)
                return file.read(most_bytes)
        except OSError:
            return b""

    def forget(self, state: int) -> None:
        with suppress(OSError):
            (self.states / str(state)).unlink(missing_ok=True)

    def remove_states(self) -> None:
        shutil.rmtree(self.states, ignore_errors=True)

    def remove(self) -> None:
        self.remove_states()
        shutil.rmtree(self.tmp, ignore_errors=True)


def make_folder(parent: Path | None = None, tmp: Path | None = None) -> ShellFolder:
    """New folders in `parent`; `tmp` is given where a shell shares the one of another."""
    states = Path(tempfile.mkdtemp(prefix="oneclaw-states-", dir=parent))
    return ShellFolder(states, tmp or Path(tempfile.mkdtemp(prefix="oneclaw-tmp-", dir=parent)))
