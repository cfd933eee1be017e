"""The encoder that is made once writes what `json` writes."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core.encoder import make_encoder

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_text_is_that_of_json(value: Any) -> None:
    assert make_encoder()(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def test_what_json_has_no_word_for_goes_to_default() -> None:
    assert make_encoder(default=str)({"at": 1j}) == '{"at":"1j"}'
    with pytest.raises(TypeError):
        make_encoder()({"at": 1j})


def test_nan_is_refused_where_it_is_not_allowed() -> None:
    assert make_encoder()([math.nan]) == "[NaN]"
    with pytest.raises(ValueError, match="not JSON compliant"):
        make_encoder(allow_nan=False)([math.nan])


def test_a_circle_is_an_error() -> None:
    circle: list[Any] = []
    circle.append(circle)
    with pytest.raises(RecursionError):
        make_encoder()(circle)
