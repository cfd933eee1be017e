"""`oneclaw sessions`: the conversations there were, out of the store and into it."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.vt import Terminal, environment, script

from oneclaw.core.message import AssistantMessage, TextPart, Usage, UserMessage
from oneclaw.core.session import Session, Workspace
from oneclaw.store.store import Store

Cli = Any
LOOK = [{"say": "I **look**."}, {"call": "read_file", "arguments": {"path": "nowhere.txt"}}]


@pytest.fixture
def talked(cli: Cli, tmp_path: Path) -> str:
    """A conversation with a call that failed; its id."""
    cli("run", "What is in nowhere.txt?", "--model", script(tmp_path, LOOK, "There is no such file."))
    return cli("sessions", "--json").json[0]["id"]


def test_sessions_are_listed_newest_first_with_what_they_took(cli: Cli, talked: str, tmp_path: Path) -> None:
    cli("run", "another", "--model", script(tmp_path, "yes"))
    cli("call", "get_current_time")  # no conversation
    rows = cli("sessions", "--json").json
    assert [row["title"] for row in rows] == ["another", "What is in nowhere.txt?"]
    assert [row["messages"] for row in rows] == [2, 4]
    last = cli("sessions", "--limit", "1").out.split("\t")
    assert last[0] == rows[0]["id"]
    assert last[-1] == "another\n"
    assert cli("sessions", "--agent", "nobody", "--json").json == []


def test_a_run_that_fails_before_any_answer_leaves_no_session_in_the_list(cli: Cli, tmp_path: Path) -> None:
    broken = script(tmp_path, [{"fail": "request", "message": "The provider refuses it."}])
    assert cli("run", "hi", "--model", broken).code == 1
    assert cli("sessions", "--json").json == []
    (failed,) = cli("runs", "--json").json
    assert failed["state"] == "failed"
    assert cli("run", "again", "--session", failed["session"], "--model", script(tmp_path, "yes")).code == 0
    assert [row["id"] for row in cli("sessions", "--json").json] == [failed["session"]]


def test_a_conversation_is_shown_with_its_calls(cli: Cli, talked: str) -> None:
    shown = cli("sessions", "show", "last")
    assert shown.code == 0
    lines = [line for line in shown.out.splitlines() if line]
    assert talked in lines[0]
    assert lines[1:3] == ["you", "What is in nowhere.txt?"]
    assert lines[4:7] == [
        "I **look**.",
        "→ read_file path=nowhere.txt",
        "✗ read_file: file_not_found: File not found: nowhere.txt",
    ]
    assert lines[8] == "There is no such file."
    assert lines[9].startswith("2 answers · ")
    half = talked.partition("-")[2][:8]
    assert cli("sessions", "show", half).out == shown.out


def test_what_was_exported_is_imported_as_it_was(cli: Cli, talked: str, tmp_path: Path) -> None:
    exported = cli("sessions", "export", talked)
    assert exported.json["title"] == "What is in nowhere.txt?"
    assert [each["role"] for each in exported.json["messages"]] == [
        "user",
        "assistant",
        "results",
        "assistant",
    ]
    (tmp_path / "a.json").write_text(exported.out)
    imported = cli("sessions", "import", str(tmp_path / "a.json"), "--json").json
    assert imported["messages"] == 4
    assert imported["id"] != talked
    again = cli("sessions", "export", imported["id"]).json

    def plain(document: dict[str, Any]) -> list[Any]:
        return [{**each, "created": 0} for each in document["messages"]]

    assert plain(again) == plain(exported.json)
    assert again["title"] == exported.json["title"]


ANTHROPIC = [
    {"role": "user", "content": "hi"},
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "t1", "name": "read_file", "input": {"path": "a"}}],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "text"}]},
]
OPENAI = [
    {"role": "system", "content": "be kind"},
    {"role": "user", "content": "hi"},
    {
        "role": "assistant",
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
        ],
    },
]
GEMINI = [{"role": "user", "parts": [{"text": "hi"}]}, {"role": "model", "parts": [{"text": "hello"}]}]


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (ANTHROPIC, ("--format", "anthropic")),
        ({"messages": ANTHROPIC}, ()),
        (OPENAI, ("--format", "openai")),
        ({"contents": GEMINI}, ("--format", "gemini")),
    ],
)
def test_the_history_of_another_agent_goes_on_here(
    cli: Cli, tmp_path: Path, document: Any, words: tuple[str, ...]
) -> None:
    (tmp_path / "a.json").write_text(json.dumps(document))
    imported = cli("sessions", "import", str(tmp_path / "a.json"), "--json", *words).json
    ended = cli("run", "--session", imported["id"], "go on", "--model", script(tmp_path, "Gladly."))
    assert (ended.code, ended.out) == (0, "Gladly.\n")
    roles = [each["role"] for each in cli("sessions", "export", imported["id"]).json["messages"]]
    assert roles[-2:] == ["user", "assistant"]
    assert roles.count("results") == sum(
        any(part["type"] == "call" for part in each["parts"])
        for each in cli("sessions", "export", imported["id"]).json["messages"]
        if each["role"] == "assistant"
    )


@pytest.mark.parametrize(
    "text", ["", "no JSON", "{}", "[]", '{"format": "oneclaw", "messages": [{"role": "x"}]}']
)
def test_what_is_no_history_leaves_nothing_behind(cli: Cli, tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_text(text)
    ended = cli("sessions", "import", str(tmp_path / "a.json"))
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("oneclaw: ")
    assert cli("sessions", "--json").json == []


def test_a_session_is_forgotten_with_all_that_is_its_own(cli: Cli, home: Path, talked: str) -> None:
    folder = home / "sessions" / talked
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "long.txt").write_text("a long result")
    assert cli("sessions", "remove", talked).code == 0
    assert not folder.exists()
    assert cli("sessions", "--json").json == []
    assert cli("log", "--json").json == []
    gone = cli("sessions", "remove", talked)
    assert (gone.code, "there is no session" in gone.err) == (1, True)


def test_without_conversations_it_says_how_to_begin_one(cli: Cli) -> None:
    ended = cli("sessions")
    assert (ended.code, ended.out) == (0, "")
    assert "oneclaw chat" in ended.err
    assert cli("sessions", "--json").json == []
    assert cli("sessions", "show", "last").code == 1


async def answer(home: Path, usage: Usage, cost: float | None) -> None:
    with Store(home / "oneclaw.db") as store:
        session = Session("aaaa-bbbbbbbbbbbb", "default", Workspace(home))
        await store.messages.append(session, UserMessage("hi"))
        told = AssistantMessage((TextPart("yes"),), model="openai/gpt-4o", usage=usage)
        await store.messages.append(session, told, cost=cost)


async def test_tokens_and_cost_are_in_the_log_and_with_the_session(home: Path, tmp_path: Path) -> None:
    await answer(home, Usage(1200, 30, 800, 0, 10), 0.0042)
    await answer(home, Usage(100, 20), 0.01)
    at = environment(home)
    with Terminal("log", "--usage", "--session", "last", environment=at, columns=100) as terminal:
        assert terminal.end() == 0
        lines = [line for line in terminal.screen.lines if line]
    assert lines[0].split() == ["TIME", "SESSION", "IN", "CACHED", "OUT", "REASONING", "COST", "MODEL"]
    assert lines[2].split()[1:] == ["bbbbbbbb", "100", "20", "$0.0100", "openai/gpt-4o"]
    assert lines[3].split()[1:] == ["bbbbbbbb", "1,200", "800", "30", "10", "$0.004200", "openai/gpt-4o"]
    assert lines[4] == "2 answers · 1,300 tokens in (800 cached), 50 out (10 reasoning) · $0.0142"
    with Terminal("sessions", environment=at, columns=100) as terminal:
        assert terminal.end() == 0
    assert "bbbbbbbb  default  4         1,350   $0.0142" in terminal.screen.text


async def test_the_log_of_usage_as_json_and_its_bounds(cli: Cli, home: Path) -> None:
    await answer(home, Usage(1, 2), None)
    rows = cli("log", "--usage", "--json").json
    assert [(row["usage"]["input"], row["cost"], row["model"]) for row in rows] == [
        (1, None, "openai/gpt-4o")
    ]
    assert cli("log", "--usage", "--since", "2030-01-01", "--json").json == []
    refused = cli("log", "--usage", "--tool", "read_file")
    assert (refused.code, refused.out) == (2, "")
