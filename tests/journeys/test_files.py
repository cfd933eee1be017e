"""Work with files, from the first word written to the last one read, through each door."""

import asyncio
import json
import os
import re
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from oneclaw import App, Config, Context, ToolCall, ToolResult, tool
from oneclaw.core.session import Workspace
from oneclaw.guard.files import paths

Door = Any


def test_a_note_is_written_edited_found_and_read(door: Door) -> None:
    said = door.call("write_file", path="notes/today.md", content="buy milk\ncall Zoë\n")
    assert (said["status"], said["effects"]) == ("success", "done")
    assert "19 bytes" in said["result"]
    said = door.call("edit_file", path="notes/today.md", old="milk", new="oat milk")
    assert said["result"] == "Replaced 1 occurrence in notes/today.md, on line 1"
    said = door.call("write_file", path="notes/today.md", content="sleep\n", mode="append")
    assert said["status"] == "success"
    said = door.call("search_text", pattern="Zo[eë]")
    assert said["result"].startswith("notes/today.md:2: call Zoë\n")
    assert said["effects"] == "none"
    assert door.call("find_files", pattern="**/*.md")["result"].splitlines()[0] == "notes/today.md"
    said = door.call("read_file", path="notes/today.md")
    assert said["result"] == "buy oat milk\ncall Zoë\nsleep\n"
    whole = (door.home / "workspace" / "notes" / "today.md").read_bytes()
    assert whole == "buy oat milk\ncall Zoë\nsleep\n".encode()


def test_a_mistake_on_the_way_is_told_and_mended(door: Door) -> None:
    door.call("write_file", path="a.txt", content="alpha beta\n")
    said = door.call("edit_file", path="a.txt", old="alpha  beta", new="x")
    assert said["error_type"] == "validation_error"
    assert "alpha beta" in said["message"]
    said = door.call("read_file", file="a.txt")
    assert said["error_type"] == "validation_error"
    assert "path" in said["message"]
    assert door.call("read_file", path="b.txt")["error_type"] == "file_not_found"
    assert door.call("read_file", path="../oneclaw.db")["error_type"] == "path_not_allowed"
    assert door.call("read_file", path="a.txt")["result"] == "alpha beta\n"


def test_the_journal_tells_the_story_to_whoever_asks_later(door: Door, command_line: Any) -> None:
    door.call("write_file", path="a.txt", content="alpha\n")
    door.call("read_file", path="../x")
    rows = json.loads(command_line.run("log", "--json").stdout)
    assert [(row["tool"], row["status"]) for row in rows] == [
        ("read_file", "error"),
        ("write_file", "success"),
    ]
    assert rows[0]["kind"] == "path_not_allowed"
    assert rows[1]["arguments"] == {"path": "a.txt", "content": "alpha\n", "mode": "overwrite"}
    assert rows[1]["seconds"] > 0


async def read_to_the_end(app: App, path: str) -> str:
    """Follow what read_file says until there is no more; the text it gave in all."""
    text, where = "", dict[str, Any]()
    while True:
        result = await app.engine.call(ToolCall("read_file", {"path": path, **where}))
        assert result.ok, result.message
        piece = result.value
        last = piece.rpartition("\n(These are ")[2]
        go_on = re.search(r"Go on with offset=(\d+)(?: and skip_chars=(\d+))?\.\)$", last)
        if go_on is None or "\n(These are " not in piece:
            return text + piece
        text += piece.rpartition("\n(These are ")[0]
        where = {"offset": int(go_on[1]), "skip_chars": int(go_on[2] or 0)}


@tool(effect="read")
def recite(context: Context, kind: str) -> Any:
    """Say a lot."""
    if kind == "lines":
        return "".join(f"{number} Zoë 👩\u200d🔬 {'x' * (number % 90)}\n" for number in range(3_000))
    if kind == "one line":
        return "e\u0301👍🏽 and so on, " * 9_000
    return [{"number": number, "text": "é" * (number % 70)} for number in range(3_000)]


