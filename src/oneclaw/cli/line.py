"""Reads a line from the person, with history, or from a pipe."""

import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

MOST_ENTRIES = 1_000
ENTRY_CHARS = 20_000
PASTE_SECONDS = 0.02
PROMPT = "\x01\x1b[1;36m\x02> \x01\x1b[0m\x02"
"""Bold and blue; the marks around the escapes tell the line editor that they take no room."""
PLAIN_PROMPT = "> "
MORE_PROMPT = "… "


class TypedLines:
    """Messages typed at a terminal. A backslash at the end of a line, and a paste, go on in the next one."""

    def __init__(
        self, history: Path, redact: Callable[[str], str], complete: Callable[[str], Sequence[str]]
    ) -> None:
        self._history = history
        self._redact = redact
        self._readline = _load_readline()
        if self._readline is not None:
            self._set_up(complete)

    def read(self) -> str | None:
        """The next message; None at the end of input. Raises KeyboardInterrupt for Ctrl-C."""
        has_editor = self._readline is not None and not os.environ.get("NO_COLOR")
        prompt = PROMPT if has_editor else PLAIN_PROMPT
        lines: list[str] = []
        while True:
            try:
                line = input(prompt)
            except EOFError:
                if not lines:
                    return None
                break
            line, is_open = continued(line)
            lines.append(line)
            if not is_open and not _is_pasting():
                break
            prompt = MORE_PROMPT
        text = "\n".join(lines)
        self._remember(text)
        return text

    def _set_up(self, complete: Callable[[str], Sequence[str]]) -> None:
        editor = self._readline
        assert editor is not None
        editor.set_auto_history(False)  # a message of several lines is one entry
        for entry in read_history(self._history):
            editor.add_history(entry)
        fitting: list[str] = []

        def offer(text: str, number: int) -> str | None:
            nonlocal fitting
            if number == 0:
                fitting = list(complete(editor.get_line_buffer()[: editor.get_endidx()]))
            return fitting[number] if number < len(fitting) else None

        editor.set_completer_delims(" ")
        editor.set_completer(offer)
        is_edit_line = "libedit" in (editor.__doc__ or "")
        editor.parse_and_bind("bind ^I rl_complete" if is_edit_line else "tab: complete")
        if not is_edit_line:
            editor.parse_and_bind("set enable-bracketed-paste on")

    def _remember(self, text: str) -> None:
        if not text.strip():
            return
        if self._readline is not None:
            self._readline.add_history(text)
        add_to_history(self._history, self._redact(text))


def _load_readline():  # type: ignore[no-untyped-def]
    """The line editor of the standard library, where it was built in."""
    try:
        import readline
    except ImportError:
        return None
    return readline


def _is_pasting() -> bool:
    """Whether more came at once with the line: nobody types so fast, so it is the rest of a paste."""
    import select
    import termios
    import tty

    descriptor = sys.stdin.fileno()
    try:
        before = termios.tcgetattr(descriptor)
        # Otherwise a last line without its end would not be seen.
        tty.setcbreak(descriptor, termios.TCSANOW)
        try:
            return bool(select.select([descriptor], [], [], PASTE_SECONDS)[0])
        finally:
            termios.tcsetattr(descriptor, termios.TCSANOW, before)
    except termios.error:
        return False


def read_history(file: Path) -> list[str]:
    """Earlier lines, oldest first; empty when the file cannot be read."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    entries: list[str] = []
    for line in lines[-MOST_ENTRIES:]:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, str):
            entries.append(entry)
    if len(lines) > 2 * MOST_ENTRIES:
        write_history(file, entries)
    return entries


def write_history(file: Path, entries: Sequence[str]) -> None:
    """The file anew, in one step, so that no other program reads half of it."""
    fresh = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
            opened.writelines(json.dumps(entry) + "\n" for entry in entries)
        fresh.replace(file)
    except OSError:
        return


def add_to_history(file: Path, entry: str) -> None:
    """Keep an entry, readable by its owner only. Two chats may do so at once."""
    if len(entry) > ENTRY_CHARS:
        return
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
            opened.write(json.dumps(entry) + "\n")
    except OSError:  # a chat goes on without its history
        return


class PipedLines:
    """Messages from a pipe: one a line; a backslash at its end goes on in the next one."""

    def read(self) -> str | None:
        """The next message; None at the end of input."""
        lines: list[str] = []
        while True:
            is_typed = sys.stdin.isatty()  # by a person, where no line can be edited
            if is_typed:
                print("… " if lines else "> ", end="", file=sys.stderr, flush=True)
            line = sys.stdin.readline()
            if is_typed and not line:
                print(file=sys.stderr)
            if not line:
                return "\n".join(lines) if lines else None
            line, is_open = continued(line.rstrip("\r\n"))
            lines.append(line)
            if not is_open:
                return "\n".join(lines)


def continued(line: str) -> tuple[str, bool]:
    """A line without the backslash by which it goes on in the next one, and whether it does."""
    is_open = line.endswith("\\") and not line.endswith("\\\\")
    return (line[:-1] if is_open else line), is_open


def set_echo(is_on: bool) -> None:
    """Let the terminal show what is typed, or not; it is kept for the next prompt either way."""
    import termios

    if not sys.stdin.isatty():
        return
    attributes = termios.tcgetattr(sys.stdin.fileno())
    local = attributes[3]
    attributes[3] = local | termios.ECHO if is_on else local & ~termios.ECHO
    if attributes[3] != local:
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSANOW, attributes)
