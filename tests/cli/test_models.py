"""`oneclaw models`: which are set up, which answer, what they read and cost."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.vt import Terminal, environment
from tests.loopback import answering

from oneclaw.cli.models import price_text, tokens_text

Cli = Any
KEY = "sk-ant-0123456789abcdef-not-to-be-seen"


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server() -> Iterator[int]:
    """A server on loopback that lists two models, as those in front of local models do."""
    body = json.dumps({"data": [{"id": "qwen3:4b"}, {"id": "llama3.2"}]}).encode()
    with answering(lambda asked: body, "application/json") as port:
        yield port


def local(folder: Path, port: int, more: str = "") -> str:
    file = folder / "oneclaw.toml"
    file.write_text(f'[providers.ollama]\nbase_url = "http://127.0.0.1:{port}/v1"\n{more}')
    return str(file)


def test_a_key_is_found_by_its_name_and_never_shown(
    cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_set() -> set[bool]:
        rows = cli("models", "anthropic", "--json").json["models"]
        assert {row["key"] for row in rows} == {"ANTHROPIC_API_KEY"}
        return {row["is_set"] for row in rows}

    assert is_set() == {False}
    home.mkdir()
    (home / "secrets.toml").write_text(f'ANTHROPIC_API_KEY = "{KEY}"\n')
    (home / "secrets.toml").chmod(0o600)
    assert is_set() == {True}
    (home / "secrets.toml").unlink()
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    assert is_set() == {True}
    for words in (("models",), ("models", "--json"), ("doctor",), ("doctor", "--json")):
        ended = cli(*words)
        assert "ANTHROPIC_API_KEY" in ended.out
        assert "not-to-be-seen" not in ended.out + ended.err


def test_windows_prices_and_their_day_are_told(cli: Cli, tmp_path: Path) -> None:
    settings = tmp_path / "oneclaw.toml"
    settings.write_text('[models."openai/gpt-4o"]\ninput_price = 0.01\noutput_price = 99\n')
    plain = {row["model"]: row for row in cli("models", "openai", "--json").json["models"]}
    assert plain["openai/gpt-4o"]["window"] == 128_000
    assert plain["openai/gpt-4o"]["input_price"] > 1
    own = {row["model"]: row for row in cli("models", "--json", "--config", str(settings)).json["models"]}
    assert own["openai/gpt-4o"]["output_price"] == 99
    ended = cli("models", "openai")
    assert "openai/gpt-4o\t128K\t2.50\t10.00\t\tOPENAI_API_KEY\n" in ended.out
    assert "input_price" in ended.err
    assert cli("models", "--json").json["date"] in ended.err


def test_the_default_stands_first(cli: Cli, tmp_path: Path) -> None:
    settings = tmp_path / "oneclaw.toml"
    settings.write_text('[models]\ndefault = "ollama/qwen3:4b"\n')
    rows = cli("models", "--json", "--config", str(settings)).json["models"]
    assert (rows[0]["model"], rows[0]["is_default"], rows[0]["is_small"]) == ("ollama/qwen3:4b", True, False)
    assert "ollama/qwen3:4b (default)" in cli("models", "--config", str(settings)).out.splitlines()[0]


def test_a_provider_without_a_key_is_one_line_unless_all_are_asked_for(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = cli("models", "--json").json["models"]
    count = sum(row["provider"] == "openai" for row in rows)
    folded = cli("models")
    assert f"✗\topenai/… ({count} models)\t\t\t\t\tOPENAI_API_KEY\n" in folded.out
    assert "openai/gpt-4o" not in folded.out
    assert "--all" in folded.err
    whole = cli("models", "--all")
    assert len(whole.out.splitlines()) == len(rows) == len(cli("models", "--all", "--json").json["models"])
    assert "--all" not in whole.err
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    lines = cli("models").out.splitlines()
    assert sum(line.startswith("✓\topenai/") for line in lines) == count
    marks = [line[0] for line in lines]
    assert "✗" in marks
    assert set(marks[marks.index("✗") :]) == {"✗"}


def test_an_action_that_is_misspelt_is_told_with_the_one_that_is_meant(cli: Cli) -> None:
    told = cli("models", "defalt", "ollama/llama3.2")
    said = "oneclaw: `oneclaw models` has no action 'defalt'. Did you mean default?\n"
    assert (told.code, told.err) == (2, said)


def test_models_with_a_name_stand_before_servers_that_nobody_asked(cli: Cli) -> None:
    names = [line.split("\t")[1] for line in cli("models").out.splitlines() if line.startswith("…")]
    assert names == sorted(names, key=lambda name: (name.endswith("/…"), name))


def test_the_tools_of_small_models_are_listed_only_with_all(cli: Cli) -> None:
    assert "gets these tools" not in cli("models").err
    assert len(cli("models").err.splitlines()) <= 6
    assert "A small model gets these tools only (models.small_tools): edit_file" in cli("models", "--all").err


def test_a_server_is_asked_whether_it_answers_and_what_it_has(cli: Cli, tmp_path: Path, server: int) -> None:
    settings = local(tmp_path, server)
    before = cli("models", "ollama", "--json", "--config", settings).json["models"]
    assert [(row["model"], row["answers"]) for row in before] == [("ollama/…", None)]
    ended = cli("models", "ollama", "--check", "--json", "--config", settings)
    assert ended.code == 0
    rows = ended.json["models"]
    assert [(row["model"], row["answers"]) for row in rows] == [
        ("ollama/llama3.2", True),
        ("ollama/qwen3:4b", True),
    ]


def test_one_that_does_not_answer_is_named_with_its_reason(cli: Cli, tmp_path: Path) -> None:
    ended = cli("models", "ollama", "--check", "--config", local(tmp_path, 1))
    assert ended.code == 1
    assert ended.out.startswith("✗\tollama/…\t")
    said = ended.err.splitlines()[0]
    assert said.startswith("ollama cannot be reached")
    assert "127.0.0.1:1" in said
    assert ". " not in said  # one sentence


def test_a_provider_that_nobody_described_is_refused(cli: Cli) -> None:
    ended = cli("models", "antropic")
    assert (ended.code, ended.out) == (2, "")
    assert "anthropic" in ended.err


def test_doctor_names_the_model_that_answers_and_a_key_that_is_missing(cli: Cli, tmp_path: Path) -> None:
    def finding(default: str) -> dict[str, str]:
        settings = tmp_path / "oneclaw.toml"
        settings.write_text(f'[models]\ndefault = "{default}"\n' if default else "")
        found = cli("doctor", "--json", "--config", str(settings)).json
        return next(each for each in found if each["topic"] == "models")

    assert finding("")["state"] == "warn"
    assert "`oneclaw setup`" in finding("")["remedy"]
    assert "`oneclaw models default PROVIDER/MODEL`" in finding("")["remedy"]
    assert finding("ollama/llama3.2")["state"] == "ok"
    missing = finding("anthropic/claude-sonnet-4-5")
    assert (missing["state"], missing["remedy"]) == ("bad", "`oneclaw keys set anthropic` keeps the key.")


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_the_table_fits_the_screen(tmp_path: Path, columns: int) -> None:
    with Terminal("models", "--all", environment=environment(tmp_path / "home"), columns=columns) as terminal:
        assert terminal.end() == 0
        lines = terminal.screen.lines
    assert max(map(len, lines)) <= columns
    assert lines[0].split()[:3] == ["MODEL", "WINDOW", "IN"]
    row = next(line for line in lines if "openai/gpt-4o " in line)
    assert row.split()[1:5] == ["openai/gpt-4o", "128K", "2.50", "10.00"]


def test_numbers_are_short() -> None:
    assert [tokens_text(each) for each in (None, 8_192, 200_000, 1_047_576)] == ["", "8.19K", "200K", "1.05M"]
    assert [price_text(each) for each in (None, 0.0, 0.075, 3, 15.0)] == [
        "",
        "0.00",
        "0.075",
        "3.00",
        "15.00",
    ]
