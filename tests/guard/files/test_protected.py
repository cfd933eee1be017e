"""What the owner's own programs obey is written by file tools only when a person says yes."""

import os
import subprocess
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path

import pytest
from tests.ordinary import run_as_ordinary

from oneclaw import App, Config, ToolCall
from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.question import Question
from oneclaw.core.session import Root, Workspace
from oneclaw.guard.files import paths, protected, repository

PROJECT = [path for some in protected.IN_PROJECT.values() for path in some]
HOME = [path for some in protected.IN_HOME.values() for path in some if not path.startswith("/")]


def write(workspace: Workspace, path: str) -> Kind | None:
    try:
        paths.replace_file(workspace, path, b"x", lambda: None)
    except ToolError as error:
        return error.kind
    return None


@pytest.fixture
def work(tmp_path: Path) -> Workspace:
    (tmp_path / "work").mkdir()
    return Workspace(tmp_path / "work")


@pytest.mark.parametrize("path", PROJECT)
def test_each_of_them_needs_a_yes_in_every_folder_and_spelling(work: Workspace, path: str) -> None:
    folder, name = os.path.split(path)
    for spelling in (
        *(path, f"sub/{path}", f"a/b/{path}", f"./{path}", os.path.join(folder, name.upper())),
        *(f"{path}/inside", f"{path}/deep/er", f"{work.folder}/{path}", f"link/{path}"),
    ):
        (work.folder / "real").mkdir(exist_ok=True)
        if not (work.folder / "link").is_symlink():
            (work.folder / "link").symlink_to("real")
        assert write(work, spelling) is Kind.PERMISSION_DENIED, spelling
    left = [one for one in work.folder.rglob("*") if one.is_file() or one.name in path.split("/")[-1:]]
    assert left == [], "nor is a folder made on the way to it"
    assert write(work, f"{name}.txt") is None
    assert write(work, f"x{name}") is None


@pytest.mark.parametrize("path", PROJECT)
def test_without_the_list_they_could_be_written(
    work: Workspace, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protected, "project_names", dict)
    assert write(work, path) is None


HARM = """[core]
  repositoryformatversion = 0
  bare = false
  worktree = .
  fsmonitor = "touch harm; false"
"""
REPOSITORY = {"HEAD": "ref: refs/heads/main\n", "objects/x": "", "refs/x": "", "config": HARM}


def plant(work: Workspace, folder: str, names: Sequence[str]) -> list[str]:
    """Write the files of a repository by file tools, in this order: those that took a yes nobody gave."""
    refused: list[str] = []
    for name in names:
        try:
            paths.replace_file(work, f"{folder}/{name}", REPOSITORY[name].encode(), lambda: None)
        except ToolError as error:
            refused += [name] if error.kind is Kind.PERMISSION_DENIED else []
    return refused


def is_harmed(work: Workspace, folder: str) -> bool:
    subprocess.run(["git", "status"], cwd=work.folder / folder, capture_output=True)
    return any(work.folder.rglob("harm"))


@pytest.mark.parametrize("folder", [".", "sub"])
def test_a_repository_without_a_git_folder_needs_a_yes_in_whatever_order_it_is_written(
    work: Workspace, folder: str
) -> None:
    for number, names in enumerate(permutations(REPOSITORY)):
        inner = Workspace(work.folder / str(number))
        inner.folder.mkdir()
        assert plant(inner, folder, names), names
        assert not is_harmed(inner, folder)


def test_without_that_git_runs_what_it_names(work: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin."""

    def never(folder: str, name: str) -> bool:
        return False

    monkeypatch.setattr(repository, "is_git_write", never)
    assert plant(work, "sub", [*REPOSITORY]) == []
    assert is_harmed(work, "sub")


def test_what_git_obeys_in_a_bare_repository_needs_a_yes(work: Workspace) -> None:
    subprocess.run(["git", "init", "-q", "--bare", "bare"], cwd=work.folder, check=True)
    for name in ("config", "hooks/post-update", "CONFIG", "HEAD", "commondir", "config.worktree", "refs/x"):
        assert write(work, f"bare/{name}") is Kind.PERMISSION_DENIED, name
    assert write(work, "bare/description") is None
    # One may point to another, which then holds the settings.
    assert write(work, "sub/HEAD") is None
    assert write(work, "sub/commondir") is Kind.PERMISSION_DENIED


@pytest.mark.parametrize("path", HOME)
def test_in_the_home_of_the_user_these_need_a_yes_and_elsewhere_they_do_not(
    tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "user"
    (home / "work").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    for workspace in (Workspace(home), Workspace(home / "work", (Root(home, "write"),))):
        for spelling in (str(home / path), str(home / path / "inside")):
            assert write(workspace, spelling) is Kind.PERMISSION_DENIED, spelling
    assert not (home / path).exists()
    if path not in PROJECT:
        assert write(Workspace(home), f"copy/{path}") is None
    monkeypatch.setenv("HOME", str(tmp_path / "other"))
    if path not in PROJECT:
        assert write(Workspace(home), path) is None, "the twin: where it is no home, it is only a name"


def test_what_the_owner_named_to_be_written_needs_no_yes(work: Workspace, tmp_path: Path) -> None:
    opened = Workspace(work.folder, (Root(work.folder / ".vscode", "write"),))
    assert write(opened, ".vscode/settings.json") is None
    assert write(opened, ".envrc") is Kind.PERMISSION_DENIED
    inside = Workspace(tmp_path / ".claude" / "work")
    inside.folder.mkdir(parents=True)
    assert write(inside, "note.txt") is None
    assert write(inside, ".envrc") is Kind.PERMISSION_DENIED


CALLS = {
    "write_file": {"path": ".vscode/tasks.json", "content": "x"},
    "edit_file": {"path": ".envrc", "old": "mine", "new": "x"},
}


@pytest.mark.parametrize("tool", [*CALLS])
@pytest.mark.parametrize("answer", ["once", "no", "nobody"])
async def test_a_person_is_asked_and_the_answer_holds(tmp_path: Path, tool: str, answer: str) -> None:
    work, asked = tmp_path / "work", list[str]()
    work.mkdir()
    (work / ".envrc").write_text("mine")
    async with App(Config(home=tmp_path / "home", workspace=work)) as app:

        def show(prompt: Question) -> None:
            asked.append(prompt.text)
            app.broker.answer(prompt.id, "once" if answer == "once" else "no")

        if answer != "nobody":
            app.broker.bind(show)
        done = await app.engine.call(ToolCall(tool, CALLS[tool]))
    assert done.ok == (answer == "once")
    assert len(asked) == (answer != "nobody")
    assert all("without asking you by" in text for text in asked)
    changed = (work / CALLS[tool]["path"]).exists() and (work / CALLS[tool]["path"]).read_text() == "x"
    assert changed == (answer == "once")
    if answer != "once":
        assert done.kind is Kind.PERMISSION_DENIED


def test_all_of_this_holds_for_an_ordinary_user() -> None:
    run_as_ordinary(__file__)
