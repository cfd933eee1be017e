"""edit_file: exact, unique, keeping what it does not touch, and helpful when it does not fit."""

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Root, Session, Workspace
from oneclaw.core.tool import Context
from oneclaw.tools import edit_file as module
from oneclaw.tools.edit_file import edit, edit_file

TEXT = "one\ntwo\n    three = 3\ntwo again\nfour\n"


@pytest.fixture
def context(tmp_path: Path) -> Context:
    (tmp_path / "note").write_text(TEXT)
    return Context(session=Session(workspace=Workspace(tmp_path)))


def change(context: Context, old: str, new: str, path: str = "note", **arguments: bool) -> str:
    return edit_file.execute({"path": path, "old": old, "new": new, **arguments}, context).value


def refused(context: Context, old: str, new: str, path: str = "note", **arguments: bool) -> ToolError:
    with pytest.raises(ToolError) as caught:
        change(context, old, new, path, **arguments)
    return caught.value


def test_the_one_occurrence_is_replaced_and_its_line_told(context: Context, tmp_path: Path) -> None:
    assert change(context, "three = 3", "three = 3.0") == "Replaced 1 occurrence in note, on line 3"
    assert (tmp_path / "note").read_text() == TEXT.replace("three = 3", "three = 3.0")


def test_a_text_that_is_not_unique_is_refused_with_its_lines(context: Context, tmp_path: Path) -> None:
    error = refused(context, "two", "2")
    assert error.kind is Kind.VALIDATION_ERROR
    assert "on lines 2 and 4" in error.message
    assert "all=true" in error.message
    assert (tmp_path / "note").read_text() == TEXT
    assert change(context, "two", "2", all=True) == "Replaced 2 occurrences in note, on lines 2 and 4"
    assert (tmp_path / "note").read_text() == TEXT.replace("two", "2")


def test_a_text_that_overlaps_itself_is_not_unique(context: Context, tmp_path: Path) -> None:
    (tmp_path / "note").write_text("aaa\n")
    assert "more than once" in refused(context, "aa", "b").message
    change(context, "aa", "b", all=True)
    assert (tmp_path / "note").read_text() == "ba\n"


def test_many_occurrences_are_told_briefly(context: Context, tmp_path: Path) -> None:
    (tmp_path / "note").write_text("x\n" * 1000)
    assert refused(context, "x", "y").message.count(",") < 20
    said = change(context, "x", "y\ny", all=True)
    assert said == "Replaced 1,000 occurrences in note, on lines 1, 3, 5, 7, 9, 11, 13, 15, 17, 19 and more"


@pytest.mark.parametrize(("old", "new"), [("", "x"), ("same", "same"), ("one", "\ud800"), ("\udfff", "x")])
def test_what_cannot_be_meant_is_refused(context: Context, tmp_path: Path, old: str, new: str) -> None:
    assert refused(context, old, new).kind is Kind.VALIDATION_ERROR
    assert (tmp_path / "note").read_text() == TEXT


def test_a_file_that_is_missing_is_not_made(context: Context, tmp_path: Path) -> None:
    assert refused(context, "a", "b", "new/folder/note").kind is Kind.FILE_NOT_FOUND
    assert os.listdir(tmp_path) == ["note"]


def test_only_what_may_be_written_is_edited(tmp_path: Path) -> None:
    (tmp_path / "work/kept").mkdir(parents=True)
    for name in ("work/kept/note", "secret"):
        (tmp_path / name).write_text("text")
    workspace = Workspace(tmp_path / "work", (Root(tmp_path / "work/kept", "read"),))
    context = Context(session=Session(workspace=workspace))
    for path in ("kept/note", "../secret"):
        assert refused(context, "text", "changed", path).kind is Kind.PATH_NOT_ALLOWED
        assert (tmp_path / "work" / path).read_text() == "text"


# What fits nearly


def test_the_nearest_line_is_shown(context: Context) -> None:
    message = refused(context, "thre = 3", "x").message
    assert "line 3" in message
    assert "    three = 3" in message
    assert "\n" not in message


def test_a_difference_in_white_space_only_is_named(context: Context) -> None:
    message = refused(context, "two\nthree  =  3\ntwo again", "x").message
    assert "line 2 differs only in white space" in message
    assert r'"two\n    three = 3\ntwo again"' in message


