"""How often Python's garbage collector looks: less often, unless the program has said how often."""

import gc
import subprocess
import sys
from collections.abc import Iterator

import pytest

from oneclaw.core.garbage import NEW_OBJECTS, collect_less_often

SHOW = "import gc; before = gc.get_threshold(); {}; print(gc.get_threshold() == before)"


@pytest.fixture(autouse=True)
def threshold() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


@pytest.mark.parametrize("new", [700, 2_000])
def test_pythons_own_number_is_raised(new: int) -> None:
    gc.set_threshold(new, 10, 10)
    collect_less_often()
    collect_less_often()
    assert gc.get_threshold() == (NEW_OBJECTS, 10, 10)


@pytest.mark.parametrize("own", [(0, 10, 10), (500, 5, 5), (90_000, 20, 100)])
def test_a_number_that_the_program_has_set_stays(own: tuple[int, int, int]) -> None:
    gc.set_threshold(*own)
    collect_less_often()
    assert gc.get_threshold() == own


@pytest.mark.parametrize(
    ("line", "stays"),
    [
        ("import oneclaw, oneclaw.app", "True"),
        ("from oneclaw.core.garbage import collect_less_often as less; less()", "False"),
    ],
)
def test_an_import_alone_changes_nothing(line: str, stays: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SHOW.format(line)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == stays
