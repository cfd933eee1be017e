"""The commands of a chat on a real terminal: views, diffs, export, mentions, leaving."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.vt import Terminal, environment, script

from oneclaw.core.session import Workspace
from oneclaw.operations.mentions import attach, complete_mention

pytestmark = pytest.mark.slow


def write(path: str, content: str) -> dict[str, Any]:
    return {"call": "write_file", "arguments": {"path": path, "content": content}}


def chat(home: Path, model: str, *words: str, **more: str) -> Terminal:
    at = environment(home, **more)
    return Terminal("chat", "--model", model, *words, environment=at, columns=100)


def send(terminal: Terminal, text: str) -> None:
    terminal.say(f"{text}")


@pytest.mark.parametrize("word", ["exit", "quit", "Exit", "/exit"])
def test_these_words_leave(tmp_path: Path, word: str) -> None:
    with chat(tmp_path / "home", script(tmp_path, "never")) as terminal:
        send(terminal, word)
        assert terminal.end() == 0
        assert "never" not in terminal.raw


def test_calls_are_shown_short_or_long_and_again(tmp_path: Path) -> None:
    model = script(tmp_path, write("a.txt", "one\n"), "First.", write("a.txt", "two\n"), "Second.")
    with chat(tmp_path / "home", model) as terminal:
        send(terminal, "/compact-view")
        terminal.wait("one line each")
        send(terminal, "go")
        terminal.wait("First.")
        assert "+one" not in terminal.screen.text
        assert "✓ Write a file path=a.txt" in terminal.screen.text
        send(terminal, "/detailed")
        terminal.wait("wrote and changed")
        send(terminal, "go")
        terminal.wait("+two")
        terminal.wait("Second.")
        send(terminal, "/diff")
        terminal.wait("#2 write_file +1 −1")
        terminal.wait("-one")
        terminal.wait("+two")
        send(terminal, "/diff 1")
        terminal.wait("#1 write_file +1 −0")
        send(terminal, "/show 1")
        terminal.wait("Successfully wrote 4 bytes to a.txt")
        send(terminal, "/show")
        terminal.wait("Name a call: /show 42.")
        send(terminal, "/show 99")
        terminal.wait("There is no call 99")
        assert terminal.leave() == 0


def test_the_status_the_export_and_a_cleared_screen(tmp_path: Path) -> None:
    home, file = tmp_path / "home", tmp_path / "out.json"
    with chat(home, script(tmp_path, "Hello there.")) as terminal:
        send(terminal, "/diff")
        terminal.wait("No call has changed a file here.")
        send(terminal, "hi")
        terminal.wait("Hello there.")
        send(terminal, "/status")
        terminal.wait("workspace  ")
        terminal.wait("mode       auto")
        terminal.wait("took       1 answer")
        send(terminal, f"/export {file}")
        terminal.wait("Wrote 2 messages")
        send(terminal, f"/export {file}")
        terminal.wait("is there already")
        send(terminal, "/clear")
        terminal.wait("A new session:")
        assert "Hello there." not in terminal.screen.text
        send(terminal, "/resume")
        terminal.wait("Go on with one: /resume ID")
        send(terminal, "/resume last")
        terminal.wait("Hello there.")
        assert terminal.leave() == 0
    document = json.loads(file.read_text())
    assert [each["role"] for each in document["messages"]] == ["user", "assistant"]
    assert file.stat().st_mode & 0o777 == 0o600


def test_the_last_exchange_is_shown_again_with_the_session(tmp_path: Path) -> None:
    home = tmp_path / "home"
    model = script(tmp_path, "The first answer.", "The second answer.")
    with chat(home, model) as terminal:
        for text, answer in (("one", "The first answer."), ("two", "The second answer.")):
            send(terminal, text)
            terminal.wait(answer)
        assert terminal.leave() == 0
    with chat(home, model, "--session", "last") as terminal:
        terminal.wait("The second answer.")
        assert "The first answer." not in terminal.screen.text
        assert terminal.leave() == 0


def test_a_mentioned_file_is_completed_and_attached(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "workspace").mkdir(parents=True)
    (home / "workspace" / "notes.txt").write_text("The launch is on Friday.")
    with chat(home, script(tmp_path, "Friday.")) as terminal:
        terminal.wait("> ")
        terminal.type("when? @not\t")
        terminal.wait("@notes.txt")
        terminal.type("\n")
        terminal.wait("(attached notes.txt)")
        terminal.wait("Friday.")
        send(terminal, f"/export {tmp_path / 'chat.json'}")
        terminal.wait("Wrote 2 messages")
        assert terminal.leave() == 0
    document = json.loads((tmp_path / "chat.json").read_text())
    assert "The launch is on Friday." in json.dumps(document["messages"][0])


def test_only_files_of_the_workspace_are_attached(tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / "src").mkdir(parents=True)
    (work / "a.txt").write_text("A")
    (work / "b c.txt").write_text("B")
    (work / "data.bin").write_bytes(bytes(range(256)))
    (work / "long.txt").write_text("x" * 300_000)
    (work / "pixel.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(50))
    (tmp_path / "secret").write_text("S")
    (work / "link").symlink_to(tmp_path / "secret")
    workspace = Workspace(work)
    found = attach(workspace, 'see @a.txt and @"b c.txt", not me@a.txt nor @nobody')
    assert found.text.count("```") == 4
    assert found.notes == ("attached a.txt", "attached b c.txt")
    assert attach(workspace, "me@a.txt").notes == ()
    assert len(attach(workspace, "@pixel.png").images) == 1
    for name in ("link", str(tmp_path / "secret"), "../secret", "data.bin", "long.txt", "src"):
        refused = attach(workspace, f"@{name}")
        assert refused.text == f"@{name}"
        assert refused.notes[0].startswith(f"{name} was not attached: ")
    assert complete_mention(workspace, "@") == [
        "@a.txt", "@data.bin", "@link", "@long.txt", "@pixel.png", "@src/"
    ]  # fmt: skip
    assert complete_mention(workspace, "@s") == ["@src/"]
    assert complete_mention(workspace, "@../") == []
