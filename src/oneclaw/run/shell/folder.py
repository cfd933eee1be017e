"""Host-side folders of a shell: saved states and /tmp.

The files of the first are made once and written again and again: a sandbox shows the folder to read, and
only the files of the states to write. Without a sandbox commands can put anything in their place, so none is
opened through a link or without looking what it is: a link would have us write wherever it leads.
"""

import os
import shutil
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from oneclaw.core.errors import ToolError
from oneclaw.guard.sandbox.sandbox_spec import STATES
from oneclaw.run.shell.script import NO_FOLDER, WHOLE
from oneclaw.run.shell.state import tidied

COMMAND, SCRIPT = "command", "script"
PLAIN = 3
"""The state that is made for commands that a rule allowed; only we write it."""
MOST_STATE_BYTES = 16 << 20
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class ShellFolder:
    """`states` holds what is carried from command to command, `tmp` is the /tmp of the shell.

    A state is a file named by its number, the one before a command and the one after it in turn.
    """

    states: Path
    tmp: Path

    def write_command(self, text: str) -> None:
        self._write(COMMAND, text.encode("utf-8", "surrogateescape"))

    def write_script(self, text: str) -> None:
        """The script of the first bash, in a file because `ps` would show a command line."""
        self._write(SCRIPT, text.encode("utf-8", "surrogateescape"))

    def write_state(self, state: int, data: bytes) -> None:
        self._write(str(state), data)

    def read_state(self, state: int) -> bytes:
        """A whole state, without the variables of bash itself; empty when there is none."""
        data = self._read(state, MOST_STATE_BYTES)
        return tidied(data) if data.endswith(WHOLE) and len(data) < MOST_STATE_BYTES else b""

    def tidy(self, state: int) -> bytes:
        """Have a state be as it is read, before a bash loads it; what it is then."""
        data = self.read_state(state)
        if data:
            self.write_state(state, data)
        return data

    def how_ended(self, state: int) -> bytes:
        """The last line of a state: WHOLE, NO_FOLDER, or something else when the command ended the shell."""
        end = self._read(state, max(len(WHOLE), len(NO_FOLDER)), is_end=True)
        return next((mark for mark in (WHOLE, NO_FOLDER) if end.endswith(mark)), b"")

    def is_too_large(self) -> bool:
        """Whether a command has filled a state: they lie in memory where that is faster."""
        return any(self._is_large(state) for state in STATES)

    def empty_large(self) -> list[int]:
        """Empty the states that are too large: which those are."""
        large = [state for state in STATES if self._is_large(state)]
        for state in large:
            self.forget(state)
        return large

    def _is_large(self, state: int) -> bool:
        try:
            return os.lstat(f"{self.states}/{state}").st_size > MOST_STATE_BYTES
        except OSError:
            return False

    def _write(self, name: str, data: bytes) -> None:
        """Raises `ToolError`."""
        try:
            file = os.open(f"{self.states}/{name}", _WRITE)
            try:
                if not stat.S_ISREG(os.fstat(file).st_mode):
                    raise OSError(0, "something else is in its place")
                _overwrite(file, data)
            finally:
                os.close(file)
        except OSError as error:
            raise ToolError(
                f"The shell cannot be given a command ({error.strerror}): one before may have changed the"
                " shell's own folder, or the disk is full; run it with fresh.",
                effects="none",
            ) from None

    def _read(self, state: int, most_bytes: int, *, is_end: bool = False) -> bytes:
        try:
            file = os.open(f"{self.states}/{state}", _READ)
            try:
                status = os.fstat(file)
                if not stat.S_ISREG(status.st_mode):
                    return b""
                return os.pread(file, most_bytes, max(0, status.st_size - most_bytes) if is_end else 0)
            finally:
                os.close(file)
        except OSError:
            return b""

    def forget(self, state: int) -> None:
        """Empty it: what it holds is of a command long ago."""
        with suppress(ToolError):
            self._write(str(state), b"")

    def remove_states(self) -> None:
        shutil.rmtree(self.states, ignore_errors=True)

    def remove(self) -> None:
        self.remove_states()
        shutil.rmtree(self.tmp, ignore_errors=True)


def make_folder(
    parent: Path | None = None, tmp: Path | None = None, quick: Path | None = None
) -> ShellFolder:
    """New folders in `parent`, or the states in `quick`; `tmp` is given where a shell shares another's."""
    states = Path(tempfile.mkdtemp(prefix="oneclaw-states-", dir=quick or parent))
    for name in (COMMAND, SCRIPT, PLAIN, *STATES):
        (states / str(name)).touch(0o600)
    return ShellFolder(states, tmp or Path(tempfile.mkdtemp(prefix="oneclaw-tmp-", dir=parent)))


def after(state: int) -> int:
    """The number of the state that a command leaves which starts from this one, or from one made of it."""
    first, second = STATES
    return second if state == first else first


def _overwrite(file: int, data: bytes) -> None:
    """Write a file anew, in its place: one that becomes shorter has room, however full the disk is."""
    written = 0
    try:
        while written < len(data):
            written += os.write(file, data[written:])
        os.ftruncate(file, written)
    except OSError:
        os.ftruncate(file, 0)  # the beginning of one and the end of another are none
        raise
