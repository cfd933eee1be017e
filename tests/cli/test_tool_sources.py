"""`oneclaw tools sources`, and how a source that is not ready is shown."""

from pathlib import Path
from typing import Any

import pytest
from tests.core.test_sources import Broken, ready
from tests.outside_apps import config
from tests.tool_files import single, write_pair

from oneclaw import App
from oneclaw.cli.tools import list_tools, show_sources

Cli = Any


def test_the_sources_are_listed_with_their_state(cli: Cli, home: Path) -> None:
    write_pair(home / "tools", "mine", single("mine"))
    listed = {row["source"]: row for row in cli("tools", "sources", "--json").json}
    assert {row["state"] for row in listed.values()} == {"ready"}
    assert (listed["user"]["tools"], listed["built-in"]["tools"] > 10) == (1, True)
    shown = cli("tools", "sources")
    assert shown.code == 0
    assert "user" in shown.out


def test_a_folder_of_the_settings_is_a_source_and_its_tools_are_there(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "settings" / "oneclaw.toml"
    write_pair(tmp_path / "settings" / "mine", "hi", single("hi"), "function execute() { return 'hi'; }")
    file.write_text('tools.folders = ["mine"]\n')
    assert cli("--config", str(file), "call", "hi").out.strip() == "hi"
    listed = {row["source"] for row in cli("--config", str(file), "tools", "sources", "--json").json}
    assert str(tmp_path / "settings" / "mine") in listed
    made = cli("--config", str(file), "tools", "new", "more", "--folder", str(tmp_path / "settings" / "mine"))
    assert "not loaded" not in made.out


def test_the_doctor_tells_of_sources(cli: Cli) -> None:
    (finding,) = (one for one in cli("doctor", "--json").json if one["topic"] == "sources")
    assert finding["state"] == "ok"


async def test_a_source_that_failed_is_named_where_tools_are_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sources = [Broken("weather", OSError("connection refused")), ready("good", "here")]
    async with App(config(tmp_path), builtins=False, sources=sources).looking() as app:
        await list_tools(app, "default", as_json=False)
        said = capsys.readouterr()
        assert "weather: failed connection refused" in said.err
        assert "here" in said.out
        show_sources(app, as_json=False)
        assert "connection refused" in capsys.readouterr().out
