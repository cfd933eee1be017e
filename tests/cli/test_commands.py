"""The commands: what they print, and the code they leave."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from oneclaw import App, Config
from oneclaw.cli.completion import setting_names
from oneclaw.tools.builtin import NAMES

Cli = Any


def test_without_a_command_there_is_help(cli: Cli) -> None:
    ended = cli()
    assert ended.code == 0
    assert "oneclaw demo" in ended.out


@pytest.mark.covers("FEAT004-AC-18")
def test_tools_lists_every_tool_with_its_state_and_needs(cli: Cli, home: Path) -> None:
    ended = cli("tools")
    assert ended.code == 0
    rows = {line.split("\t")[1]: line.split("\t") for line in ended.out.splitlines()}
    assert set(rows) >= {*NAMES, "sessions", "message"}
    assert set(rows) == {tool.name for tool in App(Config(home=home)).registry}
    assert rows["write_file"][0] == "on"
    assert "files.write" in rows["write_file"][2]
    assert rows["read_file"][3]


def test_tools_as_json_and_one_tool_with_its_schema(cli: Cli) -> None:
    listed = cli("tools", "--json").json
    assert {row["name"] for row in listed} >= {*NAMES, "sessions", "message"}
    shown = cli("tools", "show", "read_file")
    assert "read_file(path: string" in shown.out
    assert '"required"' in shown.out
    assert cli("tools", "show", "read_file", "--json").json["parameters"]["required"] == ["path"]


def test_a_tool_can_be_switched_off_and_on_again(cli: Cli) -> None:
    off = {row["name"] for row in cli("tools", "--json").json if not row["on"]}
    assert "http_request" not in off
    assert off >= {"sessions", "message", "execute_shell_command"}
    assert cli("tools", "off", "http_request").out == "http_request is switched off.\n"
    row = next(row for row in cli("tools", "--json").json if row["name"] == "http_request")
    assert row["on"] is False
    refused = cli("call", "http_request", "url=http://127.0.0.1/")
    assert refused.code == 3
    assert "switched off" in refused.err
    assert "switched off" in cli("why", "http_request").out
    cli("tools", "on", "http_request")
    assert {row["name"] for row in cli("tools", "--json").json if not row["on"]} == off


@pytest.mark.parametrize("words", [("tools", "show", "red_file"), ("why", "red_file")])
def test_an_unknown_tool_is_said_with_the_nearest_name(cli: Cli, words: tuple[str, ...]) -> None:
    ended = cli(*words)
    assert ended.code == 3
    assert "read_file" in ended.err


@pytest.mark.covers("RFC004-VF-02a")
def test_call_takes_words(cli: Cli, home: Path) -> None:
    ended = cli("call", "write_file", "path=a.txt", "content=hello", "mode=append")
    assert ended.code == 0
    assert (home / "workspace" / "a.txt").read_text() == "hello"
    assert cli("call", "read_file", "path=a.txt").out == "hello\n"


def pipe(text: str, *words: str) -> str:
    """What the program prints that is given a text by a pipe."""
    command = [sys.executable, "-m", "oneclaw.cli.main", *words]
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=True).stdout


def test_call_takes_json_words_text_and_a_pipe(cli: Cli) -> None:
    cli("call", "write_file", "path=a.txt", "content=1\n2\n3\n")
    assert cli("call", "read_file", "path=a.txt", "offset:=2", "limit:=1").out.startswith("2\n")
    assert cli("call", "read_file", "--json", '{"path": "a.txt"}').out == "1\n2\n3\n"
    assert pipe('{"path": "a.txt"}', "call", "read_file", "-") == "1\n2\n3\n"


def test_words_may_stand_behind_an_option(cli: Cli) -> None:
    given = cli("call", "get_current_time", "timezone=UTC", "--format", "json", "format=human_readable")
    assert "UTC" in given.json["result"]
    said = pipe('{"timezone": "Asia/Tokyo"}', "call", "get_current_time", "--format", "json", "-")
    assert json.loads(said)["result"].endswith("+09:00")


@pytest.mark.covers("RFC004-VF-01a", "RFC004-EC-01")
def test_call_prints_the_whole_result_as_json(cli: Cli) -> None:
    result = cli("call", "get_current_time", "--format", "json").json
    assert result["status"] == "success"
    assert result["tool"] == "get_current_time"
    assert result["seconds"] > 0


@pytest.mark.covers("RFC004-VF-05a")
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("read_file", "path=missing.txt"), 1, "file_not_found"),
        (("read_fil", "path=x"), 3, "tool_not_found"),
        (("read_file",), 4, "validation_error"),
        (("read_file", "path=../../etc/passwd"), 5, "path_not_allowed"),
        (("http_request", "url=http://127.0.0.1:9/"), 5, "permission_denied"),
        (("read_file", "nonsense"), 2, "KEY=VALUE"),
        (("read_file", "path:={"), 2, "not JSON"),
        (("read_file", "path=a", "--json", "{}"), 2, "not both"),
        (("read_file", "--json", "{}", "path=a"), 2, "not both"),
        (("read_file", "--format", "json", "path=a", "--nonsense"), 2, "--nonsense"),
        pytest.param(("read_file", "path:=" + "[" * 100_000), 2, "nested too deeply", id="deep"),
    ],
)
def test_the_exit_code_tells_how_a_call_ended(cli: Cli, words: tuple[str, ...], code: int, said: str) -> None:
    ended = cli("call", *words)
    assert ended.code == code
    assert said in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.covers("FEAT004-OP-02", "RFC004-ET-14")
def test_log_shows_what_happened_and_can_be_filtered(cli: Cli) -> None:
    assert "No calls yet" in cli("log").err
    cli("call", "get_current_time")
    cli("call", "read_file", "path=missing.txt")
    assert len(cli("log").out.splitlines()) == 2
    assert [row["tool"] for row in cli("log", "--tool", "get_*", "--json").json] == ["get_current_time"]
    assert [row["kind"] for row in cli("log", "--status", "file_not_found", "--json").json] == [
        "file_not_found"
    ]
    assert len(cli("log", "--since", "1h", "--json").json) == 2
    assert cli("log", "--since", "2099-01-01", "--json").json == []
    assert cli("log", "--limit", "1").out.count("\n") == 1
    assert "missing.txt" in cli("log", "2").out
    assert cli("log", "99").code == 1
    assert cli("log", "--since", "soon").code == 2


@pytest.mark.covers("FEAT004-OP-01")
def test_log_shows_durations(cli: Cli) -> None:
    cli("call", "get_current_time")
    assert " ms" in cli("log").out
    assert cli("log", "--json").json[0]["seconds"] > 0


def test_why_names_the_rule_that_decided(cli: Cli, tmp_path: Path) -> None:
    settings = tmp_path / "oneclaw.toml"
    settings.write_text('[tools]\ndeny = ["write_*"]\n')
    ended = cli("--config", str(settings), "why", "write_file")
    assert "tools.deny" in ended.out
    assert "write_*" in ended.out
    assert cli("why", "write_file", "--json").json["allowed"] is True


def test_grants_are_listed_and_revoked(cli: Cli) -> None:
    assert "No grants" in cli("grants").err
    assert cli("grants", "revoke", "nope").code == 1
    assert cli("grants", "revoke").code == 2
    assert cli("grants", "--json").json == []


def test_config_says_where_things_are(cli: Cli, home: Path) -> None:
    said = cli("config").out
    assert str(home / "workspace") in said
    assert "permissions.mode" in cli("config", "--all").out
    assert cli("config", "--json").json["mode"] == "auto"


def test_config_gets_and_explains_one_setting(cli: Cli) -> None:
    assert cli("config", "get", "permissions.mode", "--mode", "deny").out == "deny\n"
    assert cli("config", "get", "runs.rounds", "--json").json == 15
    said = cli("config", "explain", "agents.writer.memory").out
    assert "shared or own" in said
    assert "above 0, at most 10,000" in cli("config", "explain", "limits.threads").out
    wrong = cli("config", "get", "runs.cots")
    assert (wrong.code, "Did you mean runs.cost?" in wrong.err) == (2, True)
    assert cli("config", "explain").code == 2
    assert setting_names("runs.co") == ["runs.cost"]


def test_config_shows_no_password(cli: Cli, tmp_path: Path) -> None:
    settings = tmp_path / "oneclaw.toml"
    settings.write_text('[network]\nproxy = "http://me:hunter2hunter2@10.0.0.1:8080"\n')
    for words in ((), ("--json",)):
        said = cli("--config", str(settings), "config", *words).out
        assert "@10.0.0.1:8080" in said
        assert "hunter2" not in said


def test_a_wrong_setting_is_one_line_and_code_two(cli: Cli, tmp_path: Path) -> None:
    settings = tmp_path / "oneclaw.toml"
    settings.write_text("[limits]\nparallel = -1\n")
    ended = cli("--config", str(settings), "tools")
    assert ended.code == 2
    assert ended.err.count("\n") == 1
    assert "line 2" in ended.err


def test_a_damaged_store_is_one_line_and_is_left_alone(cli: Cli, home: Path) -> None:
    home.mkdir(parents=True)
    (home / "oneclaw.db").write_bytes(b"not a database" * 1000)
    for words in (("call", "get_current_time"), ("log",), ("tools",), ("grants",)):
        ended = cli(*words)
        assert ended.code == 2
        assert "oneclaw.db" in ended.err
        assert "Traceback" not in ended.err
    assert (home / "oneclaw.db").read_bytes() == b"not a database" * 1000


def test_doctor_finds_this_machine_sound(cli: Cli) -> None:
    ended = cli("doctor")
    assert ended.code == 0
    topics = {finding["topic"]: finding["state"] for finding in cli("doctor", "--json").json}
    assert topics["workers"] == "ok"
    assert topics["store"] == "ok"


def test_doctor_names_a_readable_secrets_file(cli: Cli, home: Path) -> None:
    home.mkdir(parents=True)
    (home / "secrets.toml").write_text('KEY = "value"\n')
    (home / "secrets.toml").chmod(0o644)
    ended = cli("doctor")
    assert ended.code == 1
    assert "chmod 600" in ended.out


@pytest.mark.covers("FEAT004-ST-02", "RFC004-SC-04")
def test_files_of_the_home_are_for_the_owner_alone(cli: Cli, home: Path) -> None:
    old = os.umask(0)
    try:
        cli("call", "get_current_time")
    finally:
        os.umask(old)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in home.iterdir()}
    assert modes["oneclaw.db"] == 0o600
    assert modes["workspace"] == 0o700
    assert not stat.S_IMODE(home.stat().st_mode) & 0o077


@pytest.mark.covers("FEAT004-ST-01", "RFC004-ET-09", "RFC004-SC-02a")
def test_tools_cannot_reach_our_own_files(cli: Cli, home: Path) -> None:
    cli("call", "get_current_time")
    for path in (home / "oneclaw.db", home / "secrets.toml", Path("../oneclaw.db")):
        assert cli("call", "read_file", f"path={path}").code == 5
        assert cli("call", "write_file", f"path={path}", "content=x").code == 5


@pytest.mark.covers("FEAT004-ST-01", "RFC004-SC-02a")
def test_a_home_inside_the_workspace_is_still_out_of_reach(cli: Cli, home: Path, tmp_path: Path) -> None:
    cli("call", "get_current_time")
    assert cli("--workspace", str(tmp_path), "call", "read_file", "path=home/oneclaw.db").code == 5
    assert cli("--workspace", str(tmp_path), "call", "write_file", "path=home/x", "content=x").code == 5
    assert cli("--workspace", str(tmp_path), "call", "write_file", "path=x", "content=x").code == 0


@pytest.mark.covers("RFC004-SC-02b")
def test_a_tool_cannot_make_the_settings_that_would_rule_it(cli: Cli, home: Path, tmp_path: Path) -> None:
    target = tmp_path / "config" / "oneclaw" / "oneclaw.toml"
    for _ in range(2):  # first without the folder, then with it
        ended = cli(
            "--workspace",
            str(tmp_path),
            "call",
            "write_file",
            "path=config/oneclaw/oneclaw.toml",
            'content=[permissions.needs]\nshell = "granted"',
        )
        assert ended.code == 5
        assert not target.exists()
        target.parent.mkdir(parents=True, exist_ok=True)


def test_a_long_result_can_be_read_in_pieces_in_its_session(cli: Cli, home: Path) -> None:
    (home / "workspace").mkdir(parents=True)
    for number in range(600):
        (home / "workspace" / f"{'n' * 60}{number:04}.txt").write_text("x")
    cut = cli("call", "find_files", "pattern=*.txt", "limit=600")
    assert "0599.txt" not in cut.out
    path = cut.out.split("The whole text is in ")[1].split(": ")[0]
    assert stat.S_IMODE(Path(path).stat().st_mode) == 0o600
    session = cut.err.split("--session ")[1].split()[0]
    assert "0599.txt" in cli("call", "--session", session, "read_file", f"path={path}", "offset:=595").out
    assert cli("call", "read_file", f"path={path}").code == 5, "another session may not read it"
    assert cli("call", "--session", "nobody", "get_current_time").code == 2


def test_a_limit_without_room_for_a_note_is_refused(cli: Cli, tmp_path: Path) -> None:
    settings = tmp_path / "oneclaw.toml"
    settings.write_text("[limits.tools.read_file]\nchars = 100\n")
    ended = cli("--config", str(settings), "tools")
    assert ended.code == 2
    assert "limits.tools.read_file.chars is 100" in ended.err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_code_for_the_shell(cli: Cli, shell: str) -> None:
    assert "oneclaw" in cli("completion", shell).out


def test_that_a_typed_number_is_one_goes_without_saying(cli: Cli) -> None:
    cli("call", "write_file", "path=a.txt", "content=one")
    assert cli("call", "read_file", "path=a.txt", "offset=1").err == ""
    assert 'offset: " 1" was read as' in cli("call", "read_file", "path=a.txt", "offset= 1").err
    assert (
        'offset: "1" was read as'
        in cli("call", "read_file", "--json", '{"path": "a.txt", "offset": "1"}').err
    )


def test_where_a_file_is_not_found_it_says_where_was_looked(cli: Cli, home: Path) -> None:
    for path, code in (("none.txt", 1), ("/etc/passwd", 5)):
        ended = cli("call", "read_file", f"path={path}")
        assert ended.code == code
        assert f"Tools work in {home / 'workspace'}; --workspace FOLDER" in ended.err.splitlines()[-1]
    assert "Tools work in" not in cli("call", "read_file", "path=none.txt", "--format", "json").err
