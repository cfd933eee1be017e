"""The sizes of the page: what a browser loads before the first paint, compressed."""

import gzip
import re
from pathlib import Path

import pytest

from oneclaw.web.server import PAGE

SCRIPT_BYTES, STYLE_BYTES = 70_000, 14_000
_IMPORT = re.compile(r'^(?:import|export) [^;]*? from "(\.[^"]+)";|^import "(\.[^"]+)";', re.MULTILINE)


def loaded_first(file: Path) -> set[Path]:
    """A script and the scripts that it imports before it runs."""
    found, open_files = set[Path](), [file]
    while open_files:
        file = open_files.pop()
        if file not in found:
            found.add(file)
            names = (one or other for one, other in _IMPORT.findall(file.read_text()))
            open_files += [(file.parent / name).resolve() for name in names]
    return found


def packed(files: set[Path]) -> int:
    return sum(len(gzip.compress(file.read_bytes(), 9)) for file in files)


def test_the_first_paint_is_within_its_budget() -> None:
    scripts = loaded_first(PAGE / "js" / "main.js") | {PAGE / "js" / "theme.js"}
    assert PAGE / "vendor" / "marked.js" in scripts
    assert PAGE / "js" / "agents.js" not in scripts  # loaded when it is opened
    assert packed(scripts) <= SCRIPT_BYTES
    assert packed(set((PAGE / "css").iterdir())) <= STYLE_BYTES


@pytest.mark.parametrize(
    "forbidden", ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("]
)
def test_no_script_of_ours_makes_elements_from_text(forbidden: str) -> None:
    assert [file.name for file in (PAGE / "js").iterdir() if forbidden in file.read_text()] == []


def test_every_text_that_a_screen_names_is_in_the_table() -> None:
    table = (PAGE / "js" / "texts.js").read_text()
    known = set(re.findall(r'"([\w.\- ]+)":', table))
    used = {
        key
        for file in (PAGE / "js").iterdir()
        for key in re.findall(r'\bt\("([\w.\-]+)"[,)]', file.read_text())
    }
    assert used - known == set()
