"""A name for any text: one part of a path, and another one for each text."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core.text.file_name import file_name


@given(st.text(st.characters(exclude_categories=[])))
def test_it_is_one_part_of_a_path_that_leads_nowhere_else(text: str) -> None:
    name = file_name(text)
    assert os.path.normpath(f"/a/{name}") == f"/a/{name}"
    assert Path("/a", name).parent == Path("/a")
    assert 0 < len(name.encode()) <= 255


@given(st.text(), st.text())
def test_two_texts_have_two_names(one: str, other: str) -> None:
    assert (file_name(one) == file_name(other)) is (one == other)


@pytest.mark.parametrize("text", ["", ".", "..", "../..", "/etc", "a\0b", "x" * 300])
def test_what_would_lead_elsewhere_does_not(text: str) -> None:
    assert file_name(text) not in ("", ".", "..")
    assert "/" not in file_name(text)


@pytest.mark.parametrize("text", ["default", "01a1e42d5b5c-4757f30e4e963969", "my agent", "a.b_c~d"])
def test_a_plain_name_stays_as_it_is(text: str) -> None:
    assert file_name(text) == text
