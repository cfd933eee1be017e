"""Files that tell of a machine: none can be read, listed or written, by any spelling or through any link."""

import os
import posixpath
from pathlib import Path
from typing import Any

from tests.corpus.conftest import Judged, Rows

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


def absolute(row: dict[str, Any]) -> str:
    """The path of a row from the root, as one name."""
    return posixpath.normpath("/" + row["path"].lstrip("/"))


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


def test_no_spelling_and_no_link_reaches_them(rows: Rows, tmp_path: Path, judged: Judged) -> None:
    work = tmp_path / "work"
    work.mkdir()
    context = Context(session=Session(workspace=Workspace(work)))
    held: dict[int, dict[str, Any]] = {}
    for number, row in enumerate(rows("sensitive_paths")):
        with judged(row["id"]):
            path = absolute(row)
            assert kind_of_refusal(read_file, context, row["path"]) is not None
            (work / f"link-{number}").symlink_to(path)
            (work / f"folder-{number}").symlink_to(os.path.dirname(path))
            through = [f"link-{number}", f"folder-{number}/{os.path.basename(path)}"]
            for spelling in (*spellings(path, work), *through):
                for tool, arguments in ((read_file, {}), (list_files, {}), (search_text, {"pattern": ""})):
                    refusal = kind_of_refusal(tool, context, spelling, **arguments)
                    assert refusal is Kind.PATH_NOT_ALLOWED, (tool.name, spelling)
            held[number] = row
    # Only what could not be read is tried to write: there is nothing to write but the reason to fail.
    for number, row in held.items():
        with judged(row["id"]):
            for spelling in (*spellings(absolute(row), work), f"link-{number}"):
                refusal = kind_of_refusal(write_file, context, spelling, content="")
                assert refusal is Kind.PATH_NOT_ALLOWED, spelling


def test_a_name_like_theirs_inside_is_only_a_name(rows: Rows, tmp_path: Path, judged: Judged) -> None:
    context = Context(session=Session(workspace=Workspace(tmp_path)))
    for number, row in enumerate(rows("sensitive_paths")):
        with judged(row["id"]):
            if absolute(row) == "/":
                continue  # no name
            inside = f"./{number}{absolute(row)}"
            refusal = kind_of_refusal(write_file, context, inside, content="mine")
            if refusal in (Kind.PERMISSION_DENIED, Kind.PATH_NOT_ALLOWED) and "/." in inside[1:]:
                continue  # a program of the owner's would obey it, as `.git/config`
            assert refusal is None
            assert read_file.execute({"path": inside}, context) == "mine"
