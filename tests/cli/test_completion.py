"""What Tab offers: agents, models, providers and sessions, without a model or a network."""

import argparse
import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.cli.vt import script
from tests.providers.local.gguf_files import small_gguf

from oneclaw.cli.completion import call_words, model_names, provider_names, tools_words
from oneclaw.cli.stored_names import (
    agent_names,
    agents_words,
    grant_ids,
    interrupted_run_ids,
    memory_words,
    run_ids,
    session_ids,
    sessions_words,
)
from oneclaw.core.permit.grant import Grant
from oneclaw.store.store import Store

Cli = Any


@pytest.fixture
def typed(home: Path) -> argparse.Namespace:
    return argparse.Namespace(config=None, home=None, workspace=None, mode=None)


def test_sessions_are_offered_with_the_word_for_the_last(
    cli: Cli, typed: argparse.Namespace, tmp_path: Path
) -> None:
    assert session_ids("", typed) == []
    cli("run", "hi", "--model", script(tmp_path, "yes"))
    (session,) = cli("sessions", "--json").json
    assert session_ids("", typed) == ["last", session["id"]]
    assert session_ids("la", typed) == ["last"]
    assert session_ids(session["id"][:5], typed) == [session["id"]]


def test_agents_are_offered_from_the_store(cli: Cli, typed: argparse.Namespace, tmp_path: Path) -> None:
    (tmp_path / "writer.toml").write_text('description = "Writes."\n')
    cli("agents", "add", str(tmp_path / "writer.toml"))
    assert agent_names("", typed) == ["default", "writer"]
    assert agent_names("wr", typed) == ["writer"]


def test_parameters_are_offered_once_and_values_where_they_are_few(typed: argparse.Namespace) -> None:
    typed.name, typed.words = "http_request", []
    assert call_words("me", typed) == ["method="]
    assert call_words("method=PA", typed) == ["method=PATCH"]
    typed.words = ["method=GET"]
    assert call_words("me", typed) == []
    typed.name, typed.words = "extract_matches", []
    assert call_words("te", typed) == ["text="]
    typed.name = "no_such_tool"
    assert call_words("", typed) == []


def test_models_of_this_machine_are_offered(
    cli: Cli, home: Path, typed: argparse.Namespace, tmp_path: Path
) -> None:
    (tmp_path / "otter.gguf").write_bytes(
        small_gguf({"general.architecture": "llama", "llama.context_length": 4096})
    )
    assert cli("models", "add", str(tmp_path / "otter.gguf")).code == 0
    assert "local/otter" in model_names("local/", typed)


def test_runs_are_offered_and_those_to_resume_apart(
    cli: Cli, typed: argparse.Namespace, tmp_path: Path
) -> None:
    cli("run", "hi", "--model", script(tmp_path, "yes"))
    (run,) = cli("runs", "--json").json
    assert run_ids("", typed) == [run["id"]]
    assert interrupted_run_ids("", typed) == []


def test_files_are_offered_where_a_file_is_added(typed: argparse.Namespace, tmp_path: Path) -> None:
    (tmp_path / "writer.toml").write_text("")
    (tmp_path / "old.json").write_text("{}")
    typed.action = "add"
    assert list(agents_words("", typed)) == ["writer.toml"]
    typed.action = "import"
    assert list(sessions_words("", typed)) == ["old.json"]


def test_models_and_providers_are_offered(typed: argparse.Namespace) -> None:
    assert "anthropic/claude-sonnet-4-5" in model_names("anthropic/", typed)
    assert model_names("oll", typed) == ["ollama/"]
    assert provider_names("an", typed) == ["anthropic"]


def test_keys_of_memories_are_offered_where_one_is_wanted(cli: Cli, typed: argparse.Namespace) -> None:
    typed.agent = ""
    typed.action = "show"
    assert list(memory_words("", typed)) == []
    cli("call", "memory_store", "key=user_name", "value=Ada")
    cli("call", "memory_store", "key=town", "value=London")
    assert list(memory_words("u", typed)) == ["user_name"]
    typed.action = "search"
    assert list(memory_words("u", typed)) == []


def test_what_can_be_revoked_and_switched_is_offered(cli: Cli, home: Path, typed: argparse.Namespace) -> None:
    cli("call", "get_current_time")
    with Store(home / "oneclaw.db") as store:
        asyncio.run(
            store.grants.add(Grant(id="ab12", need="shell", tool="x", verdict="deny", scope="everywhere"))
        )
    typed.action = "revoke"
    assert grant_ids("a", typed) == ["ab12"]
    assert grant_ids("b", typed) == []
    typed.action = "on"
    assert "group:text" in tools_words("gr", typed)
    assert "shell" in tools_words("sh", typed)
    typed.action = "show"
    assert list(tools_words("gr", typed)) == []
