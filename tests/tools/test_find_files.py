"""find_files: paths by pattern, from the workspace only, in order and no more than asked for."""

from pathlib import Path

import pytest

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Root, Session, Workspace
from oneclaw.core.tool import Context
from oneclaw.tools import find_files as module
from oneclaw.tools.find_files import find_files

FILES = (
    *("README.md", "setup.py", "src/main.py", "src/app.js", "src/core/tool.py", "src/core/types.ts"),
    *("tests/test_main.py", ".env", ".git/config", ".github/ci.yml", "src/.cache/old.py"),
)


@pytest.fixture
def context(tmp_path: Path) -> Context:
    work = tmp_path / "work"
    for name in FILES:
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_bytes(b"")
    (tmp_path / "outside.py").write_bytes(b"")
    return Context(session=Session(workspace=Workspace(work)))


def found(context: Context, pattern: str, path: str = ".", **arguments: object) -> list[str]:
    return find_files.execute({"pattern": pattern, "path": path, **arguments}, context).split("\n")


@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        ("*.py", ["setup.py", "src/core/tool.py", "src/main.py", "tests/test_main.py"]),
        ("./*.py", ["setup.py"]),
        ("src/*.py", ["src/main.py"]),
        ("src/**/*.py", ["src/core/tool.py", "src/main.py"]),
        ("**/*.{js,ts}", ["src/app.js", "src/core/types.ts"]),
        ("src/**", ["src/app.js", "src/core/tool.py", "src/core/types.ts", "src/main.py"]),
        ("**/core/*", ["src/core/tool.py", "src/core/types.ts"]),
        ("[rs]*.[pm][yd]", ["setup.py"]),
        ("????.py", ["src/core/tool.py", "src/main.py"]),
        (".env", [".env"]),
        (".github/**", [".github/ci.yml"]),
        (".git/*", [".git/config"]),
        ("core/", ["src/core/"]),
        ("*/", ["src/", "src/core/", "tests/"]),
    ],
)
def test_patterns_find_what_they_say(context: Context, pattern: str, paths: list[str]) -> None:
    assert found(context, pattern) == paths


def test_hidden_names_are_found_when_asked_for_and_git_only_by_name(context: Context) -> None:
    assert found(context, "*", hidden=True) == sorted(
        (name for name in FILES if not name.startswith(".git/")), key=lambda name: name.split("/")
    )


def test_paths_can_be_given_to_other_tools(context: Context) -> None:
    assert found(context, "*.py", "src") == ["src/core/tool.py", "src/main.py"]
    assert found(context, "*.py", "./src/") == ["src/core/tool.py", "src/main.py"]
    work = context.workspace.folder
    assert found(context, "*.md", str(work)) == [f"{work}/README.md"]


def test_links_are_shown_and_never_followed(context: Context, tmp_path: Path) -> None:
    work = context.workspace.folder
    (work / "way.py").symlink_to(tmp_path / "outside.py")
    (work / "up").symlink_to(tmp_path)
    (work / "src/round").symlink_to(".")
    assert found(context, "{way,outside,main}.py") == ["src/main.py", "way.py"]
    assert found(context, "up/*") == ["(Nothing matches up/* in ..)"]
    with pytest.raises(ToolError) as caught:
        found(context, "*", "up")
    assert caught.value.kind is Kind.PATH_NOT_ALLOWED


def test_closed_folders_are_not_searched(context: Context) -> None:
    work = context.workspace.folder
    closed = Context(session=Session(workspace=Workspace(work, (Root(work / "src", "none"),))))
    assert found(closed, "*.py") == ["setup.py", "tests/test_main.py"]


def test_what_is_too_much_is_counted(context: Context) -> None:
    assert found(context, "*.py", limit=1) == [
        "setup.py",
        "(3 more match; raise limit or narrow the pattern.)",
    ]


def test_a_walk_that_is_cut_says_so(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ENTRIES", 5)
    assert "entries were looked at" in "".join(found(context, "*"))


@pytest.mark.parametrize("pattern", ["", "/etc/*", "../*", "a/../b", "{a,b}" * 10, "x" * 2000, "./"])
def test_patterns_that_cannot_be_meant_are_refused(context: Context, pattern: str) -> None:
    with pytest.raises(ToolError) as caught:
        found(context, pattern)
    assert caught.value.kind is Kind.VALIDATION_ERROR


def test_a_call_that_is_over_stops(context: Context) -> None:
    context.cancel()
    with pytest.raises(ToolError) as caught:
        found(context, "*")
    assert caught.value.kind is Kind.CANCELLED
