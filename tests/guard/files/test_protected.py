"""What the owner's own programs obey is written by file tools only when a person says yes."""

import os
from pathlib import Path

import pytest
from tests.ordinary import run_as_ordinary

from oneclaw import App, Config, ToolCall
from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.question import Question
from oneclaw.core.session import Root, Workspace
from oneclaw.guard.files import paths, protected

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
