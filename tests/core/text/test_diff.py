"""Diffs: what `patch` would take, the lines counted, and bounded whatever the files are."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneclaw.core.text.diff import LINE_CHARS, LINES, Diff, compare, moved

texts = st.lists(st.sampled_from(["a", "b", "c", "", " x", "é"]), max_size=12).map("\n".join)
ends = st.sampled_from(["", "\n"])


def test_a_changed_line_stands_with_those_around_it() -> None:
    diff = compare(b"one\ntwo\nthree\n", b"one\n2\nthree\nfour\n", "notes.txt")
    assert diff == Diff(
        "--- notes.txt\n+++ notes.txt\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n three\n+four", added=2, removed=1
    )


def test_a_new_file_is_all_added_and_a_deleted_one_all_removed() -> None:
    assert compare(None, b"a\nb\n", "x").text == "--- /dev/null\n+++ x\n@@ -0,0 +1,2 @@\n+a\n+b"
    assert compare(b"a\n", None, "x").text == "--- x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a"
    assert compare(None, b"", "x") == Diff("--- /dev/null\n+++ x")


def test_nothing_changed_is_no_diff() -> None:
    assert compare(b"a\n", b"a\n", "x") == Diff("")


def test_a_missing_line_break_at_the_end_is_told() -> None:
    assert compare(b"a", b"a\n", "x").text.splitlines()[3:] == ["-a", "\\ No newline at end of file", "+a"]


def test_what_is_no_text_or_too_large_is_said_and_not_shown() -> None:
    binary = b"\x89PNG\r\n\0\1\2" * 40
    assert compare(binary, b"text", "a.png").text == "a.png is not text (360 bytes before, 4 bytes after)"
    large = compare(b"x\n" * 300_000, b"y", "a.log")
    assert large == Diff("a.log is too large to compare", is_whole=False)


def test_utf_16_is_compared_as_text() -> None:
    diff = compare("Grüße\n".encode("utf-16"), "Grüßle\n".encode("utf-16"), "x")
    assert diff.text.endswith("-Grüße\n+Grüßle")


def test_a_long_diff_is_cut_and_says_how_many_lines_are_missing() -> None:
    diff = compare(None, b"line\n" * 5_000, "x")
    assert (diff.added, len(diff.text.split("\n")), diff.more, diff.is_whole) == (5_000, LINES, 4_603, False)
    long = compare(None, b"x" * 10_000, "x")
    assert max(map(len, long.text.split("\n"))) == LINE_CHARS + 1
    assert not long.is_whole


def test_a_path_cannot_pass_for_a_line_of_the_diff() -> None:
    assert compare(None, b"a", "x\n+evil").text.split("\n")[1] == "+++ x\\n+evil"
    assert moved("rename", "a", "b\nc").text == "rename from a\nrename to b\\nc"


@settings(max_examples=60, deadline=None)
@given(texts, ends, texts, ends)
def test_a_diff_makes_the_new_text_of_the_old_one(
    tmp_path_factory: pytest.TempPathFactory, old: str, old_end: str, new: str, new_end: str
) -> None:
    program = shutil.which("patch")
    if program is None:
        pytest.skip("the program patch is not installed (Debian: patch)")
    before, after = (old + old_end).encode(), (new + new_end).encode()
    diff = compare(before, after, "x")
    folder: Path = tmp_path_factory.mktemp("diff")
    (folder / "x").write_bytes(before)
    if diff.text:
        command = [program, "-p0", "--posix", "x"]
        done = subprocess.run(command, input=diff.text.encode() + b"\n", cwd=folder, capture_output=True)
        assert done.returncode == 0, (diff.text, done)
        assert ((folder / "x").read_bytes() if (folder / "x").exists() else b"") == after
    else:
        assert before == after
    assert diff.added - diff.removed == len(after.splitlines()) - len(before.splitlines())
