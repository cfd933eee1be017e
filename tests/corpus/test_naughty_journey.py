"""Strings that break programs, through the whole app: as names, arguments, keys, ids, agents and sessions."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.corpus.conftest import Judged, Rows, spread, texts_of
from tests.corpus.test_naughty_files import as_read

from oneclaw import App, Config, Kind, ToolCall, ToolResult, tool
from oneclaw.guard.secret.shapes import mask
from oneclaw.store.calls import CallRecord

# Written by nobody's list: what JSON, SQLite and terminals stumble over besides.
MORE = [
    "\0",
    "a\0b",
    "\x1b]0;title\x07",
    "\uffff",
    "\u2028\u2029",
    "\r",
    "a\r\nb",
    "\x7f\x80\x9f",
    "x" * 5_000,
]
HALVES = ["\ud800", "a\udc00b", "\udfff\ud800", "ok 👍 then \ud83d"]
ALL = 1_000_000


def with_halves(texts: dict[str, str]) -> dict[str, str]:
    return texts | {f"half-{number}": text for number, text in enumerate(HALVES)}


@pytest.fixture
def texts(rows: Rows) -> dict[str, str]:
    """Each string by the id of its row, and ours."""
    found = texts_of(rows, "naughty_strings")
    ours = {f"ours-{number}": text for number, text in enumerate(MORE) if text not in found.values()}
    return found | ours


@tool(effect="read", chars=200)
def recite(text: str) -> str:
    """Say more than fits."""
    return f"{text}\n" + "x" * 1_000


def read_json(result: ToolResult) -> dict[str, Any]:
    """The result as a model reads it, from bytes."""
    return json.loads(result.to_json().encode())


def as_kept(text: str) -> str:
    """A text as the journal keeps it: what looks like a token is masked."""
    return json.loads(mask(json.dumps(text, ensure_ascii=False)))


async def test_as_names_of_tools_they_are_not_found(
    texts: dict[str, str], tmp_path: Path, judged: Judged
) -> None:
    async with App(Config(home=tmp_path)) as app:
        for each, text in with_halves(texts).items():
            with judged(each):
                if text in app.registry:
                    continue
                result = await app.engine.call(ToolCall(text, {"text": text}))
                assert result.kind is Kind.TOOL_NOT_FOUND
                body = read_json(result)
                assert body["error_type"] == "tool_not_found"
                assert len(body["message"]) < 1_000
                assert body["message"].isprintable()
                (row,) = await app.store.calls.history(limit=1)
                assert (row.kind, row.call_id) == ("tool_not_found", result.call_id)


async def test_as_arguments_they_come_back_exactly(
    texts: dict[str, str], tmp_path: Path, judged: Judged
) -> None:
    async with App(Config(home=tmp_path)) as app:
        for number, (each, text) in enumerate(texts.items()):
            with judged(each):
                given = {"path": "a.txt", "content": text}
                forms: list[Any] = [given, json.dumps(given), json.dumps(given, ensure_ascii=False).encode()]
                write = ToolCall("write_file", forms[number % 3], f"w{number}")
                read = ToolCall("read_file", {"path": "a.txt"}, f"r{number}")
                written, result = await app.engine.call_all([write, read])
                assert written.ok, (text, written.message)
                assert (app.config.workspace_folder / "a.txt").read_bytes() == text.encode()
                if result.ok:
                    assert read_json(result)["result"] == result.value == as_read(text)
                else:  # what holds a NUL is taken for binary
                    assert "\0" in text
                (row,) = await app.store.calls.find(f"w{number}")
                assert row.arguments["content"] == as_kept(text)


async def test_as_text_to_search_for_they_are_found(
    texts: dict[str, str], tmp_path: Path, judged: Judged
) -> None:
    async with App(Config(home=tmp_path)) as app:
        for each, text in texts.items():
            with judged(each):
                if not text or re.search(r"[\r\n\0]", text):
                    continue
                (app.config.workspace_folder / "a.txt").write_bytes(f"\nbefore {text} after\n".encode())
                # RE2 takes a backslash before every ASCII sign that is no letter and no digit.
                pattern = re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", text)
                result = await app.engine.call(ToolCall("search_text", {"pattern": pattern, "path": "a.txt"}))
                if len(text) > 900:
                    assert result.kind in (None, Kind.VALIDATION_ERROR)
                    continue
                assert result.ok, (text, result.message)
                assert result.value.startswith("a.txt:2: "), (text, result.value)
                assert result.value.endswith("(1 match in 1 file.)")
                read_json(result)
                plain = await app.engine.call(ToolCall("search_text", {"pattern": text, "path": "a.txt"}))
                assert plain.kind in (None, Kind.VALIDATION_ERROR)


async def test_as_keys_they_are_ignored_with_a_note(
    texts: dict[str, str], tmp_path: Path, judged: Judged
) -> None:
    async with App(Config(home=tmp_path)) as app:
        for each, text in texts.items():
            with judged(each):
                result = await app.engine.call(ToolCall("list_files", {text: text, "limit": 5}))
                clean = (None, Kind.VALIDATION_ERROR, Kind.FILE_NOT_FOUND, Kind.PATH_NOT_ALLOWED)
                assert result.kind in clean, result.message
                body = read_json(result)
                assert len(json.dumps(body)) < 2_000


async def test_as_halves_of_characters_they_are_refused_or_mended(tmp_path: Path) -> None:
    async with App(Config(home=tmp_path), tools=[recite]) as app:
        for text in HALVES:
            calls = [
                ToolCall("write_file", {"path": "a.txt", "content": text}),
                ToolCall("write_file", {"path": text, "content": "a"}),
                ToolCall("read_file", {"path": text}),
                ToolCall("search_text", {"pattern": text}),
                ToolCall("recite", json.dumps({"text": text})),
                ToolCall("recite", json.dumps({"text": text}, ensure_ascii=False)),
                ToolCall("get_current_time", {text: 1}),
            ]
            for result in await app.engine.call_all(calls):
                assert result.kind in (None, Kind.VALIDATION_ERROR), result
                read_json(result)
        assert os.listdir(app.config.workspace_folder) == []


async def test_as_ids_they_name_one_call_each(texts: dict[str, str], tmp_path: Path, judged: Judged) -> None:
    names = with_halves(texts)
    async with App(Config(home=tmp_path), tools=[recite]) as app:
        calls = [ToolCall("recite", {"text": "once"}, text) for text in names.values()]
        results = await app.engine.call_all(calls)
        assert len({result.call_id for result in results}) == len(names)
        for (each, text), result in zip(names.items(), results, strict=True):
            with judged(each):
                assert result.ok
                assert result.call_id == text or not text
                # None is left without an id.
                assert len(await app.store.calls.find(text)) == (1 if text else 0)
        folder = app.engine.session.folder
        assert folder is not None
        kept = list(folder.iterdir())
        assert len(kept) == len(names)
        assert {path.read_text() for path in kept} == {"once\n" + "x" * 1_000}
        assert [path for path in tmp_path.rglob("*.txt") if path not in kept] == []
        assert len(await app.store.calls.history(limit=ALL)) == len(names)


async def test_as_sessions_and_agents_they_are_kept_apart(
    texts: dict[str, str], tmp_path: Path, judged: Judged
) -> None:
    async with App(Config(home=tmp_path)) as app:
        first = app.engine.session
        for number, (each, text) in enumerate(with_halves(texts).items()):
            with judged(each):
                session = replace(first, id=text, agent=text)
                result = await app.engine.call(ToolCall("list_files", {}, f"c{number}"), session)
                assert result.ok, (text, result.message)
                (row,) = await app.store.calls.find(f"c{number}")
                if len(text) < 200 and text not in HALVES:
                    assert (row.session, row.agent) == (text, text)
                if text:
                    assert [each.call_id for each in await app.store.calls.history(session=text)] == [
                        f"c{number}"
                    ]
                    assert await app.store.sessions.get(text) is not None


async def test_as_an_agent_they_meet_the_rules_of_everyone(
    texts: dict[str, str], tmp_path: Path, judged: Judged
) -> None:
    values = {"tools.deny": ["write_file"], "agents.default.tools.allow": ["*"]}
    async with App(Config(home=tmp_path, values=values)) as app:
        for each, text in with_halves(texts).items():
            with judged(each):
                session = replace(app.engine.session, agent=text)
                result = await app.engine.call(ToolCall("write_file", {"path": "a", "content": "b"}), session)
                assert result.kind is Kind.TOOL_NOT_AVAILABLE
                read_json(result)
                assert app.policy.why(app.registry.definitions()[0], agent=text).allowed


async def test_in_a_prompt_a_person_sees_every_sign_of_them(
    texts: dict[str, str], tmp_path: Path, judged: Judged
) -> None:
    seen: list[Any] = []
    async with App(Config(home=tmp_path, mode="ask")) as app:

        def answer(prompt: Any) -> None:
            seen.append(prompt)
            app.broker.answer(prompt.id, "no")

        app.broker.bind(answer)
        for each, text in texts.items():
            with judged(each):
                seen.clear()
                session = replace(app.engine.session, agent=text)
                call = ToolCall("write_file", {"path": text, "content": text})
                result = await app.engine.call(call, session)
                assert result.kind in (Kind.PERMISSION_DENIED, Kind.VALIDATION_ERROR), (text, result)
                (asked,) = seen
                assert all(line.isprintable() for line in asked.text.splitlines()), asked.text
                assert len(asked.text.split("\n")) == 8, "nothing in it begins a line of its own"


async def newest(app: App) -> CallRecord:
    return (await app.store.calls.history(limit=1))[0]


async def test_through_the_command_line_they_come_back_exactly(
    texts: dict[str, str], tmp_path: Path, judged: Judged
) -> None:
    words = [sys.executable, "-m", "oneclaw.cli.main", "--home", str(tmp_path)]
    chosen = dict(spread([item for item in texts.items() if "\0" not in item[1]], 4))
    for each, text in {**chosen, "not text": "a\udcffb"}.items():
        with judged(each):
            write = [*words, "call", "write_file", "path=a.txt", f"content={text}"]
            done = subprocess.run(
                [os.fsencode(word) for word in write], capture_output=True, timeout=60, check=False
            )
            assert b"Traceback" not in done.stderr
            if each not in chosen:
                assert done.returncode == 4, "bytes that are no text"
                continue
            assert done.returncode == 0, done.stderr
            assert (tmp_path / "workspace" / "a.txt").read_bytes() == text.encode()
    async with App(Config(home=tmp_path)).looking() as app:
        assert (await newest(app)).kind == "validation_error"
