"""Completion in real shells: bash and zsh on a terminal, fish by its own completion engine."""

import os
import pty
import select
import shutil
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.cli.vt import WAIT_SECONDS, environment

pytestmark = pytest.mark.slow
PROMPT = "ready> "


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    """A home of its own, and `oneclaw` on the path."""
    program = tmp_path / "bin" / "oneclaw"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m oneclaw.cli.main "$@"\n')
    program.chmod(0o755)
    (tmp_path / "home").mkdir()
    listed = '{"models": [{"name": "otter", "file": "/otter.gguf", "title": "", "window": 4096}]}'
    (tmp_path / "home" / "models.json").write_text(listed)
    (tmp_path / "user").mkdir()
    path = f"{program.parent}:{os.environ['PATH']}"
    return environment(tmp_path / "home", PATH=path, HOME=str(tmp_path / "user"), TERM="dumb", PS1=PROMPT)


class TypedShell:
    """A shell on a pty that is typed at; `said` is all that it wrote."""

    def __init__(self, words: list[str], variables: dict[str, str], folder: Path) -> None:
        self.said = ""
        self._master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (40, 200))
        self.process = subprocess.Popen(
            words, stdin=slave, stdout=slave, stderr=slave, env=variables, cwd=folder, start_new_session=True
        )
        os.close(slave)

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def wait(self, wanted: str) -> None:
        """Until this is written after what was waited for before."""
        deadline = time.monotonic() + 3 * WAIT_SECONDS
        while wanted not in self.said:
            ready, _, _ = select.select([self._master], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise AssertionError(f"{wanted!r} did not come; the shell wrote:\n{self.said}")
            self.said += os.read(self._master, 65536).decode("utf-8", "replace")
        self.said = self.said.partition(wanted)[2]

    def close(self) -> None:
        with suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait()
        os.close(self._master)


SHELLS = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest, variables: dict[str, str], tmp_path: Path) -> Iterator[TypedShell]:
    name: str = request.param
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed (Debian: {name})")
    shell = TypedShell(SHELLS[name], variables, tmp_path)
    try:
        shell.wait(PROMPT)
        shell.type(f'eval "$(oneclaw completion {name})"; echo load""ed\n')
        shell.wait("loaded")
        shell.wait(PROMPT)
        yield shell
    finally:
        shell.close()


def test_a_shell_completes_what_is_typed_and_runs_it(shell: TypedShell) -> None:
    for typed, ran in [
        ("oneclaw ca\tcalculate exp\t'6*7'\n", "42"),  # a command, and a parameter
        ("oneclaw help perm\t\n", "Decide what agents may do"),
        ("oneclaw models remove local/ot\t && echo remo''ved\n", "removed"),  # a model of this machine
        ("oneclaw config get permissions.mo\t\n", "auto"),
    ]:
        shell.type(typed)
        shell.wait(ran)
        shell.wait(PROMPT)


def test_fish_completes_commands_parameters_models_and_topics(
    variables: dict[str, str], tmp_path: Path
) -> None:
    if shutil.which("fish") is None:
        pytest.skip("fish is not installed (Debian: fish)")
    lines = {
        "oneclaw ca": "call",
        "oneclaw call read_file pa": "path=",
        "oneclaw call extract_matches te": "text=",
        "oneclaw call http_request method=PA": "method=PATCH",
        "oneclaw chat --model local/ot": "local/otter",
        "oneclaw help perm": "permissions",
    }
    asked = "; ".join(f"complete -C '{line}'; echo ==" for line in lines)
    done = subprocess.run(
        ["fish", "--no-config", "-c", f"oneclaw completion fish | source; {asked}"],
        env=variables,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=6 * WAIT_SECONDS,
    )
    offered = [each.strip().partition("\t")[0] for each in done.stdout.split("==\n")]
    assert offered[: len(lines)] == list(lines.values()), done.stderr
