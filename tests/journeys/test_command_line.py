"""The command line as people and scripts use it: stopped in the middle, in odd places, with odd words."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oneclaw.cli.main import main
from oneclaw.store.store import Store

ONECLAW = [sys.executable, "-m", "oneclaw.cli.main"]
SETTINGS = '[network]\nprivate_hosts = ["127.0.0.1"]\n'


@pytest.fixture
def silent_server() -> Iterator[socket.socket]:
    """A server that takes a request and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(30)
        yield server


def stop_in_the_middle(folder: Path, server: socket.socket, number: int) -> tuple[int, str, dict[str, Any]]:
    """Send a signal to `oneclaw call` while it waits; its exit code, its last words, its row in the log."""
    settings = folder / "oneclaw.toml"
    settings.write_text(SETTINGS)
    words = [*ONECLAW, "--config", str(settings), "--home", str(folder / "home")]
    url = f"http://127.0.0.1:{server.getsockname()[1]}/"
    program = subprocess.Popen(
        [*words, "call", "http_request", f"url={url}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with program:
        connection, _ = server.accept()
        with connection:
            connection.recv(1)
            program.send_signal(number)
            _, said = program.communicate(timeout=30)
    rows = json.loads(subprocess.run([*words, "log", "--json"], capture_output=True, check=True).stdout)
    assert len(rows) == 1
    return program.returncode, said, rows[0]


def test_a_call_stopped_by_the_person_ends_as_cancelled(tmp_path: Path, silent_server: socket.socket) -> None:
    code, said, row = stop_in_the_middle(tmp_path, silent_server, signal.SIGINT)
    assert (code, said) == (130, "Stopped.\n")
    assert (row["status"], row["kind"], row["effects"]) == ("error", "cancelled", "possible")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_call_whose_program_is_ended_is_shown_as_interrupted(
    tmp_path: Path, silent_server: socket.socket, number: int
) -> None:
    code, said, row = stop_in_the_middle(tmp_path, silent_server, number)
    assert (code, said) == (-number, "")
    assert (row["status"], row["kind"], row["effects"]) == ("error", "interrupted", "unknown")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_pipe_that_does_not_know_every_letter_gets_what_it_can(command_line: Any, encoding: str) -> None:
    (command_line.home / "workspace").mkdir(parents=True)
    (command_line.home / "workspace" / "a.txt").write_text("Zoë 👍")
    done = subprocess.run(
        [*ONECLAW, "--home", str(command_line.home), "call", "read_file", "path=a.txt"],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == "Zoë 👍\n".encode(encoding, "backslashreplace")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["log", "9" * 30], 1),
        (["log", "--limit", "9" * 30], 0),
        (["log", "--tool", "\udcff"], 0),
        (["log", "--session", "\udcff"], 1),
        (["grants", "revoke", "\udcff"], 1),
        (["why", "\udcff"], 3),
        (["call", "\udcff"], 3),
        (["call", "read_file", "path=\udcff"], 4),
        (["call", "read_file", "--json", "\udcff"], 4),
        (["call", "list_files", "--agent", "\udcff"], 0),
        (["--workspace", "WORK\udcff", "call", "list_files"], 0),
    ],
)
def test_odd_words_are_answered_and_raise_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], code: int
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    Store(tmp_path / "home" / "oneclaw.db").close()  # a history there is, if an empty one
    words = [word.replace("WORK", str(tmp_path / "work")) for word in words]
    assert main(["--home", str(tmp_path / "home"), *words]) == code


def test_bytes_that_are_no_text_in_a_pipe_are_wrong_arguments(command_line: Any) -> None:
    done = subprocess.run(
        [*ONECLAW, "--home", str(command_line.home), "call", "read_file", "-"],
        input=b'{"path": "\xff"}',
        capture_output=True,
        check=False,
    )
    assert done.returncode == 4
    assert b"Traceback" not in done.stderr
