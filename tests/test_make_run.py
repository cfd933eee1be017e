"""`make run` on a terminal: Ctrl-C at any moment ends in one line, and so does a failure."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from tests.cli.vt import Terminal, environment
from tests.programs import make_program

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow


@pytest.fixture
def venv(tmp_path: Path) -> Path:
    """An environment that is whole, with the `oneclaw` of this one."""
    venv = tmp_path / "venv"
    (venv / "bin").mkdir(parents=True)
    start = "import sys; from oneclaw.cli.start import start; sys.exit(start())"
    make_program(venv / "bin", "oneclaw", f'exec {sys.executable} -c "{start}" "$@"')
    make_program(venv / "bin", "uv", "exit 0")
    for name in (".run", ".local"):
        (venv / name).touch()
    return venv


def make_run(venv: Path, tmp_path: Path, *more: str) -> Terminal:
    words = ("--no-print-directory", "-C", str(ROOT), "run", f"VENV={venv}", *more)
    variables = environment(tmp_path / "home", HOME=str(tmp_path / "user"), BROWSER="true")
    return Terminal(*words, program=("make",), environment=variables, columns=300)


def lines_after_interrupt(terminal: Terminal) -> list[str]:
    """What stands on the screen after Ctrl-C; the terminal itself shows ^C.

    It is pressed until the program is over: Python's line editor sees one that comes between two keys with
    the next key only.
    """
    before = len(terminal.screen.text.rstrip())
    for _ in range(4):
        terminal.type("\x03")
        with suppress(AssertionError):
            terminal.wait(lambda shown: shown.process.poll() is not None, seconds=10)
        with suppress(subprocess.TimeoutExpired):
            terminal.process.wait(1)
            break
    terminal.end()
    said = terminal.screen.text[before:].replace("^C", "")
    return [line.strip() for line in said.splitlines() if line.strip()]


def test_while_the_environment_is_made(tmp_path: Path) -> None:
    make_program(tmp_path / "bin", "python", "echo begun; exec sleep 60")
    with make_run(tmp_path / "venv", tmp_path, f"PYTHON={tmp_path}/bin/python") as terminal:
        terminal.wait("begun")
        assert len(lines_after_interrupt(terminal)) == 1


@pytest.mark.parametrize("name", [".run", ".local"])
def test_while_packages_are_installed(venv: Path, tmp_path: Path, name: str) -> None:
    (venv / name).unlink()
    make_program(venv / "bin", "uv", "echo begun > /dev/tty; exec sleep 60")
    with make_run(venv, tmp_path) as terminal:
        terminal.wait("begun")
        assert len(lines_after_interrupt(terminal)) == 1


def test_while_the_program_loads(venv: Path, tmp_path: Path) -> None:
    """The first module that it imports is a slow one."""
    (tmp_path / "slow").mkdir()
    slow = "import time\nprint('loading', flush=True)\ntime.sleep(60)\n"
    (tmp_path / "slow" / "argparse.py").write_text(slow)
    path = f"export PYTHONPATH={tmp_path}/slow:$PYTHONPATH; exec "
    program = (venv / "bin" / "oneclaw").read_text().replace("exec ", path)
    make_program(venv / "bin", "oneclaw", program.partition("\n")[2])
    with make_run(venv, tmp_path) as terminal:
        terminal.wait("loading")
        assert lines_after_interrupt(terminal) == ["Stopped."]


def test_at_the_first_question(venv: Path, tmp_path: Path) -> None:
    with make_run(venv, tmp_path) as terminal:
        terminal.wait("[y/N] ")
        assert lines_after_interrupt(terminal) == ["Stopped."]


def test_in_the_guided_start(venv: Path, tmp_path: Path) -> None:
    with make_run(venv, tmp_path) as terminal:
        terminal.wait("[y/N] ")
        terminal.type("y\n")
        terminal.wait("provider/model [")
        assert lines_after_interrupt(terminal) == ["Stopped."]


def test_while_the_page_is_served(venv: Path, tmp_path: Path) -> None:
    pytest.importorskip("uvicorn", reason="the page needs the extra web")
    with make_run(venv, tmp_path) as terminal:
        terminal.wait("[y/N] ")
        terminal.type("\n")
        terminal.wait("Ctrl-C ends it.")
        assert len(lines_after_interrupt(terminal)) <= 1


def test_a_failed_install_is_one_sentence_and_the_log_has_the_rest(venv: Path, tmp_path: Path) -> None:
    (venv / ".run").unlink()
    make_program(venv / "bin", "uv", "echo error: no wheel; echo '  cause: No route to host'; exit 2")
    words = ["make", "--no-print-directory", "-C", str(ROOT), "run", f"VENV={venv}"]
    outside = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    ended = subprocess.run(words, env=outside, capture_output=True, text=True, timeout=60)
    sentence, of_make = ended.stderr.splitlines()
    assert sentence == (
        "The packages could not be installed (No route to host). Check the network and try again;"
        f" {venv}/install.log has all that was said."
    )
    assert of_make.startswith("make: *** ")
    assert (venv / "install.log").read_text() == "error: no wheel\n  cause: No route to host\n"
