"""Paths made to climb out of a folder: nothing outside is read, listed, written or made."""

import os
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from tests.corpus.conftest import Judged, Rows

from oneclaw.core.call import Output
from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Session, Workspace
from oneclaw.core.tool import Context, Tool
from oneclaw.tools.list_files import list_files
from oneclaw.tools.read_file import read_file
from oneclaw.tools.write_file import write_file

CANARY = "canary outside the workspace"
INSIDE = "inside the workspace"
WANTED = ("etc/passwd", "etc/issue", "boot.ini", "windows/win.ini", "windows/system32/drivers/etc/hosts")
CLEAN = {Kind.PATH_NOT_ALLOWED, Kind.FILE_NOT_FOUND, Kind.VALIDATION_ERROR}


@pytest.fixture
def context(tmp_path: Path) -> Context:
    """A workspace eight folders down, with what attackers want at every level above it."""
    level = tmp_path
    for name in ("1", "2", "3", "4", "5", "6", "7", "work"):
        for wanted in WANTED:
            (level / wanted).parent.mkdir(parents=True, exist_ok=True)
            (level / wanted).write_text(CANARY)
        level = level / name
    (level / "sub").mkdir(parents=True)
    (level / "sub/etc").mkdir()
    (level / "sub/etc/passwd").write_text(INSIDE)
    return Context(session=Session(workspace=Workspace(level)))


def forms(path: str) -> Iterator[str]:
    """A path and what servers, shells and other systems would make of it."""
    for wanted in ("etc/passwd", "etc\\passwd"):
        whole = path.replace("{FILE}", wanted)
        once = unquote(whole)
        twice = unquote(once)
        wide = re.sub(r"%u([0-9a-fA-F]{4})", lambda code: chr(int(code[1], 16)), twice)
        raw = unquote(whole, "latin-1")
        for form in (whole, once, twice, wide, raw, unquote(whole, "utf-8", "surrogateescape")):
            yield form
            yield form.replace("\\", "/")


def spellings(path: str, work: Path) -> set[str]:
    found: set[str] = set()
    for form in forms(path):
        found |= {form, f"./{form}", f"sub/{form}", f"sub/../{form}", f"{work}/{form}", form.lstrip("/")}
        found |= {form.strip(), form.rstrip("\0"), form.partition("\0")[0], f"../work/{form}"}
    return found


def run(tool: Tool, context: Context, path: str, **arguments: str) -> str | Kind:
    refused: ToolError | None = None
    answer: str | Output = ""
    try:
        answer = tool.execute({"path": path, **arguments}, context)
    except ToolError as error:
        refused = error
    if refused is None:
        return answer.value if isinstance(answer, Output) else answer
    assert refused.kind in CLEAN, (path, refused.message)
    assert "\n" not in refused.message
    assert len(refused.message) < 600
    return refused.kind


def leads_out(path: str, work: Path) -> bool:
    whole = posixpath.normpath(posixpath.join(str(work), path))
    return "/" + whole.lstrip("/") != str(work) and not f"/{whole.lstrip('/')}".startswith(f"{work}/")


def outside(context: Context) -> dict[str, str]:
    work = context.workspace.folder
    top = work.parents[7]
    every = (path for path in top.rglob("*") if not path.is_relative_to(work))
    return {str(path): path.read_text() if path.is_file() else "" for path in every}


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_no_path_leads_out(rows: Rows, context: Context, judged: Judged) -> None:
    work = context.workspace.folder
    before = outside(context)
    # All reads come first: a path that leaks is not written to.
    held: list[dict[str, Any]] = []
    for row in rows("path_traversal"):
        with judged(row["id"]):
            for path in spellings(row["path"], work):
                answer = run(read_file, context, path)
                assert answer in (*CLEAN, INSIDE), path
                if leads_out(path, work):
                    assert answer in (Kind.PATH_NOT_ALLOWED, Kind.VALIDATION_ERROR), path
            held.append(row)
    for row in rows("path_traversal"):
        with judged(row["id"]):
            for path in {row["path"], *forms(row["path"])}:
                listed = run(list_files, context, path)
                assert not leads_out(path, work) or isinstance(listed, Kind), path
    done: set[str] = set()
    for row in held:
        with judged(row["id"]):
            for path in {row["path"], *list(forms(row["path"]))[:6]} - done:
                done.add(path)
                written = run(write_file, context, path, content=INSIDE)
                assert not leads_out(path, work) or isinstance(written, Kind), path
    assert outside(context) == before


@pytest.mark.parametrize("path", ["../{FILE}", "..%2f..%2f{FILE}", "%252e%252e/{FILE}", "..\\..\\{FILE}"])
def test_without_the_guard_the_canary_is_found(path: str, context: Context) -> None:
    """The twin: such paths, opened plainly, do lead out."""
    work = context.workspace.folder
    assert any((work / form).read_text() == CANARY for form in forms(path) if (work / form).is_file())


def test_the_machines_own_files_are_never_read(context: Context) -> None:
    for path in ("/etc/passwd", "/etc/hosts", "../" * 30 + "etc/passwd", f"{os.getcwd()}/pyproject.toml"):
        assert run(read_file, context, path) is Kind.PATH_NOT_ALLOWED
