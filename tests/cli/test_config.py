"""`oneclaw config set`, `unset` and `edit`, and `oneclaw models default`."""

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.vt import ONECLAW, Terminal, environment

Cli = Any


@pytest.fixture
def file(home: Path) -> Path:
    return home.parent / "config" / "oneclaw" / "oneclaw.toml"


def test_a_setting_is_set_and_unset_without_an_editor(cli: Cli, file: Path) -> None:
    assert cli("config", "set", "permissions.mode", "ask").out == f"permissions.mode is ask ({file})\n"
    assert cli("config", "get", "permissions.mode").out == "ask\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "default holds: auto" in cli("config", "unset", "permissions.mode").out
    assert cli("config", "get", "permissions.mode").out == "auto\n"
    assert "was not set" in cli("config", "unset", "permissions.mode").out


@pytest.mark.parametrize(
    ("key", "words", "value"),
    [
        ("tools.deny", ["http_*", "open_url"], ["http_*", "open_url"]),
        ("tools.deny", ['["a"]'], ["a"]),
        ("tools.deny", ["[]"], []),
        ("runs.cost", ["false"], False),
        ("runs.cost", ["2.5"], 2.5),
        ("runs.rounds", ["1_000"], 1000),
        ("features.shell", ["on"], True),
        ("workspace.folder", ["~/my work"], "~/my work"),
        ("models.openai/gpt-4.1.window", ["5000"], 5000),
        ("permissions.needs.network.private", ["granted"], "granted"),
    ],
)
def test_values_are_read_by_the_type_of_the_setting(cli: Cli, key: str, words: list[str], value: Any) -> None:
    assert cli("config", "set", key, *words).code == 0
    assert cli("config", "get", key, "--json").json == value


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["permissions.mode", "yolo"], "it must be auto, ask or deny"),
        (["permisions.mode", "ask"], "Did you mean permissions.mode?"),
        (["runs.rounds", "many"], "a whole number above 0"),
        (["runs.rounds", "2.5"], "a whole number above 0"),
        (["shell.allow", "git 'log"], "git"),
        (["agents.*.memory", "own"], "write a name in its place"),
        (["providers.openai.key", "sk-proj-01234567890123456789"], "oneclaw keys set openai"),
        (["permissions.mode"], "oneclaw config set SETTING VALUE"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(
    cli: Cli, file: Path, words: list[str], said: str
) -> None:
    cli("config", "set", "models.default", "openai/o3")
    before = file.read_bytes()
    ended = cli("config", "set", *words)
    assert ended.code == 2
    assert said in ended.err
    assert file.read_bytes() == before


def test_a_wrong_value_in_the_file_can_be_mended(cli: Cli, file: Path) -> None:
    file.parent.mkdir(parents=True)
    file.write_text('# mine\n[permissions]\nmode = "yolo"  # why not\n[tools]\nalow = ["x"]\n')
    ended = cli("config", "set", "permissions.mode", "ask")
    assert "tools.alow" in ended.err
    assert "Nothing was written." in ended.err
    file.write_text('# mine\n[permissions]\nmode = "yolo"  # why not\n')
    assert cli("config", "set", "permissions.mode", "ask").code == 0
    assert file.read_text() == '# mine\n[permissions]\nmode = "ask"  # why not\n'


def test_a_link_is_followed_and_stays(cli: Cli, file: Path, tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles.toml"
    kept.write_text("# mine\n")
    kept.chmod(0o644)
    file.parent.mkdir(parents=True)
    file.symlink_to(kept)
    cli("config", "set", "runs.rounds", "3")
    assert file.is_symlink()
    assert kept.read_text() == "# mine\n\n[runs]\nrounds = 3\n"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o644


def test_a_variable_that_wins_is_told(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONECLAW_MODE", "deny")
    assert "ONECLAW_MODE" in cli("config", "set", "permissions.mode", "ask").err


def test_no_change_is_lost_between_programs(home: Path, file: Path) -> None:
    names = ("rounds", "repeats", "calls", "tokens", "repairs", "seconds")
    started = [
        subprocess.Popen(
            [*ONECLAW, "config", "set", f"runs.{name}", "7"], env=environment(home), stdout=subprocess.DEVNULL
        )
        for name in names
    ]
    assert [each.wait(60) for each in started] == [0] * len(names)
    assert sorted(file.read_text().splitlines()[3:]) == sorted(f"{name} = 7" for name in names)


def editor(folder: Path, *texts: str) -> str:
    """An editor that writes one of these texts each time it is opened."""
    for number, text in enumerate(texts):
        (folder / f"text{number}").write_text(text)
    program = folder / "editor.py"
    program.write_text(
        f"import sys, pathlib\nfolder = pathlib.Path({str(folder)!r})\n"
        "count = len(list(folder.glob('opened*')))\n(folder / f'opened{count}').touch()\n"
        "pathlib.Path(sys.argv[1]).write_text((folder / f'text{count}').read_text())\n"
    )
    return f"{sys.executable} {program}"


def test_an_edited_file_is_checked_and_can_be_edited_again(home: Path, file: Path, tmp_path: Path) -> None:
    named = editor(tmp_path, '[permissions]\nmode = "yolo"\n', '# mine\n[permissions]\nmode = "ask"\n')
    with Terminal("config", "edit", environment=environment(home, EDITOR=named, VISUAL="")) as terminal:
        terminal.wait("it must be auto, ask or deny")
        terminal.wait("Edit again? [Y/n] ")
        assert not file.exists()
        terminal.type("\n")
        terminal.wait("Checked and written")
        assert terminal.end() == 0
    assert file.read_text() == '# mine\n[permissions]\nmode = "ask"\n'


def test_an_edit_can_be_given_up(home: Path, file: Path, tmp_path: Path) -> None:
    named = editor(tmp_path, "what = 1\n")
    with Terminal("config", "edit", environment=environment(home, VISUAL=named)) as terminal:
        terminal.wait("Edit again? [Y/n] ")
        terminal.type("n\n")
        terminal.wait("as they were")
        assert terminal.end() == 1
    assert not file.exists()


def test_without_a_terminal_edit_names_the_other_way(home: Path) -> None:
    ended = subprocess.run(
        [*ONECLAW, "config", "edit"],
        env=environment(home),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "oneclaw config set SETTING VALUE" in ended.stderr


def test_the_default_model_is_set_by_name(cli: Cli, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    assert "none; set one" in cli("models", "default").out
    ended = cli("models", "default", "claude-sonnet-4-5")
    assert ended.code == 0
    assert "oneclaw keys set anthropic" in ended.err
    assert cli("models", "default").out == "anthropic/claude-sonnet-4-5\n"
    assert 'default = "anthropic/claude-sonnet-4-5"' in file.read_text()
    assert cli("models", "default", "ollama/llama3.2").err == ""
    assert (
        "Did you mean anthropic/claude-sonnet-4-5?"
        in cli("models", "default", "anthropic/claude-sonet-4-5").err
    )


@pytest.mark.parametrize("name", ["opus", "nobody/model", "local/"])
def test_an_unknown_provider_is_no_default(cli: Cli, file: Path, name: str) -> None:
    assert cli("models", "default", name).code == 2
    assert not file.exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_one_sentence(cli: Cli, file: Path) -> None:
    file.parent.mkdir(parents=True)
    file.parent.chmod(0o500)
    ended = cli("config", "set", "permissions.mode", "ask")
    assert ended.code == 2
    assert "cannot be written (Permission denied)." in ended.err
