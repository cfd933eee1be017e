"""`oneclaw undo` and `/undo`: what was changed is restored and told; what changed since is left."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.cli.conftest import Cli
from tests.cli.vt import Terminal, environment, script

from oneclaw import Agent, App, Config, NotFound, Scripted
from oneclaw.core.errors import UndoRefused
from oneclaw.core.message import UserMessage
from oneclaw.operations.undo import tell_undone
from oneclaw.providers.base import Request
from oneclaw.providers.scripted import Call


def write(cli: Cli, path: str, content: str) -> None:
    assert cli("call", "write_file", f"path={path}", f"content={content}").code == 0


@pytest.fixture
def workspace(home: Path) -> Path:
    folder = home / "workspace"
    folder.mkdir(parents=True)
    return folder


def test_the_last_call_is_undone_and_then_the_one_before(cli: Cli, workspace: Path) -> None:
    write(cli, "a.txt", "one")
    write(cli, "a.txt", "two")
    ended = cli("undo")
    assert ended.code == 0
    assert ended.out.startswith(
        "Undid the call of write_file:\n  restored        a.txt\nTake this back: oneclaw"
    )
    assert (workspace / "a.txt").read_text() == "one"
    back = ended.out.split()[-1]
    assert cli("undo").out.splitlines()[1] == "  removed         a.txt"
    assert not (workspace / "a.txt").exists()
    assert cli("undo").err == (
        "oneclaw: There is nothing to undo: no change of files is kept that is not undone already.\n"
    )
    assert cli("undo", back).code == 1  # a.txt is gone since
    assert cli("undo", back, "--force").code == 0
    assert (workspace / "a.txt").read_text() == "two"


def test_a_run_in_a_project_is_undone_in_that_project_before_a_call_in_the_private_folder(
    cli: Cli, home: Path, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    model = script(tmp_path, [{"call": "write_file", "arguments": {"path": "a.txt", "content": "x"}}], "ok")
    monkeypatch.chdir(project)
    assert cli("run", "--model", model, "hi").code == 0
    write(cli, "private.txt", "one")
    assert (project / "a.txt").read_text() == "x"
    assert "removed         a.txt" in cli("undo").out
    assert (os.listdir(project), os.listdir(workspace)) == ([".git"], ["private.txt"])
    assert "removed         private.txt" in cli("undo").out
    assert "There is nothing to undo" in cli("undo").err


def test_a_call_is_undone_by_its_number_and_says_so_in_json(cli: Cli, workspace: Path) -> None:
    write(cli, "a.txt", "one")
    write(cli, "b.txt", "two")
    done = cli("undo", "1", "--json").json
    assert done["what"] == "the call 1 (write_file)"
    assert done["files"] == [{"did": "removed", "path": "a.txt", "moved_from": ""}]
    assert os.listdir(workspace) == ["b.txt"]
    again = cli("undo", "1")
    assert again.code == 1
    assert again.err.startswith("oneclaw: The call 1 (write_file) is undone already; `oneclaw undo ")


def test_a_file_that_was_changed_since_is_left_unless_forced(cli: Cli, workspace: Path) -> None:
    write(cli, "a.txt", "one")
    (workspace / "a.txt").write_text("mine")
    ended = cli("undo")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == (
        "oneclaw: The call of write_file is not undone: a.txt was changed since. Use --force to undo it all"
        " the same; what is there now is kept.\n"
    )
    assert cli("undo", "--json").json["conflicts"] == ["a.txt was changed since"]
    assert (workspace / "a.txt").read_text() == "mine"
    forced = cli("undo", "--force")
    assert not (workspace / "a.txt").exists()
    assert cli("undo", forced.out.split()[-1]).code == 0
    assert (workspace / "a.txt").read_text() == "mine"


def test_a_call_that_changed_no_files_and_a_name_of_nothing_say_so(cli: Cli, workspace: Path) -> None:
    cli("call", "get_current_time")
    ended = cli("undo", "1")
    assert ended.code == 1
    assert "what commands and other programs changed cannot be undone" in ended.err
    for name in ("99", "nothing"):
        assert cli("undo", name).err == (
            f"oneclaw: there is no call or run '{name}'. `oneclaw log` lists the calls, `oneclaw runs` the"
            " runs.\n"
        )


def test_another_workspace_is_not_touched(cli: Cli, workspace: Path, tmp_path: Path) -> None:
    write(cli, "a.txt", "one")
    other = tmp_path / "other"
    other.mkdir()
    assert "nothing to undo" in cli("undo", "--workspace", str(other)).err
    ended = cli("undo", "1", "--workspace", str(other))
    assert ended.code == 1
    assert "cannot be undone: Access denied: " in ended.err
    assert (workspace / "a.txt").read_text() == "one"


def test_a_forgotten_session_cannot_be_undone(cli: Cli, workspace: Path) -> None:
    write(cli, "a.txt", "one")
    session = cli("log", "1", "--json").json["session"]
    assert cli("sessions", "remove", session).code == 0
    assert cli("undo").code == 1
    assert (workspace / "a.txt").read_text() == "one"


# ---------------------------------------------------------------------- runs


def change(path: str, content: str) -> dict[str, object]:
    return {"call": "write_file", "arguments": {"path": path, "content": content}}


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[App]:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.txt").write_text("first")
    model = Scripted(
        [
            [Call("write_file", path="a.txt", content="2"), Call("write_file", path="new/b", content="b")],
            "Done.",
            Call("write_file", path="a.txt", content="third"),
            "Done again.",
        ]
    )
    config = Config(tmp_path / "home", workspace=work, mode="auto", values={"models.default": "s/x"})
    async with App(config, providers={"s": model}) as opened:
        yield opened


async def test_a_run_is_undone_whole_by_the_app(app: App, tmp_path: Path) -> None:
    work = tmp_path / "work"
    session = (await app.ask("default", "change it")).session
    await app.ask("default", "and again", session=session)
    second, first = await app.store.runs.list(session=session)
    assert (work / "a.txt").read_text() == "third"
    with pytest.raises(UndoRefused, match=r"a\.txt was changed since"):
        await app.undo(first.id)
    done = await app.undo(session=session)
    assert [(each.did, each.path) for each in done.files] == [("restored", "a.txt")]
    assert done.what == f"the run {second.id.rpartition('-')[2][:8]}"
    await app.undo(first.id[-16:])
    assert (work / "a.txt").read_text() == "first"
    assert os.listdir(work) == ["a.txt"]
    with pytest.raises(UndoRefused, match="undone already"):
        await app.undo(first.id)
    with pytest.raises(NotFound):
        await app.undo("nothing")


@pytest.mark.slow
def test_the_chat_undoes_what_the_last_answer_changed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    file = home / "workspace" / "a.txt"
    model = script(tmp_path, [change("a.txt", "hello")], "Written.")
    with Terminal("chat", "--model", model, environment=environment(home)) as terminal:
        terminal.say("/undo")
        terminal.wait("There is nothing to undo")
        terminal.say("write it")
        terminal.wait("Written.")
        terminal.wait("> ")
        assert file.read_text() == "hello"
        terminal.type("/undo\n")
        terminal.wait("removed         a.txt")
        terminal.wait("Take this back: /undo ")
        assert not file.exists()
        back = terminal.screen.text.split("Take this back: /undo ")[1].split()[0]
        terminal.say(f"/undo {back}")
        terminal.wait("restored        a.txt")
        assert file.read_text() == "hello"
        assert terminal.leave() == 0


def test_where_an_undo_cannot_be_kept_nothing_is_changed_and_one_sentence_says_so(
    cli: Cli, home: Path, workspace: Path
) -> None:
    (workspace / "a.txt").write_text("one")
    (home / "undo").write_text("in the way")
    refused = cli("call", "write_file", "path=a.txt", "content=two")
    assert refused.code == 1
    assert "Nothing was changed, for its undo could not be kept (" in refused.err + refused.out
    assert (workspace / "a.txt").read_text() == "one"
    (home / "undo").unlink()
    write(cli, "a.txt", "two")
    assert cli("undo").code == 0
    assert (workspace / "a.txt").read_text() == "one"


def test_where_there_is_no_room_the_oldest_changes_are_forgotten_and_the_newest_can_be_undone(
    cli: Cli, workspace: Path
) -> None:
    assert cli("config", "set", "undo.total_mb", "1").code == 0
    texts = [letter * 400_000 for letter in "abcdef"]
    for text in texts:
        write(cli, "a.txt", text)
    oldest = cli("log", "--json").json[-1]["key"]
    for text in (texts[-2], texts[-3]):
        assert cli("undo").code == 0
        assert (workspace / "a.txt").read_text() == text
    forgotten = cli("undo", str(oldest))
    assert (forgotten.code, len(forgotten.err.splitlines())) == (1, 1)
    assert (workspace / "a.txt").read_text() == texts[-3]


async def test_the_model_is_told_of_an_undo_with_the_next_message(tmp_path: Path) -> None:
    seen: list[str] = []

    def look(request: Request) -> str:
        seen.extend(message.text for message in request.messages if isinstance(message, UserMessage))
        return "Right."

    model = Scripted([[Call("write_file", path="a.txt", content="one")], "Done.", look])
    async with App(Config(home=tmp_path), providers={"demo": model}) as app:
        session = app.new_session()
        assert (await app.ask(Agent(model="demo/x"), "write it", session=session)).text == "Done."
        await tell_undone(app, session, await app.undo(session=session.id))
        assert (await app.ask(Agent(model="demo/x"), "and now?", session=session)).text == "Right."
    assert seen[0] == "write it"
    assert seen[1].startswith("The person undid the run ")
    assert seen[1].endswith("The files are as they were before it:\n- a.txt: removed")
    assert seen[2] == "and now?"
