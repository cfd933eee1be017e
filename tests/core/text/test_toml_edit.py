"""One value of a TOML text is changed, and nothing else: no comment, no order, no other value."""

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core.text.toml_edit import remove_value, set_value

TEXT = """\
# mine
"permissions.needs.mail" = "ask"   # written in one
runs.cost = 3.0  # dollars

[tools]
# no requests
deny = [
    "http_request",  # ever
]

[models]
default = 'openai/o3' # the best

[models."openai/gpt-4.1"]
window = 5
[agents]
writer = { memory = "own" } # alone
"""
KEYS = st.sampled_from(
    [
        ("permissions", "mode"),
        ("permissions", "needs", "mail"),
        ("permissions", "needs", "network.private"),
        ("runs", "cost"),
        ("runs", "rounds"),
        ("tools", "deny"),
        ("models", "default"),
        ("models", "openai/gpt-4.1", "window"),
        ("models", "openai/o3", "window"),
        ("agents", "writer", "memory"),
        ("agents", "writer", "tools", "deny"),
        ("agents", "other", "tools", "deny"),
    ]
)
VALUES = st.one_of(st.booleans(), st.integers(-5, 10**9), st.text(max_size=8), st.lists(st.text(max_size=5)))


def flat(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}

    def walk(table: dict[str, Any], start: str) -> None:
        for name, value in table.items():
            if isinstance(value, dict):
                walk(value, f"{start}{name}.")  # pyright: ignore[reportUnknownArgumentType]
            else:
                found[start + name] = value

    walk(tomllib.loads(text), "")
    return found


@given(st.lists(st.tuples(KEYS, VALUES | st.none()), max_size=8))
def test_any_changes_in_a_row_leave_comments_and_other_values(
    changes: list[tuple[tuple[str, ...], Any]],
) -> None:
    text, wanted = TEXT, flat(TEXT)
    for path, value in changes:
        if value is None:
            text = remove_value(text, path)
            wanted.pop(".".join(path), None)
        else:
            text = set_value(text, path, value)
            wanted[".".join(path)] = value
    assert flat(text) == wanted
    assert text.startswith("# mine\n")
    assert "# no requests" in text


@pytest.mark.parametrize(
    ("path", "value", "line"),
    [
        (("models", "default"), "openai/gpt-4o", 'default = "openai/gpt-4o" # the best'),
        (("runs", "cost"), 5, "runs.cost = 5  # dollars"),
        (
            ("permissions", "needs", "mail"),
            "denied",
            '"permissions.needs.mail" = "denied"   # written in one',
        ),
        (("agents", "writer", "memory"), "shared", 'writer = { memory = "shared" } # alone'),
    ],
)
def test_the_line_keeps_its_comment_and_its_spelling(path: tuple[str, ...], value: Any, line: str) -> None:
    before, after = TEXT.splitlines(), set_value(TEXT, path, value).splitlines()
    assert line in after
    assert sum(old != new for old, new in zip(before, after, strict=True)) == 1


def test_what_is_not_set_is_removed_without_a_change() -> None:
    assert remove_value(TEXT, ("undo", "total_mb")) == TEXT


def test_an_empty_text_gets_its_table() -> None:
    assert set_value("", ("permissions", "mode"), "ask") == '[permissions]\nmode = "ask"\n'
