"""`oneclaw keys`: kept where only the owner reads, never shown, and tested with six real requests."""

import asyncio
import json
import os
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.cli.vt import ONECLAW, Terminal, environment
from tests.journeys.wire_servers import Refuse, Reply, WireServer, answer, talking
from tests.providers.formats.every import FORMATS, label_of
from tests.providers.formats.format import Call, Format

from oneclaw.config import Config
from oneclaw.guard.secret.secrets import read_secrets

Cli = Any
KEY = "sk-ant-0123456789abcdef-not-to-be-seen"


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)


def oneclaw(home: Path, *words: str, given: str = "", **more: str) -> "subprocess.CompletedProcess[str]":
    started = environment(home, **more)
    return subprocess.run([*ONECLAW, *words], env=started, input=given, capture_output=True, text=True)


def test_a_key_comes_through_a_pipe_and_is_never_shown(home: Path) -> None:
    home.mkdir()
    (home / "secrets.toml").write_text('# mine\nOTHER_KEY = "kept as it is"  # of a tool\n')
    (home / "secrets.toml").chmod(0o600)
    kept = oneclaw(home, "keys", "set", "anthropic", given=f"{KEY}\n")
    assert kept.returncode == 0, kept.stderr
    assert read_secrets(home / "secrets.toml") == {"OTHER_KEY": "kept as it is", "ANTHROPIC_API_KEY": KEY}
    assert (
        (home / "secrets.toml").read_text().startswith('# mine\nOTHER_KEY = "kept as it is"  # of a tool\n')
    )
    said = [
        kept,
        oneclaw(home, "keys"),
        oneclaw(home, "keys", "--json"),
        oneclaw(home, "keys", "set", "anthropic", KEY),
    ]
    assert "✓\tanthropic\tANTHROPIC_API_KEY\tsecrets file" in said[1].stdout
    assert said[3].returncode == 2
    assert "pipe it in" in said[3].stderr
    said.append(oneclaw(home, "keys", "remove", "anthropic"))
    assert "ANTHROPIC_API_KEY is removed." in said[-1].stdout
    assert read_secrets(home / "secrets.toml") == {"OTHER_KEY": "kept as it is"}
    assert "not-to-be-seen" not in "".join(each.stdout + each.stderr for each in said)


def test_a_key_is_typed_without_being_shown(home: Path) -> None:
    with Terminal("keys", "set", "openai", environment=environment(home)) as terminal:
        terminal.wait("not shown): ")
        terminal.wait(lambda shown: not shown.has_echo)
        terminal.type(f"{KEY}\n")
        terminal.wait("oneclaw keys test openai")
        assert terminal.end() == 0
        assert "not-to-be-seen" not in terminal.raw
        assert terminal.has_echo
    file = home / "secrets.toml"
    assert read_secrets(file) == {"OPENAI_API_KEY": KEY}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_ctrl_c_at_the_prompt_ends_in_one_line(home: Path) -> None:
    with Terminal("keys", "set", "openai", environment=environment(home)) as terminal:
        terminal.wait("not shown): ")
        terminal.wait(lambda shown: not shown.has_echo)
        terminal.interrupt("Stopped.")
        assert terminal.end() == 130
        assert "Traceback" not in terminal.raw
        assert terminal.has_echo
    assert not (home / "secrets.toml").exists()


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("anthropic", "\n", "The key is empty"),
        ("anthropic", "sk-\x1b[31m\n", "This is no key"),
        ("anthropic", "k" * 5000, "This is no key"),
        ("antropic", f"{KEY}\n", "anthropic"),
        ("ollama", f"{KEY}\n", "ollama needs no key"),
    ],
)
def test_what_is_no_key_is_refused_and_not_repeated(home: Path, name: str, given: str, said: str) -> None:
    ended = oneclaw(home, "keys", "set", name, given=given)
    assert ended.returncode == 2
    assert said in ended.stderr
    assert "\x1b" not in ended.stderr
    assert "not-to-be-seen" not in ended.stderr
    assert not (home / "secrets.toml").exists()


def test_a_file_that_others_read_is_given_no_key(home: Path) -> None:
    home.mkdir()
    (home / "secrets.toml").write_text("")
    (home / "secrets.toml").chmod(0o644)
    ended = oneclaw(home, "keys", "set", "anthropic", given=f"{KEY}\n")
    assert ended.returncode == 2
    assert "chmod 600" in ended.stderr
    assert (home / "secrets.toml").read_text() == ""


