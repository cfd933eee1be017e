"""`oneclaw serve` and `make run`: the page from a terminal, its link, its end, and its refusals."""

import subprocess
from pathlib import Path

from tests.cli.vt import ONECLAW, Terminal, environment


def variables(home: Path, **more: str) -> dict[str, str]:
    said = {name: value for name, value in environment(home).items() if not name.endswith("DISPLAY")}
    return {**said, "ONECLAW_MODEL": "scripted/none", **more}


def test_on_a_terminal_both_the_page_and_the_chat_are_offered(home: Path) -> None:
    home.mkdir(parents=True)
    (home / "setup-offered").touch()
    with Terminal("demo", "--page", environment=variables(home)) as terminal:
        terminal.wait("Open the page: http://127.0.0.1:")
        terminal.wait("#link=")
        terminal.wait("To chat in the terminal instead: Ctrl-C, then `oneclaw chat`.")
        terminal.wait("Ctrl-C ends it.")
        terminal.type("\x03")
        assert terminal.end() == 0


def test_another_address_is_refused_before_anything_listens(home: Path) -> None:
    command = [*ONECLAW, "serve", "--host", "0.0.0.0", "--port", "1"]
    ended = subprocess.run(command, env=variables(home), capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2
    assert "give a certificate with --tls-cert and --tls-key" in ended.stderr


def test_a_password_comes_through_a_pipe(home: Path) -> None:
    command = [*ONECLAW, "serve", "--set-password"]
    for given, code in (("short\n", 2), ("a long enough password\n", 0)):
        ended = subprocess.run(
            command, input=given, env=variables(home), capture_output=True, text=True, timeout=60
        )
        assert ended.returncode == code, ended.stderr
        assert given.strip() not in ended.stdout + ended.stderr
    assert "a long enough password" not in (home / "access.json").read_text()
