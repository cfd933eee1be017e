"""`oneclaw doctor`: what cannot work is said before it is tried."""

from pathlib import Path
from typing import Any

import pytest
from tests.programs import make_program

Cli = Any


@pytest.mark.parametrize(("option", "topic"), [("--home", "store"), ("--workspace", "workspace")])
def test_a_folder_that_cannot_be_made_is_found_and_the_remedy_named(
    cli: Cli, tmp_path: Path, option: str, topic: str
) -> None:
    (tmp_path / "file").write_text("in the way")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        ended = cli(option, str(folder), "doctor", "--json")
        finding = next(one for one in ended.json if one["topic"] == topic)
        assert (ended.code, finding["state"]) == (1, "bad")
        assert str(folder) in finding["text"]
        assert option in finding["remedy"]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ('[tools]\ndeny = ["red_file"]', "tools.deny names 'red_file', which fits no tool"),
        ("[limits.tools.red_file]\nseconds = 1", "limits.tools names 'red_file', which fits no tool"),
        ("[switches]\nmemory_store = false", "switches names 'memory_store', which has no switch of its own"),
        (
            '[tools]\ndeny = ["red_file", "rite_file"]\n[permissions.needs]\nfly = "ask"',
            "tools.deny names 'red_file', which fits no tool (and 2 more that are wrong)",
        ),
        (
            '[permissions.needs]\n"files.wirte" = "denied"',
            "permissions.needs names 'files.wirte', which no tool needs",
        ),
    ],
)
def test_a_setting_that_is_about_nothing_is_found(cli: Cli, tmp_path: Path, settings: str, said: str) -> None:
    file = tmp_path / "oneclaw.toml"
    file.write_text(settings)
    findings = cli("--config", str(file), "doctor", "--json").json
    assert next(one["text"] for one in findings if one["topic"] == "tools") == said


def test_settings_that_are_about_something_are_fine_and_the_tools_counted(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "oneclaw.toml"
    file.write_text('[permissions.needs]\n"files.write" = "ask"\n[limits.tools.read_file]\nchars = 900')
    findings = cli("--config", str(file), "doctor", "--json").json
    count = len(cli("tools", "--json").json)
    assert next(one["text"] for one in findings if one["topic"] == "tools") == f"{count} tools"


@pytest.mark.parametrize("setting", ['mode = "native"', 'sandbox = "none"'])
def test_a_shell_that_nothing_shuts_in_is_told(cli: Cli, tmp_path: Path, setting: str) -> None:
    file = tmp_path / "oneclaw.toml"
    file.write_text(f"[shell]\n{setting}\n")
    findings = cli("--config", str(file), "doctor", "--json").json
    (finding,) = (one for one in findings if one["topic"] == "sandbox")
    assert finding["state"] == "warn"
    assert f"by shell.{setting}: they can do all that you can" in finding["text"]


def test_features_that_are_on_are_told_and_what_a_tool_lacks(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("bash", "ssh"):
        make_program(tmp_path / "bin", name)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    file = tmp_path / "oneclaw.toml"
    file.write_text(
        '[web.search]\nprovider = "searxng"\nurl = "http://localhost:8080"\n[features]\nmemory = false'
    )
    for on in ("none", "shell, sandbox"):
        findings = cli("--config", str(file), "doctor", "--json").json
        (finding,) = (one for one in findings if one["topic"] == "features")
        assert finding["text"].startswith(f"on: {on};")
        cli("--config", str(file), "features", "on", "shell")
    file.write_text('[web.search]\nprovider = "searxng"\n')
    findings = cli("--config", str(file), "doctor", "--json").json
    (finding,) = (one for one in findings if one["topic"] == "features")
    assert finding["state"] == "warn"
    assert (
        "web_search is not there: The search provider searxng has no address: set web.search.url"
        in finding["text"]
    )


def test_a_feature_whose_program_is_not_installed_is_found(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_program(tmp_path / "bin", "bash")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    cli("features", "on", "shell")
    (finding,) = (one for one in cli("doctor", "--json").json if one["topic"] == "features")
    assert finding["state"] == "warn"
    assert "ssh_configure_host is not there: ssh is not installed" in finding["text"]
