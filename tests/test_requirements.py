"""The requirement lists and the tests hold each other: no point without a test, no test without its point."""

import ast
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
LISTS = TESTS / "requirements"


@dataclass(frozen=True, slots=True)
class Point:
    """One thing that was asked for."""

    id: str
    section: str
    behaviour: str
    open: str
    file: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A test that says it shows a point."""

    id: str
    test: str


def read_points(folder: Path) -> list[Point]:
    points: list[Point] = []
    for path in sorted(folder.glob("*.toml")):
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["point"]:
            open_because = entry.get("open", "")
            points.append(Point(entry["id"], entry["section"], entry["behaviour"], open_because, path.name))
    return points


def read_marks(folder: Path) -> tuple[list[Mark], list[str]]:
    """The marks on tests, read without importing them, and what is wrong with those that stand elsewhere."""
    marks: list[Mark] = []
    stray: list[str] = []
    for path in sorted(folder.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
        place = path.relative_to(folder)
        counted: set[ast.Call] = set()
        for test in find_tests(tree, path):
            for call in covers_calls(test.decorator_list):
                counted.add(call)
                marks += [Mark(id, f"{place}::{test.name}") for id in ids_of(call)]
        stray += [
            f"{place}:{call.lineno} marks something that is not a test"
            for call in covers_calls([tree])
            if call not in counted
        ]
    return marks, stray


def find_tests(tree: ast.Module, path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """What pytest would collect: functions named test_ in files named test_, on top or in a class."""
    if not path.name.startswith("test_"):
        return
    for node in tree.body:
        for inner in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef) and inner.name.startswith("test_"):
                yield inner


def covers_calls(nodes: list[ast.expr] | list[ast.Module]) -> Iterator[ast.Call]:
    for node in nodes:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Call) and ast.unparse(inner.func) == "pytest.mark.covers":
                yield inner


def ids_of(call: ast.Call) -> list[str]:
    """The ids as written; anything but a plain string is given as its source, and so is found unknown."""
    return [
        argument.value
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
        else ast.unparse(argument)
        for argument in [*call.args, *(keyword.value for keyword in call.keywords)]
    ]


def problems(points: list[Point], marks: list[Mark]) -> list[str]:
    """Everything by which the lists and the tests contradict each other."""
    known = {point.id: point for point in points}
    shown = {mark.id for mark in marks}
    ids = [point.id for point in points]
    wrong = [f"{id} stands twice in the lists" for id in sorted({id for id in ids if ids.count(id) > 1})]
    wrong += [
        f"{point.id} is shown by no test: {point.behaviour}" for point in points if is_bare(point, shown)
    ]
    wrong += [f"{mark.test} covers {mark.id}, which no list has" for mark in marks if mark.id not in known]
    wrong += [
        f"{mark.test} covers {mark.id}, which is listed as open"
        for mark in marks
        if mark.id in known and known[mark.id].open
    ]
    return wrong


def is_bare(point: Point, shown: set[str]) -> bool:
    return not point.open and point.id not in shown


def test_every_point_is_shown_by_a_test_or_open_and_every_mark_names_a_point() -> None:
    marks, stray = read_marks(TESTS)
    assert not stray
    assert not problems(read_points(LISTS), marks)


def test_every_point_says_what_is_to_hold_in_one_sentence() -> None:
    for point in read_points(LISTS):
        assert point.section, point.id
        for sentence in filter(None, [point.behaviour, point.open]):
            assert sentence[0].isupper() or sentence.split()[0].islower(), point.id
            assert sentence.endswith("."), point.id
            assert "\n" not in sentence, point.id


LIST = """
[[point]]
id = "X-1"
section = "s"
behaviour = "A thing holds."
"""
OPEN = LIST + 'open = "Not yet."\n'
TEST = "import pytest\n\n@pytest.mark.covers({ids})\ndef test_it() -> None: ...\n"


@pytest.mark.parametrize(
    ("points", "test", "complaint"),
    [
        (LIST, "", "X-1 is shown by no test: A thing holds."),
        (LIST, TEST.format(ids='"X-1", "X-2"'), "test_it.py::test_it covers X-2, which no list has"),
        (LIST, TEST.format(ids='"X-1", NAME'), "test_it.py::test_it covers NAME, which no list has"),
        (OPEN, TEST.format(ids='"X-1"'), "test_it.py::test_it covers X-1, which is listed as open"),
        (LIST + LIST, TEST.format(ids='"X-1"'), "X-1 stands twice in the lists"),
    ],
)
def test_a_list_that_lies_is_found(tmp_path: Path, points: str, test: str, complaint: str) -> None:
    (tmp_path / "x.toml").write_text(points)
    (tmp_path / "test_it.py").write_text(test)
    marks, stray = read_marks(tmp_path)
    assert problems(read_points(tmp_path), marks) == [complaint]
    assert not stray


def test_a_mark_on_something_that_is_not_a_test_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TEST.format(ids='"X-1"').replace("test_it", "build"))
    marks, stray = read_marks(tmp_path)
    assert not marks
    assert stray == ["test_it.py:3 marks something that is not a test"]


def test_a_list_that_is_true_is_left_in_peace(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(LIST)
    (tmp_path / "test_it.py").write_text(TEST.format(ids='"X-1"'))
    assert problems(read_points(tmp_path), read_marks(tmp_path)[0]) == []