def test_a_variable_that_wins_is_told(home: Path) -> None:
    ended = oneclaw(
        home, "keys", "set", "groq", given=f"{KEY}\n", GROQ_API_KEY="gsk_other_value_of_the_shell"
    )
    assert "GROQ_API_KEY is set in this shell and wins" in ended.stderr
    gone = oneclaw(home, "keys", "remove", "groq", GROQ_API_KEY="gsk_other_value_of_the_shell")
    assert "still found in the environment" in gone.stderr


def test_a_secret_of_a_tool_is_kept_by_its_name(home: Path) -> None:
    assert oneclaw(home, "keys", "set", "BRAVE_API_KEY", given=f"{KEY}\n").returncode == 0
    assert "✓\ta tool\tBRAVE_API_KEY" in oneclaw(home, "keys").stdout


# Six requests, in each wire format.

GOOD: tuple[Reply, ...] = (
    answer("one two three"),
    answer(Call("add", {"a": 2, "b": 3}, "c1")),
    answer(Call("add", {"a": 2, "b": 3}, "c1"), Call("add", {"a": 4, "b": 5}, "c2")),
    answer("Red."),
    answer('{"town": "Paris", "country": "France"}'),
    Refuse(404, "there is no such model"),
)


def run_test(
    home: Path, format: Format, *replies: Reply, words: tuple[str, ...] = ()
) -> tuple[Any, WireServer]:
    """`oneclaw keys test` against a server that plays these replies."""

    async def run() -> tuple[Any, WireServer]:
        async with talking(format, replies) as server:
            values = Config(home=home, values=server.settings()).values
            lines = [f"{json.dumps(key)} = {json.dumps(value)}" for key, value in values.items()]
            file = home.parent / "settings.toml"
            file.write_text("\n".join(lines) + "\n")
            command = ("--config", str(file), "keys")
            if not format.is_local:
                given = f"{server.key}\n"
                await asyncio.to_thread(oneclaw, home, *command, "set", server.label, given=given)
            more = ("--model", server.model, *words)
            ended = await asyncio.to_thread(oneclaw, home, *command, "test", server.label, *more)
        assert server.key not in ended.stdout + ended.stderr
        return ended, server

    return asyncio.run(run())


@pytest.fixture(params=FORMATS, ids=label_of)
def format(request: pytest.FixtureRequest) -> Format:
    return request.param


@pytest.mark.slow
def test_six_requests_are_made_and_told_in_a_table(home: Path, format: Format) -> None:
    ended, server = run_test(home, format, *GOOD)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    rows = [line.split("\t") for line in ended.stdout.splitlines()[1:]]
    names = ["stream", "call", "parallel calls", "image", "structured answer", "error"]
    assert [(row[0], row[1]) for row in rows] == [("✓", name) for name in names]
    assert len(server.heard) == 6
    assert server.heard[3].pictures[0].startswith(b"\x89PNG")
    assert list(server.heard[1].tools) == ["add"]
    assert set(server.keys) == {None if format.is_local else server.key}


@pytest.mark.slow
def test_answers_that_are_not_what_was_asked_for_fail(home: Path, format: Format) -> None:
    wrong = (
        answer("one"),
        answer("I would rather not."),
        answer(Call("add", {"a": 2, "b": 3}, "c1")),
        answer("Blue."),
        answer("In Paris."),
        answer("I am every model."),
    )
    ended, _ = run_test(home, format, *wrong)
    assert ended.returncode == 1
    assert [line[0] for line in ended.stdout.splitlines()[1:]] == ["✓", *"✗✗✗✗✗"]


@pytest.mark.slow
def test_after_a_key_that_is_refused_nothing_more_is_asked(home: Path, format: Format) -> None:
    ended, server = run_test(home, format, Refuse(401, "the key is wrong"), words=("--json",))
    assert ended.returncode == 1
    checks = json.loads(ended.stdout)["checks"]
    assert [check["is_good"] for check in checks] == [False, *[None] * 5]
    assert len(server.heard) == 1


def test_without_a_key_no_request_is_made(home: Path) -> None:
    ended = oneclaw(home, "keys", "test", "anthropic")
    assert ended.returncode == 1
    assert ended.stderr == "anthropic has no key. Give it one: oneclaw keys set anthropic\n"


def test_a_server_that_is_not_there_is_one_sentence(home: Path, unused_port: int) -> None:
    settings = home.parent / "settings.toml"
    settings.write_text(f'[providers.ollama]\nbase_url = "http://127.0.0.1:{unused_port}/v1"\nattempts = 1\n')
    ended = oneclaw(home, "--config", str(settings), "keys", "test", "ollama")
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1


@pytest.fixture
def unused_port() -> int:
    import socket

    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]
