"""Where a chat and a run work: asked for once, always shown, and `oneclaw workspace`."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.cli.vt import Terminal, environment, script

pytestmark = pytest.mark.slow

Cli = Any
WRITE = {"call": "write_file", "arguments": {"path": "a.txt", "content": "hi"}}


def project(folder: Path) -> Path:
    folder.mkdir()
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    return folder


def test_a_chat_works_in_the_repository_it_is_started_in(home: Path, tmp_path: Path) -> None:
    folder, model = project(tmp_path / "project"), script(tmp_path, WRITE, "Done.")
    started = environment(home)
    with Terminal("chat", "--model", model, environment=started, folder=folder, columns=200) as terminal:
        terminal.wait(f"workspace {folder} (git repository)")
        terminal.say("write")
        terminal.wait("Done.")
        assert terminal.leave() == 0
    assert (folder / "a.txt").read_text() == "hi"


@pytest.mark.parametrize(("key", "shown"), [("y", "(confirmed folder)"), ("", "(private folder)")])
def test_a_chat_in_a_plain_folder_asks_once(home: Path, tmp_path: Path, key: str, shown: str) -> None:
    folder, model = tmp_path / "papers", script(tmp_path, WRITE, "Done.")
    folder.mkdir()
    started = environment(home)
    with Terminal("chat", "--model", model, environment=started, folder=folder, columns=200) as terminal:
        terminal.wait("Work in this folder? [y/N] ")
        terminal.type(f"{key}\n")
        terminal.wait(shown)
        terminal.say("write")
        terminal.wait("Done.")
        assert terminal.leave() == 0
    assert (folder / "a.txt").exists() == bool(key)
    with Terminal("chat", "--model", model, environment=started, folder=folder, columns=200) as terminal:
        terminal.wait(shown)
        assert terminal.leave() == 0
        assert "Work in this folder?" not in terminal.raw


def test_ctrl_c_at_the_question_ends_in_one_line(home: Path, tmp_path: Path) -> None:
    folder, model = tmp_path / "papers", script(tmp_path, "Hi.")
    folder.mkdir()
    with Terminal("chat", "--model", model, environment=environment(home), folder=folder) as terminal:
        terminal.wait("Work in this folder? [y/N] ")
        terminal.interrupt("Stopped.")
        assert terminal.end() == 130
        assert terminal.screen.text.rstrip().endswith("Stopped.")
        assert "Traceback" not in terminal.raw


def test_a_run_in_a_pipe_works_in_the_repository_and_asks_nobody(
    cli: Cli, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project(tmp_path / "project"))
    assert cli("run", "write", "--model", script(tmp_path, WRITE, "Done.")).code == 0
    assert (tmp_path / "project" / "a.txt").exists()
    (tmp_path / "plain").mkdir()
    monkeypatch.chdir(tmp_path / "plain")
    assert cli("run", "write", "--model", script(tmp_path, WRITE, "Done.")).code == 0
    assert not (tmp_path / "plain" / "a.txt").exists()
    assert (home / "workspace" / "a.txt").exists()


def test_the_command_shows_confirms_and_forgets(
    cli: Cli, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    monkeypatch.chdir(folder)
    ended = cli("workspace")
    assert ended.out == f"{home / 'workspace'} (private folder)\n"
    assert "oneclaw workspace confirm" in ended.err
    assert "is confirmed" in cli("workspace", "confirm").out
    assert cli("workspace", "--json").json == {"workspace": str(folder), "reason": "confirmed"}
    assert cli("workspace", "list", "--json").json == [{"folder": str(folder), "confirmed": True}]
    assert "is declined" in cli("workspace", "deny", str(folder)).out
    assert cli("workspace", "list").out == f"✗\t{folder}\n"
    assert "is forgotten" in cli("workspace", "forget").out
    assert "No folder was confirmed" in cli("workspace", "list").out
    assert cli("workspace", "confirm", "/").code == 2
    assert cli("workspace", "show", "x").code == 2
