"""What Tab offers: agents, models, providers and sessions, without a model or a network."""

import argparse
from pathlib import Path
from typing import Any

import pytest
from tests.cli.vt import script

from oneclaw.cli.completion import agent_names, model_names, provider_names, session_ids

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


def test_models_and_providers_are_offered(typed: argparse.Namespace) -> None:
    assert "anthropic/claude-sonnet-4-5" in model_names("anthropic/", typed)
    assert model_names("oll", typed) == ["ollama/"]
    assert provider_names("an", typed) == ["anthropic"]
