"""Bytes that are, or are not, UTF-8, as the content of files: shown as the Unicode standard says."""

from pathlib import Path
from typing import Any

import pytest
from tests.corpus.conftest import Judged, Rows

from oneclaw.core.call import Output
from oneclaw.core.session import Session, Workspace
from oneclaw.core.tool import Context
from oneclaw.tools.edit_file import edit_file
from oneclaw.tools.read_file import read_file
from oneclaw.tools.search_text import search_text


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return Context(session=Session(workspace=Workspace(tmp_path)))


def expected(row: dict[str, Any]) -> str:
    return bytes.fromhex(row.get("replaced") or row["hex"]).decode()


def read(context: Context, path: str = "file", **arguments: int) -> tuple[str, int]:
    answer = read_file.execute({"path": path, **arguments}, context)
    return (answer.value, answer.details["replaced"]) if isinstance(answer, Output) else (answer, 0)


def test_as_the_whole_content(rows: Rows, context: Context, tmp_path: Path, judged: Judged) -> None:
    for row in rows("utf8_bytes"):
        with judged(row["id"]):
            data = bytes.fromhex(row["hex"])
            (tmp_path / "file").write_bytes(data)
            text, replaced = read(context)
            assert text == expected(row)
            assert (replaced > 0) == (row["kind"] == "invalid")
            assert replaced == text.count("\ufffd") - data.count("\ufffd".encode())


def test_between_other_text_and_across_the_border_of_two_reads(
    rows: Rows, context: Context, tmp_path: Path, judged: Judged
) -> None:
    for row in rows("utf8_bytes"):
        with judged(row["id"]):
            data, text = bytes.fromhex(row["hex"]), expected(row)
            (tmp_path / "file").write_bytes(b"before " + data + b" after\n")
            assert read(context)[0] == f"before {text} after\n"
            lead = 64 * 1024 - max(1, len(data) // 2)
            (tmp_path / "file").write_bytes(b"x" * lead + data + b" after\n")
            assert read(context, skip_chars=lead)[0] == f"{text} after\n"


def test_searching_and_editing_leave_the_bytes_alone(
    rows: Rows, context: Context, tmp_path: Path, judged: Judged
) -> None:
    for row in rows("utf8_bytes"):
        with judged(row["id"]):
            data = bytes.fromhex(row["hex"])
            (tmp_path / "file").write_bytes(b"first " + data + b"\nsecond line\n")
            assert "file:2: second line" in search_text.execute({"pattern": "^second"}, context)
            edit_file.execute({"path": "file", "old": "second", "new": "2nd"}, context)
            assert (tmp_path / "file").read_bytes() == b"first " + data + b"\n2nd line\n"
