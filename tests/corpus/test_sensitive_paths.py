"""Files that tell of a machine: none can be read, listed or written, by any spelling or through any link."""

import os
from pathlib import Path

from tests.corpus.conftest import Rows

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Session, Workspace
from oneclaw.core.tool import Context, Tool
from oneclaw.tools.list_files import list_files
from oneclaw.tools.read_file import read_file
from oneclaw.tools.search_text import search_text
from oneclaw.tools.write_file import write_file


def kind_of_refusal(tool: Tool, context: Context, path: str, **arguments: str) -> Kind | None:
    try:
        tool.execute({"path": path, **arguments}, context)
    except ToolError as error:
        return error.kind
    return None


def spellings(path: str, work: Path) -> list[str]:
    up = "../" * len(work.parents)
    return [
        *(
            path,
            f"/{path}",
            f"//{path}",
            f"/.{path}",
            f"/../..{path}",
            up + path.lstrip("/"),
            f"{work}/{up}{path}",
        ),
        *(
            f"/proc/self/root{path}",
            f"/proc/self/cwd/{up}{path}",
            f"/dev/fd/../root{path}",
            f"{path}/",
            f"{path}/.",
        ),
        *(f"/etc/..{path}", f"/proc/1/root{path}", f"/proc/thread-self/root{path}"),
    ]


def test_no_spelling_and_no_link_reaches_them(rows: Rows, tmp_path: Path, monkeypatch: object) -> None:
    work = tmp_path / "work"
    work.mkdir()
    context = Context(session=Session(workspace=Workspace(work)))
    for number, row in enumerate(rows("sensitive_paths")):
        path: str = row["path"]
        (work / f"link-{number}").symlink_to(path)
        (work / f"folder-{number}").symlink_to(os.path.dirname(path))
        through = [f"link-{number}", f"folder-{number}/{os.path.basename(path)}"]
        for spelling in (*spellings(path, work), *through):
            for tool, arguments in ((read_file, {}), (list_files, {}), (search_text, {"pattern": ""})):
                assert kind_of_refusal(tool, context, spelling, **arguments) is Kind.PATH_NOT_ALLOWED, (
                    spelling
                )
    # Only when nothing could be read is it tried to write: there is nothing to write but the reason to fail.
    for number, row in enumerate(rows("sensitive_paths")):
        for spelling in (*spellings(row["path"], work), f"link-{number}"):
            refusal = kind_of_refusal(write_file, context, spelling, content="")
            assert refusal is Kind.PATH_NOT_ALLOWED, spelling


def test_a_name_like_theirs_inside_is_only_a_name(rows: Rows, tmp_path: Path) -> None:
    context = Context(session=Session(workspace=Workspace(tmp_path)))
    for row in rows("sensitive_paths"):
        inside = "./" + row["path"].lstrip("/")
        write_file.execute({"path": inside, "content": "mine"}, context)
        assert read_file.execute({"path": inside}, context) == "mine"
