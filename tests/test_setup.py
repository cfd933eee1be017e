"""Setting up on a bare machine: what is missing is installed when that can be, else said in one sentence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.programs import make_program

TOOLS = Path(__file__).parents[1] / "tools"
SENTENCE = (
    "Please have an administrator install: python3-pip (on Debian and Ubuntu: apt-get install python3-pip).\n"
)


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder of programs: a machine where no package is installed and everybody is root."""
    make_program(tmp_path, "dpkg-query", "exit 1")
    make_program(tmp_path, "id", "echo 0")
    make_program(tmp_path, "env", 'shift; exec "$@"')
    return tmp_path


def install(machine: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", str(TOOLS / "system-package.sh"), "python3-pip"],
        env={"PATH": str(machine)},
        capture_output=True,
        text=True,
        timeout=30,
    )


def test_a_package_that_is_there_is_left_alone(machine: Path) -> None:
    make_program(machine, "dpkg-query", "echo installed")
    make_program(machine, "apt-get", "echo called >&2; exit 1")
    ended = install(machine)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_root_installs_what_is_missing(machine: Path) -> None:
    make_program(machine, "apt-get", f'echo "$@" >> {machine}/log')
    assert install(machine).returncode == 0
    assert (machine / "log").read_text() == "install --yes --quiet --no-install-recommends python3-pip\n"


def test_old_lists_are_fetched_and_the_install_is_tried_again(machine: Path) -> None:
    updated = machine / "updated"
    make_program(
        machine, "apt-get", f"echo $1 >> {machine}/log; [ $1 != update ] || : > {updated}; [ -e {updated} ]"
    )
    assert install(machine).returncode == 0
    assert (machine / "log").read_text().split() == ["install", "update", "install"]


def test_without_root_or_sudo_one_sentence_says_what_to_install(machine: Path) -> None:
    make_program(machine, "id", "echo 1000")
    make_program(machine, "apt-get", "echo called >&2")
    ended = install(machine)
    assert (ended.returncode, ended.stderr) == (1, SENTENCE)


def test_sudo_is_used_when_it_asks_for_no_password(machine: Path) -> None:
    make_program(machine, "id", "echo 1000")
    make_program(machine, "apt-get", f'echo "$1" >> {machine}/log')
    make_program(machine, "sudo", f'echo "$@" >> {machine}/sudo.log; shift; [ "$1" = true ] || exec "$@"')
    assert install(machine).returncode == 0
    assert (machine / "log").read_text() == "install\n"


def test_on_a_system_without_apt_one_sentence_says_what_to_install(machine: Path) -> None:
    ended = install(machine)
    assert (ended.returncode, ended.stderr) == (1, SENTENCE)


def test_an_old_python_is_refused_with_what_to_do(tmp_path: Path) -> None:
    old = "import sys; sys.version_info = (3, 9); sys.version = '3.9.1 (old)'; exec(sys.argv[1])"
    make_program(tmp_path, "python", f'shift; exec {sys.executable} -c "{old}" "$@"')
    ended = subprocess.run(
        ["/bin/sh", str(TOOLS / "make-venv.sh"), str(tmp_path / "python"), str(tmp_path / "venv")],
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert ended.returncode == 1
    assert ended.stderr.strip().endswith("this is 3.9.1; name another: make PYTHON=python3.12")
    assert not (tmp_path / "venv").exists()


def fresh_machine(machine: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(TOOLS / "fresh-machine.sh"), *words],
        env={"PATH": f"{machine}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=30,
    )


@pytest.mark.parametrize(
    ("program", "does", "why"),
    [("id", "echo 1000", "that takes root"), ("unshare", "exit 1", "this system allows no new namespaces")],
)
def test_where_no_fresh_machine_can_be_made_it_says_why_and_ends_with_75(
    machine: Path, program: str, does: str, why: str
) -> None:
    make_program(machine, program, does)
    make_program(machine, "mmdebstrap", "echo called >&2; exit 1")
    ended = fresh_machine(machine, "true")
    sentence = f"A fresh machine cannot be made here: {why}.\n"
    assert (ended.returncode, ended.stdout, ended.stderr) == (75, "", sentence)


def test_a_fresh_machine_wants_one_command(machine: Path) -> None:
    ended = fresh_machine(machine)
    assert ended.returncode == 2
    assert "fresh-machine.sh --user COMMAND" in ended.stderr


def test_make_run_leaves_it_to_the_demonstration_to_say_what_is_missing(machine: Path) -> None:
    """Where nothing can be installed, `make run` goes on and says nothing of its own."""
    make_program(machine, "id", "echo 1000")
    venv = machine / "venv"
    venv.mkdir()
    make_program(venv / "bin", "oneclaw", "echo shown")
    for name in (".run", ".local", "bin/uv"):
        (venv / name).touch()
    ended = subprocess.run(
        ["make", "--no-print-directory", "-C", str(TOOLS.parent), "run", f"VENV={venv}"],
        env={"PATH": f"{machine}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "shown\n", "")
