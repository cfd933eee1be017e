"""`oneclaw setup`: three questions, each skipped by Enter; offered once by the first chat."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.vt import ONECLAW, Terminal, environment
from tests.loopback import answering

from oneclaw.guard.secret.secrets import read_secrets

pytestmark = pytest.mark.slow

Cli = Any
KEY = "sk-ant-0123456789abcdef-not-to-be-seen"
SERVERS = ("ollama", "lmstudio", "llamacpp", "vllm")


@pytest.fixture
def server() -> Iterator[int]:
    """A server on loopback that lists two models, as those in front of local models do."""
    body = json.dumps({"data": [{"id": "nomic-embed-text"}, {"id": "llama3.2"}]}).encode()
    with answering(lambda asked: body, "application/json") as port:
        yield port


@pytest.fixture
def settings(home: Path) -> Path:
    """Settings in which no server of this machine answers, whatever runs here."""
    file = home.parent / "config" / "oneclaw" / "oneclaw.toml"
    file.parent.mkdir(parents=True)
    lines = (f'[providers.{name}]\nbase_url = "http://127.0.0.1:1/v1"\n' for name in SERVERS)
    file.write_text("# mine\n" + "".join(lines))
    return file


def variables(home: Path, **more: str) -> dict[str, str]:
    return {**environment(home), **more}


def test_enter_skips_every_question(home: Path, settings: Path) -> None:
    before = settings.read_text()
    with Terminal("setup", environment=variables(home)) as terminal:
        terminal.wait("1. Which model answers?")
        terminal.wait("another provider, with a key of yours")
        terminal.wait("] ")
        chosen = "local/smollm2" in terminal.raw
        terminal.type("\n")
        terminal.wait("2. Where do agents work?")
        terminal.wait("] ")
        terminal.type("\n")
        for question in ("Let agents run commands?", "Let agents remember"):
            terminal.wait(question)
            terminal.wait("] ")
            terminal.type("\n")
        terminal.wait("Done. Talk with it: oneclaw chat")
        assert terminal.end() == 0
    if not chosen:
        assert settings.read_text() == before


def test_a_key_of_the_environment_and_a_server_are_found(home: Path, settings: Path, server: int) -> None:
    settings.write_text(settings.read_text().replace("127.0.0.1:1/", f"127.0.0.1:{server}/", 1))
    started = variables(home, ANTHROPIC_API_KEY=KEY)
    with Terminal("setup", environment=started, columns=120) as terminal:
        terminal.wait("anthropic/claude-sonnet-5")
        terminal.wait("ANTHROPIC_API_KEY: environment")
        terminal.wait("ollama/llama3.2")
        terminal.wait("answers on this machine")
        terminal.wait("] ")
        assert "nomic-embed-text" not in terminal.raw
        terminal.type("7777\n")
        terminal.wait("There is no number 7777")
        terminal.wait("] ")
        terminal.type("2\n")
        terminal.wait("ollama/llama3.2 answers.")
        terminal.wait("2. Where do agents work?")
        terminal.wait("] ")
        terminal.type(f"{home.parent / 'work'}\n")
        terminal.wait("Agents work in")
        terminal.wait("Let agents run commands?")
        terminal.wait("] ")
        terminal.type("y\n")
        terminal.wait("shell is on.")
        terminal.wait("Let agents remember")
        terminal.wait("] ")
        terminal.type("\n")
        assert terminal.end() == 0
        assert "not-to-be-seen" not in terminal.raw
    text = settings.read_text()
    assert text.startswith("# mine\n")
    assert 'default = "ollama/llama3.2"' in text
    assert f'folder = "{home.parent / "work"}"' in text
    listed = subprocess.run([*ONECLAW, "features", "--json"], env=started, capture_output=True, text=True)
    assert {each["name"]: each["on"] for each in json.loads(listed.stdout)}["shell"] is True


def test_a_key_can_be_given_and_is_not_shown(home: Path, settings: Path) -> None:
    with Terminal("setup", environment=variables(home)) as terminal:
        terminal.wait("another provider")
        terminal.wait("] ")
        number = next(line.split()[0] for line in terminal.screen.lines if "another provider" in line)
        terminal.type(f"{number}\n")
        terminal.wait("Provider [skip] ")
        terminal.type("openai\n")
        terminal.wait("not shown): ")
        terminal.wait(lambda shown: not shown.has_echo)
        terminal.type(f"{KEY}\n")
        terminal.wait("The key is kept.")
        terminal.wait("] ")
        terminal.type("\n")
        terminal.wait("answers.")
        terminal.wait("] ")
        terminal.interrupt("Stopped.")
        assert terminal.end() == 130
        assert "not-to-be-seen" not in terminal.raw
        assert "Traceback" not in terminal.raw
        assert terminal.screen.text.rstrip().endswith("Stopped.")
    assert read_secrets(home / "secrets.toml") == {"OPENAI_API_KEY": KEY}
    assert 'default = "openai/' in settings.read_text()


def test_without_a_terminal_it_says_what_to_do_instead(home: Path) -> None:
    ended = subprocess.run(
        [*ONECLAW, "setup"], env=variables(home), stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    for command in (
        "oneclaw keys set",
        "oneclaw models default",
        "oneclaw config set",
        "oneclaw features on",
    ):
        assert command in ended.stderr


def _begun(shown: Terminal) -> bool:
    return any(each in shown.raw for each in ("session", "No model", "Local models need"))


def test_the_first_chat_offers_it_once(home: Path, settings: Path) -> None:
    for is_first in (True, False):
        with Terminal("chat", environment=variables(home, PYTHONPATH="")) as terminal:
            if is_first:
                terminal.wait("Set it up now? [y/N] ")
                terminal.interrupt("Stopped.")
                assert terminal.end() == 130
            else:
                terminal.wait(_begun, seconds=60)
                assert "Set it up now?" not in terminal.raw


def test_a_chat_with_a_model_is_offered_nothing(home: Path, settings: Path) -> None:
    os.makedirs(home, exist_ok=True)
    script = home.parent / "replies.json"
    script.write_text('["Hi."]')
    with Terminal("chat", "--model", f"scripted/{script}", environment=variables(home)) as terminal:
        terminal.wait("session")
        assert terminal.leave() == 0
        assert "Set it up now?" not in terminal.raw
