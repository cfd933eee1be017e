"""A person at a real terminal: prompts, colour, progress, completion."""

import os
import pty
import re
import select
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import pytest
from tests.cli.vt import script

ONECLAW = [sys.executable, "-m", "oneclaw.cli.main"]
pytestmark = pytest.mark.slow


class Terminal:
    """A program on a pseudo-terminal: wait for text, type an answer."""

    def __init__(
        self, words: list[str], home: Path, stdout: IO[str] | None = None, **environment: str
    ) -> None:
        self.master, slave = pty.openpty()
        self.seen = ""
        self.process = subprocess.Popen(
            [*ONECLAW, *words],
            stdin=slave,
            stdout=slave if stdout is None else stdout,
            stderr=slave,
            env={**os.environ, "ONECLAW_HOME": str(home), "TERM": "xterm", "COLUMNS": "100", **environment},
            start_new_session=True,
        )
        os.close(slave)

    def read_until(self, pattern: str, seconds: float = 20.0) -> str:
        end = time.monotonic() + seconds
        while not re.search(pattern, self.seen):
            ready, _, _ = select.select([self.master], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise AssertionError(f"{pattern!r} did not appear in {self.seen!r}")
            try:
                data = os.read(self.master, 65536)
            except OSError:
                data = b""
            if not data:
                raise AssertionError(f"{pattern!r} did not appear in {self.seen!r}")
            self.seen += data.decode(errors="replace")
        return self.seen

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def end(self, seconds: float = 20.0) -> int:
        while True:
            try:
                if not os.read(self.master, 65536):
                    break
            except OSError:
                break
        code = self.process.wait(seconds)
        os.close(self.master)
        return code


@pytest.mark.covers("FEAT004-AC-07", "FEAT004-AC-08", "FEAT004-FT-09", "RFC004-GO-04", "RFC004-IT-01")
def test_a_person_is_asked_and_yes_lets_the_call_run(tmp_path: Path) -> None:
    terminal = Terminal(["--mode", "ask", "call", "write_file", "path=a.txt", "content=hi"], tmp_path)
    seen = terminal.read_until(r"\[\?\] more.*\n> ")
    assert "Write a file" in seen
    assert "a.txt" in seen
    assert not (tmp_path / "workspace" / "a.txt").exists()
    terminal.type("y\n")
    terminal.read_until("Successfully wrote")
    assert terminal.end() == 0
    assert (tmp_path / "workspace" / "a.txt").read_text() == "hi"


@pytest.mark.covers("FEAT004-AC-09", "FEAT004-FT-10", "RFC004-IT-02")
def test_no_is_a_denied_call(tmp_path: Path) -> None:
    terminal = Terminal(["--mode", "ask", "call", "write_file", "path=a.txt", "content=hi"], tmp_path)
    terminal.read_until(r"\[\?\] more.*\n> ")
    terminal.type("n\n")
    terminal.read_until("permission_denied")
    assert terminal.end() == 5
    assert not (tmp_path / "workspace" / "a.txt").exists()


def test_ctrl_d_is_a_no_and_what_follows_stands_on_a_line_of_its_own(tmp_path: Path) -> None:
    terminal = Terminal(["--mode", "ask", "call", "write_file", "path=a.txt", "content=hi"], tmp_path)
    terminal.read_until(r"\[\?\] more.*\n> ")
    terminal.type("\x04")
    assert "> permission_denied" not in re.sub(r"\x1b\[[\d;]*m", "", terminal.read_until("permission_denied"))
    assert terminal.end() == 5


def test_a_terminal_that_goes_away_is_a_no_and_the_program_ends(tmp_path: Path) -> None:
    terminal = Terminal(["--mode", "ask", "call", "write_file", "path=a.txt", "content=hi"], tmp_path)
    terminal.read_until(r"\[\?\] more.*\n> ")
    os.close(terminal.master)
    terminal.process.wait(30)
    assert not (tmp_path / "workspace" / "a.txt").exists()


@pytest.mark.covers("FEAT004-PR-06")
def test_always_is_remembered_listed_and_revoked(tmp_path: Path) -> None:
    words = ["--mode", "ask", "call", "write_file", "path=a.txt", "content=hi"]
    terminal = Terminal(words, tmp_path)
    terminal.read_until(r"\[\?\] more.*\n> ")
    terminal.type("w\n")
    terminal.read_until("Successfully wrote")
    assert terminal.end() == 0
    again = Terminal(words, tmp_path)
    again.read_until("Successfully wrote")
    assert again.end() == 0
    listed = run(["grants", "--json"], tmp_path).stdout
    grant_id = re.search(r'"id": "(\w+)"', listed)
    assert grant_id is not None
    assert "when revoked" in run(["grants"], tmp_path).stdout
    assert run(["grants", "revoke", "zz", "--json"], tmp_path).stdout.split() == [
        "{",
        '"revoked":',
        "[]",
        "}",
    ]
    assert run(["grants", "revoke", grant_id[1]], tmp_path).stdout == f"Revoked {grant_id[1]}.\n"
    asked_again = Terminal(words, tmp_path)
    asked_again.read_until(r"\[\?\] more.*\n> ")
    asked_again.type("n\n")
    assert asked_again.end() == 5


def test_a_prompt_shows_what_would_hide(tmp_path: Path) -> None:
    hidden = "content=a\u202eb\u200bc\x1b[2J"
    terminal = Terminal(["--mode", "ask", "call", "write_file", "path=a.txt", hidden], tmp_path)
    seen = terminal.read_until(r"\[\?\] more.*\n> ")
    assert "\u202e" not in seen
    assert "\u200b" not in seen
    assert "\x1b[2J" not in seen
    assert "u202e" in seen.lower()
    terminal.type("n\n")
    terminal.end()


def test_where_the_answer_goes_into_a_pipe_a_question_begins_on_a_line_of_its_own(tmp_path: Path) -> None:
    call = {"call": "write_file", "arguments": {"path": "a.txt", "content": "x"}}
    model = script(tmp_path, [{"say": "I write."}, call], "Done.")
    words = ["--mode", "ask", "run", "--model", model, "write"]
    with (tmp_path / "out").open("w") as out:
        terminal = Terminal(words, tmp_path, stdout=out)
        terminal.read_until(r"\[\?\] more.*\n> ")
        assert (tmp_path / "out").read_text() == "I write.\n"
        terminal.type("y\n")
        assert terminal.end() == 0
    assert (tmp_path / "out").read_text() == "I write.\nDone.\n"


def test_a_run_asks_at_once_on_a_terminal(tmp_path: Path) -> None:
    """It once began before anybody could be asked, and every question was a no."""
    call = {"call": "write_file", "arguments": {"path": "a.txt", "content": "x"}}
    terminal = Terminal(["--mode", "ask", "run", "--model", script(tmp_path, call, "Done."), "go"], tmp_path)
    terminal.read_until(r"\[\?\] more.*\n> ")
    terminal.type("y\n")
    terminal.read_until("Done.")
    assert terminal.end() == 0
    assert (tmp_path / "workspace" / "a.txt").read_text() == "x"


def test_of_a_question_the_danger_stands_out(tmp_path: Path) -> None:
    run(["features", "on", "shell"], tmp_path)
    terminal = Terminal(["call", "execute_shell_command", "command=rm -rf x"], tmp_path)
    seen = terminal.read_until(r"\[\?\] more.*\n> ")
    assert re.search(r"\x1b\[1;31mDanger: [^\n]*\x1b\[0m", seen)
    assert re.search(r"(?m)^  \$ rm -rf x", seen)  # and the command is plain to read
    terminal.type("n\n")
    assert terminal.end() == 5


def test_colour_on_a_terminal_and_none_in_a_pipe(tmp_path: Path) -> None:
    terminal = Terminal(["tools"], tmp_path)
    terminal.read_until("search_text")
    assert "\x1b[" in terminal.seen
    assert terminal.end() == 0
    assert "\x1b" not in run(["tools"], tmp_path).stdout
    plain = Terminal(["tools"], tmp_path, NO_COLOR="1")
    plain.read_until("search_text")
    assert "\x1b[" not in plain.seen
    plain.end()


@pytest.mark.parametrize("is_asked", [False, True])
def test_a_call_of_more_than_a_second_shows_that_it_runs(tmp_path: Path, is_asked: bool) -> None:
    settings = tmp_path / "oneclaw.toml"
    settings.write_text("" if is_asked else '[network]\nprivate_hosts = ["127.0.0.1"]\n')
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"url=http://127.0.0.1:{server.getsockname()[1]}/"
        terminal = Terminal(["--config", str(settings), "call", "http_request", url], tmp_path)
        if is_asked:
            terminal.read_until(r"\[\?\] more.*\n> ")
            terminal.type("y\n")
        server.settimeout(20)
        connection, _ = server.accept()
        with connection:
            # The server answers only when the spinner has been seen.
            terminal.read_until(r"[\u2800-\u28ff]\S* http_request")
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi")
            terminal.read_until("hi\r\n")
    assert terminal.end() == 0


def test_a_result_cannot_drive_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / "a.txt").write_text("before\x1b]0;title\x07after\n")
    for kind in ("xterm", "dumb"):
        terminal = Terminal(["call", "read_file", "path=a.txt"], tmp_path, TERM=kind)
        terminal.read_until("after")
        assert "\x1b]0;" not in terminal.seen
        assert terminal.end() == 0


