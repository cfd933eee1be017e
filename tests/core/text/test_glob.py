"""Globs match what they say, in time that no pattern can spoil."""

import time
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core.text.glob import Glob, InvalidGlob, expand_braces


@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        ("a{b,c}d", ["abd", "acd"]),
        ("{a,b}{c,d}", ["ac", "ad", "bc", "bd"]),
        ("{a,{b,c}d}", ["a", "bd", "cd"]),
        ("{a}", ["{a}"]),
        ("{a,b", ["{a,b"]),
        ("a,b}", ["a,b}"]),
        ("{,a}", ["", "a"]),
        ("{a{b,c}", ["{ab", "{ac"]),
    ],
)
def test_braces_stand_for_each_of_their_parts(pattern: str, paths: list[str]) -> None:
    assert expand_braces(pattern) == paths


def test_braces_without_end_are_refused() -> None:
    with pytest.raises(InvalidGlob):
        expand_braces("{a,b}" * 40)
    assert expand_braces("{" * 300) == ["{" * 300]


names = st.sampled_from(["a", "b", "ab", "a.py", "x"])
segments = st.sampled_from(["**", "*", "a*", "?", "[ab]", "*.py", "a"])


@given(st.lists(segments, min_size=2, max_size=5), st.lists(names, min_size=1, max_size=5))
def test_any_pattern_means_what_a_plain_definition_says(pattern: list[str], path: list[str]) -> None:
    assert Glob("/".join(pattern)).matches("/".join(path)) == plainly(pattern, path)


def plainly(pattern: list[str], path: list[str]) -> bool:
    if not pattern:
        return not path
    if pattern[0] == "**":
        return plainly(pattern[1:], path) or bool(path and plainly(pattern, path[1:]))
    return bool(path and PurePosixPath(path[0]).match(pattern[0]) and plainly(pattern[1:], path[1:]))


@given(st.lists(segments, min_size=2, max_size=5), st.lists(names, min_size=2, max_size=6))
def test_no_folder_of_a_match_is_passed_by(pattern: list[str], path: list[str]) -> None:
    glob = Glob("/".join(pattern))
    entered = all(glob.may_match_below("/".join(path[:depth])) for depth in range(1, len(path)))
    assert entered or not Glob("/".join(pattern)).matches("/".join(path))


def test_a_folder_that_cannot_match_is_not_entered() -> None:
    glob = Glob("src/*/x.py")
    assert glob.may_match_below("src")
    assert glob.may_match_below("src/a")
    assert not glob.may_match_below("src/a/b")
    assert not glob.may_match_below("docs")


@pytest.mark.parametrize("pattern", ["*a" * 400 + "b", "**/" * 300 + "b", "[a-z]*" * 160, "?*" * 400])
def test_no_pattern_takes_long(pattern: str) -> None:
    began = time.monotonic()
    Glob(pattern).matches("/".join(["a" * 255] * 8))
    assert time.monotonic() - began < 5  # milliseconds; the machine may be busy