def test_a_block_is_found_by_its_longest_line(context: Context) -> None:
    message = refused(context, "other\n    three = 33333\ntwo", "x").message
    assert "nearest text is on line 2" in message


def test_nothing_alike_is_said_plainly(context: Context) -> None:
    assert "nothing in it is much like it" in refused(context, "completely unrelated words", "x").message


def test_the_nearest_text_of_a_large_file_is_looked_for_briefly(context: Context, tmp_path: Path) -> None:
    (tmp_path / "note").write_text(
        "".join(f"some line of text with number {n * 7919}\n" for n in range(200_000))
    )
    began = time.monotonic()
    refused(context, "some line of texts with numbers 12345678\nand another one", "x")
    assert time.monotonic() - began < module.NEAREST_SECONDS + 4  # the machine may be busy


# What is kept


def test_windows_line_endings_are_kept(context: Context, tmp_path: Path) -> None:
    (tmp_path / "note").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    change(context, "one\ntwo", "1\n2\n2b")
    change(context, "three", "3\n4")
    assert (tmp_path / "note").read_bytes() == b"1\r\n2\r\n2b\r\n3\r\n4\r\n"


def test_unix_line_endings_are_kept(context: Context, tmp_path: Path) -> None:
    change(context, "one\r\ntwo", "1\r\n2")
    assert (tmp_path / "note").read_bytes() == TEXT.replace("one\ntwo", "1\n2").encode()


def test_mixed_line_endings_stay_as_they_are_elsewhere(context: Context, tmp_path: Path) -> None:
    (tmp_path / "note").write_bytes(b"one\r\ntwo\nthree\nfour\r\nfive\r\n")
    change(context, "two\nthree", "2\n3")
    change(context, "four\nfive", "4\n5")
    assert (tmp_path / "note").read_bytes() == b"one\r\n2\n3\n4\r\n5\r\n"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_the_mark_and_the_encoding_are_kept(context: Context, tmp_path: Path, encoding: str) -> None:
    (tmp_path / "note").write_bytes("Grüße\nZoë\n".encode(encoding))
    change(context, "Zoë", "Zoé")
    assert (tmp_path / "note").read_bytes() == "Grüße\nZoé\n".encode(encoding)


def test_bytes_that_are_not_utf8_go_through(context: Context, tmp_path: Path) -> None:
    (tmp_path / "note").write_bytes(b"caf\xe9\nname = 1\n\xff\xfe\n")
    change(context, "name = 1", "name = é")
    assert (tmp_path / "note").read_bytes() == b"caf\xe9\nname = \xc3\xa9\n\xff\xfe\n"


def test_the_mode_of_the_file_is_kept(context: Context, tmp_path: Path) -> None:
    (tmp_path / "note").chmod(0o750)
    change(context, "one", "1")
    assert (tmp_path / "note").stat().st_mode & 0o777 == 0o750


def test_a_program_or_a_very_large_file_is_not_edited(context: Context, tmp_path: Path) -> None:
    (tmp_path / "program").write_bytes(b"\x7fELF" + bytes(1000))
    assert "program" in refused(context, "ELF", "x", "program").message
    with (tmp_path / "large").open("wb") as file:
        file.truncate(module.MAX_BYTES + 1)
    assert refused(context, "a", "b", "large").kind is Kind.FILE_TOO_LARGE


def test_a_call_that_is_over_changes_nothing(context: Context, tmp_path: Path) -> None:
    context.cancel()
    assert refused(context, "one", "1").kind is Kind.CANCELLED
    assert (tmp_path / "note").read_text() == TEXT


@given(st.text("ab\n", max_size=40), st.text("ab\n", min_size=1, max_size=3), st.text("xy\n", max_size=3))
def test_replacing_all_is_what_python_does(text: str, old: str, new: str) -> None:
    try:
        changed, lines = edit(text, old, new, True, "note")
    except ToolError:
        assert old not in text
    else:
        assert changed == text.replace(old, new)
        assert len(lines) == text.count(old)
        rows = changed.split("\n")
        assert all(1 <= line <= len(rows) for line in lines)
