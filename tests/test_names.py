"""Class names: each is used once in the package, so that a name says which class is meant."""

import ast
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import oneclaw

SOURCE = Path(oneclaw.__file__).parent


def used_twice(sources: Mapping[str, str]) -> dict[str, list[str]]:
    """Classes of the same name in several files, by name; `sources` holds the text of each file."""
    found: dict[str, list[str]] = defaultdict(list)
    for file, text in sources.items():
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef):
                found[node.name].append(file)
    return {name: files for name, files in found.items() if len(files) > 1}


def test_a_class_name_is_used_once() -> None:
    files = sorted(SOURCE.rglob("*.py"))
    assert len(files) > 300
    assert used_twice({str(file.relative_to(SOURCE)): file.read_text("utf-8") for file in files}) == {}


def test_a_second_class_of_a_name_is_found() -> None:
    assert used_twice({"a.py": "class Step: ...", "b.py": "class Step: ...", "c.py": "class Other: ..."}) == {
        "Step": ["a.py", "b.py"]
    }
