"""Every Python example in the README and the pages runs as it stands."""

import os
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^( *)```python\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
pytestmark = pytest.mark.slow


def examples() -> list[tuple[str, str]]:
    """Each example by the place where it stands."""
    found: list[tuple[str, str]] = []
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        for match in BLOCK.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            found.append((f"{path.relative_to(ROOT)}:{line}", dedent(match.group(2))))
    return found


EXAMPLES = examples()


def run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "ONECLAW_HOME": str(folder / "home"), "PYTHONWARNINGS": "error"}
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize("code", [code for _, code in EXAMPLES], ids=[place for place, _ in EXAMPLES])
def test_the_example_runs(code: str, tmp_path: Path) -> None:
    ended = run(code, tmp_path)
    assert ended.returncode == 0, ended.stderr


def test_the_readme_has_an_example() -> None:
    assert any(place.startswith("README.md") for place, _ in EXAMPLES)


def test_an_example_that_is_wrong_fails(tmp_path: Path) -> None:
    assert run("import oneclaw; oneclaw.no_such_name", tmp_path).returncode == 1
