"""Settings: what is read, what is refused, and how the refusal reads."""

import re
from pathlib import Path

import pytest

from oneclaw.config import Config, load_config, read_settings
from oneclaw.core.errors import InvalidConfig
from oneclaw.core.settings.schema import SETTINGS


def write(folder: Path, text: str) -> Path:
    file = folder / "oneclaw.toml"
    file.write_text(text)
    return file


def test_without_a_file_there_are_defaults(tmp_path: Path) -> None:
    config = load_config(environment={"ONECLAW_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)})
    assert config.mode == "auto"
    assert config.workspace_folder == tmp_path / "workspace"
    assert config.store_file == tmp_path / "oneclaw.db"


def test_settings_are_found_by_their_full_key(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        """
[tools]
deny = ["http_request"]
[agents.builder.tools]
allow = ["write_*"]
[permissions]
mode = "ask"
[permissions.needs]
network.private = "granted"
"mail" = "denied"
""",
    )
    config = load_config(file, {"ONECLAW_HOME": str(tmp_path)})
    assert config.mode == "ask"
    assert config.get("tools.deny") == ["http_request"]
    assert config.get("agents.builder.tools.allow") == ["write_*"]
    assert config.under("permissions.needs") == {"network.private": "granted", "mail": "denied"}


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    file = write(tmp_path, '[workspace]\nfolder = "/a"\n[permissions]\nmode = "ask"\n')
    environment = {"ONECLAW_CONFIG": str(file), "ONECLAW_MODE": "deny", "ONECLAW_WORKSPACE": str(tmp_path)}
    config = load_config(environment=environment)
    assert config.mode == "deny"
    assert config.workspace_folder == tmp_path


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[tools]\n\nalow = ["x"]\n', ["line 3", "'tools.alow'", "tools.allow"]),
        ('[permissions]\nmode = "yolo"\n', ["line 2", "'yolo'", "auto, ask or deny"]),
        ("[limits]\nparallel = 0\n", ["line 2", "limits.parallel is 0", "whole number above 0"]),
        ("[limits]\nparallel = true\n", ["line 2", "True"]),
        ('[permissions.needs]\n"network.private" = "maybe"\n', ["line 2", "granted, ask or denied"]),
        ("[tools\n", ["line 1"]),
        ("tools = 5\n", ["line 1", "'tools'"]),
        ("[tools]\nallow = [1]\n", ["line 2", "list of texts"]),
        ('[shell]\nallow = [\n "ls",\n "python3 *",\n]\n', ["line 4", "'python3 *'", "would allow anything"]),
        ('[shell]\nallow = [""]\n', ["line 2", "empty"]),
    ],
)
def test_a_wrong_setting_is_named_with_its_line(tmp_path: Path, text: str, words: list[str]) -> None:
    file = write(tmp_path, text)
    with pytest.raises(InvalidConfig) as caught:
        load_config(file, {})
    for word in [str(file), *words]:
        assert word in str(caught.value)


def test_a_named_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfig, match=r"missing\.toml is not there"):
        load_config(tmp_path / "missing.toml", {})


def test_a_file_that_is_not_text_is_said(tmp_path: Path) -> None:
    file = tmp_path / "oneclaw.toml"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidConfig, match="cannot be read"):
        load_config(file, {})


def test_a_file_in_the_current_folder_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, '[permissions.needs]\nshell = "granted"\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))
    config = load_config(environment={"ONECLAW_HOME": str(tmp_path / "home")})
    assert config.file is None
    assert config.under("permissions.needs") == {}


def test_settings_made_in_python_need_no_home_and_read_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("ONECLAW_HOME", str(tmp_path / "home"))
    (tmp_path / "oneclaw").mkdir()
    write(tmp_path / "oneclaw", '[permissions]\nmode = "deny"\n')
    assert load_config().mode == "deny"
    config = Config(values={"tools.deny": ["write_file"]})
    assert (config.home, config.mode, config.file) == (tmp_path / "home", "auto", None)
    assert Config(home=str(tmp_path)).tools_folder == tmp_path / "tools"


def test_every_setting_can_be_set(tmp_path: Path) -> None:
    samples = {
        "text": '"x"',
        "list of texts": '["x"]',
        "true or false": "true",
        "whole number": "500",
        "number": "0.5",
        "whole number or false": "false",
        "number or false": "false",
    }
    # Any other type is a list of the words there are.
    values = [samples.get(one.type) or f'"{re.split(", | or ", one.type)[-1]}"' for one in SETTINGS]
    keys = [one.key.replace("*", "some_name") for one in SETTINGS]
    lines = [f"{key} = {value}" for key, value in zip(keys, values, strict=True)]
    file = write(tmp_path, "\n".join(lines))
    assert len(read_settings(file)) == len(SETTINGS)
