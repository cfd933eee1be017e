"""Another project tests its provider and its tools with the kit: a folder of its own, away from this one."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
PROJECT = Path(__file__).parent / "project"


@pytest.mark.parametrize("checks", ["checks_provider.py", "checks_tools.py"])
def test_another_project_checks_what_it_has_with_the_installed_kit(tmp_path: Path, checks: str) -> None:
    folder = shutil.copytree(PROJECT, tmp_path / "acme", ignore=shutil.ignore_patterns("__pycache__"))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", checks],
        cwd=folder,
        env={**environment, "HOME": str(tmp_path), "PYTHONPATH": ""},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
    assert not {"failed", "skipped", "error"} & set(done.stdout.split())


def test_the_kit_needs_no_test_runner_and_is_loaded_only_when_asked_for() -> None:
    code = (
        "import sys, oneclaw, oneclaw.app\n"
        "assert 'oneclaw.testing' not in sys.modules\n"
        "import oneclaw.testing\n"
        "assert not {'pytest', 'hypothesis', '_pytest'} & sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
