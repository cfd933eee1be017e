"""Strings that break programs, as names and as content of files: an exact round trip, or a clean error."""

import os
from pathlib import Path

import pytest
from tests.corpus.conftest import Judged, Rows, as_read, texts_of

from oneclaw.core.call import Output
from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Session, Workspace
from oneclaw.core.tool import Context, Tool
from oneclaw.tools.edit_file import edit_file
from oneclaw.tools.find_files import find_files
from oneclaw.tools.list_files import list_files
from oneclaw.tools.read_file import read_file
from oneclaw.tools.search_text import search_text
from oneclaw.tools.write_file import write_file


@pytest.fixture
def context(tmp_path: Path) -> Context:
    (tmp_path / "work").mkdir()
    return Context(session=Session(workspace=Workspace(tmp_path / "work")))


def read(context: Context, path: str) -> str:
    answer = read_file.execute({"path": path}, context)
    return answer.value if isinstance(answer, Output) else answer


def refusal(tool: Tool, context: Context, **arguments: str) -> Kind | None:
    try:
        assert isinstance(tool.execute(arguments, context), str | Output)
    except ToolError as error:
        return error.kind
    return None


def test_as_names(rows: Rows, context: Context, tmp_path: Path, judged: Judged) -> None:
    for each, text in texts_of(rows, "naughty_strings").items():
        with judged(each):
            for name in (text, f"folder/{text}", f"{text}.txt", text.replace("/", "_") or "_"):
                kind = refusal(write_file, context, path=name, content=text)
                if kind is not None:
                    assert kind in (Kind.VALIDATION_ERROR, Kind.PATH_NOT_ALLOWED, Kind.FILE_NOT_FOUND), name
                    continue
                assert read(context, name) == as_read(text)
                assert (context.workspace.folder / name).read_bytes() == text.encode()
                parent = os.path.dirname(name.rstrip("/")) or "."
                assert list_files.execute({"path": parent, "limit": 10_000}, context)
    assert os.listdir(tmp_path) == ["work"]


def test_as_content(rows: Rows, context: Context, judged: Judged) -> None:
    written = ""
    for each, text in texts_of(rows, "naughty_strings").items():
        with judged(each):
            write_file.execute({"path": "note", "content": text}, context)
            assert read(context, "note") == as_read(text)
            write_file.execute({"path": "log", "content": text, "mode": "append"}, context)
            written += text
            assert (context.workspace.folder / "log").read_bytes() == written.encode()
            if text:
                before = f"before {text} after"
                write_file.execute({"path": "note", "content": before}, context)
                edit_file.execute({"path": "note", "old": text, "new": f"[{text}]", "all": True}, context)
                assert read(context, "note") == before.replace(text, f"[{text}]")


def test_as_patterns(rows: Rows, context: Context, judged: Judged) -> None:
    write_file.execute({"path": "note", "content": "some text\n"}, context)
    for each, text in texts_of(rows, "naughty_strings").items():
        with judged(each):
            for tool in (search_text, find_files):
                assert refusal(tool, context, pattern=text) in (None, Kind.VALIDATION_ERROR)
