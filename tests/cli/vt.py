"""A terminal for tests: a program on a pty, and the screen that a person would see."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any

SEQUENCE = re.compile(r"\x1b\[([?>]?)([\d;]*)([A-Za-z~])|\x1b\]|\x1b.|.", re.DOTALL)
ONECLAW = (sys.executable, "-m", "oneclaw.cli.main")
WAIT_SECONDS = 20


class Screen:
    """Rows of cells, moved by the sequences that line editors and rich use; any other is an error."""

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.rows: list[list[tuple[str, str]]] = [[]]
        self.row = self.column = 0
        self.style = ""
        self._rest = ""

    @property
    def lines(self) -> list[str]:
        return ["".join(char for char, _ in row).rstrip() for row in self.rows]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def styled(self) -> str:
        """The screen with its colours, as a program would write it."""
        return (
            "\n".join("".join(f"\x1b[0m{style}{char}" for char, style in row) for row in self.rows)
            + "\x1b[0m"
        )

    def feed(self, text: str) -> None:
        text = self._rest + text
        cut = re.search(r"\x1b(?:\[[?>]?[\d;]*)?\Z", text)
        self._rest = cut[0] if cut else ""
        for found in SEQUENCE.finditer(text.removesuffix(self._rest) if cut else text):
            self._take(found)

    def _take(self, found: re.Match[str]) -> None:
        char, final = found[0], found[3]
        if final:
            self._move(found[1], found[2], final)
        elif char == "\r":
            self.column = 0
        elif char == "\n":
            self.row += 1
        elif char == "\b":
            self.column = max(self.column - 1, 0)
        elif char == "\x07":
            pass
        elif char < " ":
            raise AssertionError(f"the program wrote {char!r} in {found.string[:2000]!r}")
        else:
            self._put(char)
        while self.row >= len(self.rows):
            self.rows.append([])

    def _put(self, char: str) -> None:
        if self.column >= self.columns:
            self.row, self.column = self.row + 1, 0
        while self.row >= len(self.rows):
            self.rows.append([])
        row = self.rows[self.row]
        row += [(" ", "")] * (self.column + 1 - len(row))
        row[self.column] = (char, self.style)
        self.column += 1

    def _move(self, private: str, numbers: str, final: str) -> None:
        count = int(numbers.split(";")[0] or 0) if numbers else 0
        row = self.rows[self.row]
        match final:
            case "m":
                self.style = "" if numbers in ("", "0") else f"{self.style}\x1b[{numbers}m"
            case "A":
                self.row = max(self.row - max(count, 1), 0)
            case "B":
                self.row += max(count, 1)
            case "C":
                self.column += max(count, 1)
            case "D":
                self.column = max(self.column - max(count, 1), 0)
            case "G":
                self.column = max(count, 1) - 1
            case "K" if count == 2:
                row.clear()
            case "K":
                del row[self.column :]
            case "H":
                self.row = self.column = 0
            case "J" if count == 2:
                self.rows = [[] for _ in self.rows]
            case "J":
                del row[self.column :]
                del self.rows[self.row + 1 :]
            case "P":
                del row[self.column : self.column + max(count, 1)]
            case "@":
                row[self.column : self.column] = [(" ", "")] * max(count, 1)
            case "h" | "l" if private:
                pass
            case _:
                raise AssertionError(f"the program wrote ESC[{private}{numbers}{final}")


class Terminal:
    """A command on a pty: `with Terminal("chat") as terminal: terminal.wait("> ")`."""

    def __init__(
        self,
        *words: str,
        environment: Mapping[str, str],
        columns: int = 80,
        program: tuple[str, ...] = ONECLAW,
        folder: Path = Path("/"),
        term: str = "xterm-256color",
        stdout: IO[str] | None = None,
    ) -> None:
        """It starts in `folder`; the root is never a workspace, so none is asked about."""
        self.screen = Screen(columns)
        self.raw = ""
        self._bytes = b""
        self._read = 0
        self._master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (30, columns))
        variables = {
            **environment,
            "TERM": term,
            "COLUMNS": str(columns),
            "LINES": "30",
            "PYTHONUNBUFFERED": "1",
        }

        def own_the_terminal() -> None:
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(
            [*program, *words],
            stdin=slave,
            stdout=stdout or slave,
            stderr=slave,
            env=variables,
            cwd=folder,
            preexec_fn=own_the_terminal,
        )
        os.close(slave)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait(WAIT_SECONDS)
        os.close(self._master)

    def type(self, text: str) -> None:
        """Type a line, or with "\\x03" press Ctrl-C: the terminal makes a real SIGINT of it."""
        os.write(self._master, text.encode())

    def say(self, text: str) -> None:
        """Type a line at the next prompt."""
        self.wait("> ")
        self.type(f"{text}\n")

    def wait(self, wanted: str | Callable[["Terminal"], bool], seconds: float = WAIT_SECONDS) -> str:
        """Until the screen shows it: a text that has come since the last wait, or what a function says."""
        deadline = time.monotonic() + seconds
        while True:
            if callable(wanted):
                if wanted(self):
                    return self.screen.text
            else:
                place = self.raw.find(wanted, self._read)
                if place >= 0:
                    self._read = place + len(wanted)
                    return self.screen.text
            if not self._take(deadline - time.monotonic()):
                raise AssertionError(f"{wanted!r} did not come; the screen:\n{self.screen.text}")

    @property
    def has_echo(self) -> bool:
        """Whether the terminal shows what is typed, as whoever comes after the program expects."""
        return bool(termios.tcgetattr(self._master)[3] & termios.ECHO)

    def wait_for_question(self) -> str:
        """Until a person is asked for permission; all that was written."""
        self.wait("[?] more")
        self.wait("\n> ")
        return self.raw

    def hang_up(self) -> None:
        """The terminal goes away."""
        os.close(self._master)
        self._master = os.open(os.devnull, os.O_RDONLY)

    def leave(self) -> int:
        """Ctrl-D at the next prompt: sooner, it would not reach the line editor."""
        self.wait("> ")
        self.type("\x04")
        return self.end()

    def interrupt(self, wanted: str) -> None:
        """Press Ctrl-C until this comes of it.

        One that is pressed in the instant between two keys is seen by Python's line editor with the next key
        only; two of them that wait are one. That something came is not enough: it may be the last key.
        """
        for _ in range(4):
            self.type("\x03")
            with suppress(AssertionError):
                self.wait(wanted, seconds=5)
                return
        raise AssertionError(f"no Ctrl-C led to {wanted!r}; the screen:\n{self.screen.text}")

    def end(self) -> int:
        """Until the program ends; returns its exit code."""
        deadline = time.monotonic() + WAIT_SECONDS
        while self._take(deadline - time.monotonic()):
            pass
        return self.process.wait(WAIT_SECONDS)

    def _take(self, seconds: float) -> bool:
        if seconds <= 0 or not select.select([self._master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # how Linux says that the other end is closed
            return False
        self._bytes += data
        if is_whole(self._bytes):
            text, self._bytes = self._bytes.decode(), b""
            self.raw += text
            self.screen.feed(text)
        return bool(data)


def is_whole(data: bytes) -> bool:
    """Whether no character at the end is cut in two: its rest comes with the next piece."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.reason != "unexpected end of data"
    return True


def script(folder: Path, *replies: Any) -> str:
    """A model that plays these replies, by the name that `--model` takes."""
    file = folder / f"script{len(list(folder.glob('script*.json')))}.json"
    file.write_text(json.dumps(replies))
    return f"scripted/{file}"


def environment(home: Path, **more: str) -> dict[str, str]:
    """What a process of ours needs, and nothing that would change what it shows or who answers."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name != "NO_COLOR" and not name.startswith(("ONECLAW_", "MAKE")) and not name.endswith("_API_KEY")
    }
    return {**kept, "ONECLAW_HOME": str(home), "XDG_CONFIG_HOME": str(home.parent / "config"), **more}
