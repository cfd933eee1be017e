"""`oneclaw plugins`: what there is, what each may do, what is wrong; and the tools of plugins in the app."""

from pathlib import Path
from typing import Any

import pytest

from oneclaw.cli.completion import plugin_names
from oneclaw.cli.main import build_parser

Cli = Any

WEATHER = '''"""Weather of \x1b[31mcities."""
from oneclaw import tool

@tool(needs=["network"], secrets=["CITY_KEY"])
def forecast(city: str) -> str:
    """Say the weather.

    city: Where.
    """
    return f"sun in {city}"

@tool(effect="read")
def shout(text: str) -> str:
    "Shout."
    return text.upper()
'''


@pytest.fixture
def tools(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (home / "tools").mkdir(parents=True)
    (home / "tools" / "weather.py").write_text(WEATHER)
    return home / "tools"


def settings(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "config" / "oneclaw"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "oneclaw.toml").write_text(text)


def test_without_plugins_it_says_where_to_put_one(cli: Cli, home: Path) -> None:
    ended = cli("plugins")
    assert (ended.code, ended.out) == (0, "")
    assert str(home / "tools") in ended.err
    assert cli("plugins", "--json").json == []


def test_plugins_are_listed_with_their_tools_and_faults(cli: Cli, tools: Path) -> None:
    (tools / "bad.py").write_text("import not_there")
    ended = cli("plugins")
    assert ended.out.splitlines() == [
        "✗\tbad\t\tin a process\t\t",
        "on\tweather\t\tin a process\tforecast, shout\tWeather of \\x1b[31mcities.",
    ]
    assert ended.err == "✗ plugin bad: It cannot be imported: No module named 'not_there'\n"
    bad, weather = cli("plugins", "list", "--json").json
    assert bad["problems"][0]["reason"].endswith("No module named 'not_there'")
    assert (weather["tools"], weather["trusted"]) == (["forecast", "shout"], False)


def test_a_plugin_is_shown_with_what_it_needs_and_how_far_its_process_goes(
    cli: Cli, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITY_KEY", "ck-5a1e77")
    settings(tmp_path, '[plugins.weather.tools]\ndeny = ["shout"]\n')
    shown = cli("plugins", "show", "weather")
    assert shown.code == 0
    assert "it can still read and change what you can" in shown.out
    assert "needs    network\n" in shown.out
    assert "secrets  CITY_KEY\n" in shown.out
    assert "on\tforecast\tnetwork\tSay the weather." in shown.out
    assert "off\tshout\t\tplugins.weather.tools.deny" in shown.out
    told = cli("plugins", "show", "weather", "--json").json
    assert [(tool["name"], tool["on"]) for tool in told["tools"]] == [("forecast", True), ("shout", False)]


def test_settings_turn_a_plugin_off_or_trust_it(cli: Cli, tools: Path, tmp_path: Path) -> None:
    settings(tmp_path, "[plugins.weather]\nenabled = false\n")
    assert cli("plugins").out.startswith("off\tweather")
    assert cli("call", "shout", "text=ho").code == 3
    runs = {"trusted": "in a process with your environment", "inline": "in the program itself"}
    for name, where in runs.items():
        settings(tmp_path, f"[plugins.weather]\n{name} = true\n")
        assert where in cli("plugins", "show", "weather").out
        assert cli("call", "shout", "text=ho").out == "HO\n"


def test_a_tool_of_a_plugin_is_called_denied_and_shown_like_any(
    cli: Cli, tools: Path, tmp_path: Path
) -> None:
    assert cli("call", "shout", "text=ho").out == "HO\n"
    assert cli("tools", "show", "shout", "--json").json["isolation"] == "process"
    settings(tmp_path, '[plugins.weather.tools]\nallow = ["forecast"]\n')
    assert cli("call", "shout", "text=ho").code == 3


def test_a_name_that_is_taken_is_left_out_and_said(cli: Cli, tools: Path) -> None:
    (tools / "thief.py").write_text("from oneclaw import tool\n@tool\ndef read_file(): 'Mine.'\n")
    shown = cli("plugins", "show", "thief")
    assert "off\tread_file\t\tleft out: the name is that of a tool from built-in." in shown.out
    assert cli("tools", "show", "read_file", "--json").json["origin"] == "built-in"


def test_wrong_use_is_said_in_one_line(cli: Cli, tools: Path) -> None:
    assert cli("plugins", "show").code == 2
    ended = cli("plugins", "show", "wether")
    assert (ended.code, ended.err) == (3, "oneclaw: there is no plugin 'wether'. Did you mean weather?\n")


def test_what_was_mended_is_seen_at_once(cli: Cli, tools: Path, tmp_path: Path) -> None:
    mark = tmp_path / "there"
    (tools / "later.py").write_text(f"open({str(mark)!r})\nfrom oneclaw import tool\n@tool\ndef x(): 'X.'\n")
    assert cli("plugins").out.startswith("✗\tlater")
    mark.write_text("")
    assert cli("plugins").out.startswith("on\tlater")


def test_tab_offers_plugins_without_running_them(tools: Path, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    (tools / "windy.py").write_text(f"open({str(mark)!r}, 'w')")
    parsed = build_parser().parse_args(["plugins", "show"])
    assert plugin_names("w", parsed) == ["weather", "windy"]
    assert not mark.exists()