def test_a_value_of_several_fields_is_read_line_by_line_and_by_programs_as_json(tmp_path: Path) -> None:
    run(["call", "memory_store", "key=town", "value=Porto"], tmp_path)
    words = ["call", "memory_search", "query=town"]
    assert run(words, tmp_path).stdout.startswith('{"')
    terminal = Terminal(words, tmp_path, NO_COLOR="1")
    terminal.read_until("memory_search in")
    assert terminal.end() == 0
    assert re.search(r'(?m)^ +"value": "Porto"', terminal.seen)


def test_a_value_whose_fields_are_empty_is_shown_all_the_same(tmp_path: Path) -> None:
    run(["features", "on", "shell"], tmp_path)
    terminal = Terminal(["call", "manage_process", "action=list"], tmp_path, NO_COLOR="1")
    terminal.read_until("manage_process in")
    assert terminal.end() == 0
    assert '{"processes":[]}' in terminal.seen


def test_a_pipe_that_closes_early_is_no_error(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*ONECLAW, "tools", "show", "read_file"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "ONECLAW_HOME": str(tmp_path)},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    said = process.stderr.read().decode()
    process.stderr.close()
    process.wait(20)
    assert "Traceback" not in said


def run(words: list[str], home: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*ONECLAW, *words],
        env={**os.environ, "ONECLAW_HOME": str(home), **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_tab_completes_commands_and_tools(tmp_path: Path) -> None:
    def complete(line: str) -> list[str]:
        out = tmp_path / "completions"
        run(
            [],
            tmp_path,
            _ARGCOMPLETE="1",
            _ARGCOMPLETE_STDOUT_FILENAME=str(out),
            _ARGCOMPLETE_IFS="\n",
            COMP_LINE=line,
            COMP_POINT=str(len(line)),
        )
        return [word.strip() for word in out.read_text().split("\n")]

    assert complete("oneclaw gr") == ["grants"]
    assert complete("oneclaw call read_") == ["read_file"]
    assert complete("oneclaw call read_file pa") == ["path="]
    assert complete("oneclaw log --status perm") == ["permission_denied"]