@pytest.mark.parametrize("kind", ["lines", "one line", "data"])
async def test_a_long_result_is_kept_and_read_in_pieces_to_its_end(tmp_path: Path, kind: str) -> None:
    whole = recite(Context(), kind)
    async with App(Config(home=tmp_path), tools=[recite]) as app:
        result = await app.engine.call(ToolCall("recite", {"kind": kind}))
        assert result.truncated_from is not None
        assert result.truncated_from > 100_000
        assert len(result.text) <= 20_000
        path = re.search(
            r"The whole (?:text|result) is in (.+?): read it in pieces with read_file", result.text
        )
        assert path is not None
        text = await read_to_the_end(app, path[1])
    assert len(text) == result.truncated_from
    assert (text if kind != "data" else json.loads(text)) == whole
    assert Path(path[1]).stat().st_mode & 0o777 == 0o600


async def test_a_kept_result_is_read_by_its_own_session_alone(tmp_path: Path) -> None:
    async with App(Config(home=tmp_path), tools=[recite]) as app:
        result = await app.engine.call(ToolCall("recite", {"kind": "lines"}))
        path = result.value.partition("The whole text is in ")[2].partition(": read it")[0]
        call = ToolCall("read_file", {"path": path, "limit": 1})
        assert (await app.engine.call(call)).ok
        assert (await app.engine.call(call, app.new_session())).kind == "path_not_allowed"
        write = ToolCall("write_file", {"path": path, "content": "mine"})
        assert (await app.engine.call(write)).kind == "path_not_allowed"


async def test_calls_on_one_file_keep_their_order_and_others_do_not_wait(tmp_path: Path) -> None:
    calls: list[ToolCall] = []
    expected: list[str] = []
    for number in range(20):
        for name in ("a.txt", "./a.txt", "b/../a.txt"):
            calls.append(ToolCall("write_file", {"path": name, "content": f"{number}{name}"}))
            calls += [ToolCall("read_file", {"path": "a.txt"})] * 2
            expected += [f"{number}{name}"] * 2
        calls.append(ToolCall("write_file", {"path": f"other/{number}", "content": "x"}))
    async with App(Config(home=tmp_path)) as app:
        (app.config.workspace_folder / "b").mkdir()
        results = await app.engine.call_all(calls)
    assert all(result.ok for result in results)
    assert [result.value for result in results if result.tool == "read_file"] == expected


def traverse(workspace: Path) -> list[ToolCall]:
    """Ways out of the workspace to a file beside it."""
    (workspace / "link").symlink_to("..")
    (workspace / "straight").symlink_to(workspace.parent / "diary.txt")
    return [
        ToolCall("read_file", {"path": path})
        for path in ("../diary.txt", "link/diary.txt", "straight", str(workspace.parent / "diary.txt"))
    ]


async def read_out(folder: Path) -> list[ToolResult]:
    async with App(Config(home=folder / "home", workspace=folder / "work")) as app:
        (folder / "diary.txt").write_text("dear diary")
        return await app.engine.call_all(traverse(folder / "work"))


async def test_no_way_leads_out_of_the_workspace(tmp_path: Path) -> None:
    results = await read_out(tmp_path)
    assert [result.kind for result in results] == ["path_not_allowed"] * 4
    assert not any("dear" in result.to_json() for result in results)


async def test_without_the_guard_every_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def open_plainly(workspace: Workspace, path: str) -> BinaryIO:
        return open(os.path.join(workspace.folder, path), "rb")

    monkeypatch.setattr(paths, "open_file", open_plainly)
    results = await read_out(tmp_path)
    assert [result.value for result in results] == ["dear diary"] * 4


async def test_two_programs_append_to_one_file_and_lose_nothing(tmp_path: Path) -> None:
    async def append(who: str) -> None:
        async with App(Config(home=tmp_path)) as app:
            for number in range(40):
                arguments = {"path": "log", "content": f"{who}{number}\n", "mode": "append"}
                assert (await app.engine.call(ToolCall("write_file", arguments))).ok

    await asyncio.gather(append("a"), append("b"))
    lines = (tmp_path / "workspace" / "log").read_text().split()
    assert sorted(lines) == sorted(f"{who}{number}" for who in "ab" for number in range(40))
