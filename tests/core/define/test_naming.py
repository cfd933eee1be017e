"""Any text becomes a name a tool may have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core.define.naming import fit_name
from oneclaw.core.tool import NAME


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("get_weather", "get_weather"),
        ("trailing_", "trailing_"),
        ("getWeather", "get_weather"),
        ("Weather.getToday", "weather_get_today"),
        ("HTTPServer.start", "http_server_start"),
        ("admin/tools list", "admin_tools_list"),
        ("_private", "private"),
        ("3d.model", "tool_3d_model"),
        ("", "tool"),
    ],
)
def test_a_name_keeps_its_words(text: str, name: str) -> None:
    assert fit_name(text) == name


def test_what_is_lost_lives_on_as_a_checksum() -> None:
    assert fit_name("get_天气") != fit_name("get_时间")
    assert fit_name("x" * 70 + "a") != fit_name("x" * 70 + "b")
    assert fit_name("x" * 70).startswith("x" * 50)


def test_a_taken_name_gets_a_number() -> None:
    assert fit_name("a.b", {"a_b"}) == "a_b_2"
    assert fit_name("a.b", {"a_b", "a_b_2"}) == "a_b_3"
    assert fit_name("x" * 64, {"x" * 64}) == "x" * 62 + "_2"


@given(st.lists(st.text(max_size=80), unique=True, max_size=20))
def test_many_texts_get_as_many_names_and_each_is_allowed(texts: list[str]) -> None:
    names: list[str] = []
    for text in texts:
        names.append(fit_name(text, names))

    assert len(set(names)) == len(texts)
    assert all(NAME.match(name) for name in names)
