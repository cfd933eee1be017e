"""The page about plugins: its file and its manifest work as they stand there."""

import re
from pathlib import Path
from typing import Any

import pytest
from tests.plugins.conftest import load_plugins, look

from oneclaw.config import read_settings
from oneclaw.core.call import ToolCall

Home = Any
Serve = Any

PAGE = (Path(__file__).parents[2] / "docs" / "plugins.md").read_text(encoding="utf-8")
(CODE,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
PACKAGE, MANIFEST, SETTINGS = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("manifest", ["", MANIFEST], ids=["alone", "with its manifest"])
async def test_the_file_of_the_page_works(home: Home, engine_of: Serve, manifest: str) -> None:
    home.write("reading.py", CODE)
    if manifest:
        home.write("reading.toml", manifest)
    loaded = load_plugins(home.config)
    assert ([tool.name for tool in loaded.tools], loaded.problems) == (["reading_time"], [])
    assert look(home.config)[0].description == "Facts about texts."
    async with engine_of(loaded) as engine:
        result = await engine.call(ToolCall("reading_time", {"text": "to be " * 100}))
        assert result.value == {"words": 200, "minutes": 1.0}


def test_the_entry_point_of_the_page_is_one(home: Home) -> None:
    (reference,) = re.findall(r'^weather = "(.*)"$', PACKAGE, re.MULTILINE)
    files = {"oneclaw_weather/__init__.py": "", "oneclaw_weather/tools.py": CODE}
    home.install("oneclaw-weather", files, f"weather = {reference}\n")
    assert [tool.origin for tool in load_plugins(home.config).tools] == ["oneclaw-weather"]


def test_the_settings_of_the_page_are_settings(tmp_path: Path) -> None:
    file = tmp_path / "oneclaw.toml"
    file.write_text(SETTINGS)
    assert read_settings(file)["plugins.reading.trusted"] is True
