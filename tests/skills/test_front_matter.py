"""The front matter of a SKILL.md: read as YAML, within bounds, and never larger than it was written."""

import subprocess
import sys
from typing import Any

import pytest

from oneclaw.skills import front_matter
from oneclaw.skills.front_matter import UnreadableFrontMatter, read, split


@pytest.mark.parametrize(
    "text",
    ["---\na: b\n---\nbody", "\ufeff---\na: b\n---\nbody".lstrip("\ufeff"), "\n\n---\r\na: b\r\n---\r\nbody"],
)
def test_the_front_matter_is_what_stands_between_two_lines(text: str) -> None:
    front, body = split(text)
    assert front is not None
    assert (read(front), body) == ({"a": "b"}, "body")


@pytest.mark.parametrize("text", ["", "body", "a: b\n---\n", "---\na: b\n", "text\n---\na: b\n---\n"])
def test_without_both_lines_there_is_none(text: str) -> None:
    assert split(text) == (None, text)


def test_values_are_texts_lists_and_maps() -> None:
    text = 'a: 1\nb: [yes, "null", ~]\nc: {d: 2026-01-01}\ne: |\n  one\n  two\nf:\n'
    found = read(text)
    assert found == {
        "a": "1",
        "b": ["yes", "null", None],
        "c": {"d": "2026-01-01"},
        "e": "one\ntwo\n",
        "f": None,
    }


@pytest.mark.parametrize("text", ["", "- a\n- b\n", "only a text", "# a comment"])
def test_what_is_no_map_has_no_fields(text: str) -> None:
    assert read(text) == {}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("name: a\ndescription: [open", "line"),
        ("description: use it when: the moon is full", "line 2: mapping values"),
        ("\tname: a", "line 2"),
        ("a: \x00", "characters are not allowed$"),
        ("a: &x 1", "anchor or alias"),
        ("a: *x", "anchor or alias"),
        ("? [a]\n: b", "no text"),
        ("a: " + "[" * 200 + "]" * 200, "deeper than 16"),
        ("a: [" + "1," * 5_000 + "]", "more than 4,000"),
        ("a: " + "b" * 70_000, "70,003 characters"),
    ],
)
def test_what_cannot_be_read_is_said_in_a_sentence(text: str, reason: str) -> None:
    with pytest.raises(UnreadableFrontMatter, match=reason):
        read(text)


LAUGHS = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


def test_a_bomb_of_aliases_is_refused_before_it_grows() -> None:
    with pytest.raises(UnreadableFrontMatter, match="anchor or alias"):
        read(LAUGHS)


def test_a_plain_loader_would_build_the_bomb() -> None:
    """The twin: what the guard refuses is a bomb, of 9 ** 9 values from 500 characters."""
    import yaml

    value: Any = yaml.safe_load(LAUGHS)["i"]
    count = 1
    while not isinstance(value, str):
        count *= len(value)
        value = value[0]
    assert count == 9**9
    assert len(LAUGHS) < 500


def test_no_python_object_is_made() -> None:
    assert read("a: !!python/object/apply:os.system [exit 1]") == {"a": ["exit 1"]}


def test_yaml_is_loaded_by_this_file_and_only_when_it_reads() -> None:
    code = "import sys, oneclaw.app, oneclaw.skills.tools as t; sys.exit('yaml' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
    assert front_matter.read("a: b") == {"a": "b"}
