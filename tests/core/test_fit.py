"""Long structured values keep their type, and fit."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core.fit import LEAST_CHARS, NOTE, fit
from oneclaw.core.value import compact

_values = st.recursive(
    st.none() | st.integers() | st.text(max_size=1_000),
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.text(max_size=8), inner, max_size=30),
    max_leaves=60,
)
_structures = st.lists(_values, max_size=40) | st.dictionaries(st.text(max_size=8), _values, max_size=40)


@given(_structures, st.integers(300, 5_000), st.sampled_from(["head", "middle"]))
def test_what_is_cut_fits_and_has_the_type_it_had(value: Any, chars: int, how: Any) -> None:
    cut = fit(value, chars, how, "a note")
    if cut is not None:
        assert type(cut) is type(value)
        assert len(compact(cut)) <= chars
        assert json.loads(compact(cut)) == cut
    elif isinstance(value, list):
        # Only where even one item of each list and object is too long.
        assert len(compact(value)) > chars


def test_only_the_long_strings_are_cut_and_all_room_is_used() -> None:
    value = {"name": "short", "page": "a" * 50_000, "note": "n" * 900}
    cut = fit(value, 4_000, "head", "cut")
    assert cut is not None
    assert (cut["name"], cut["note"], cut[NOTE]) == ("short", "n" * 900, "cut")
    assert cut["page"].startswith("a" * 2_000)
    assert "of 50,000 characters are shown" in cut["page"]
    assert 3_900 < len(compact(cut)) <= 4_000


def test_many_items_give_way_before_strings_become_scraps() -> None:
    rows = [{"id": number, "text": "word " * 20} for number in range(1_000)]
    cut = fit(rows, 5_000)
    assert cut is not None
    assert cut[:3] == rows[:3]
    assert all(row == rows[at] for at, row in enumerate(cut[:-1]))
    assert len(cut) > 30
    assert cut[-1].endswith("of 1,000 items are shown.)")
    both = fit(rows, 5_000, "middle")
    assert both is not None
    assert (both[0], both[-2]) == (rows[0], rows[-1])


def test_what_cannot_be_made_to_fit_is_left_to_the_caller() -> None:
    assert fit({"k" * LEAST_CHARS * 2: 1}, LEAST_CHARS) is None
