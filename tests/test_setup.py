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
