"""The pictures of the terminal are there, small, safe to show, and on a page."""

from pathlib import Path

import pytest
from docs.pictures import MOST_BYTES, SCREENS

DOCS = Path(__file__).parents[1] / "docs"
PICTURES = [*(f"images/{name}.svg" for name in SCREENS), "demo.svg"]


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_small_and_fetches_nothing(name: str) -> None:
    svg = (DOCS / name).read_text(encoding="utf-8")
    assert len(svg.encode()) <= MOST_BYTES
    assert "@font-face" not in svg
    assert "url(http" not in svg
    assert "href" not in svg
    assert "/tmp/" not in svg
    assert "/root" not in svg


def test_every_picture_is_shown_on_the_page_of_screens() -> None:
    page = (DOCS / "screens.md").read_text(encoding="utf-8")
    assert [name for name in PICTURES[:-1] if f"({name})" not in page] == []
    assert {path.stem for path in (DOCS / "images").glob("*.svg")} == set(SCREENS)
