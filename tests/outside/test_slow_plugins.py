"""Plugins as a source: one that hangs holds up neither the program nor the other plugins."""

from pathlib import Path
from time import monotonic

import pytest
from tests.outside_apps import call, config, until

from oneclaw import App
from oneclaw.core import sources

QUICK = 'from oneclaw import tool\n\n@tool\ndef quick() -> str:\n    """Say it."""\n    return "quick"\n'
HUNG = "import time\nwhile not __import__('os').path.exists({go!r}): time.sleep(0.02)\n"


@pytest.fixture
def go(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A plugin that is not imported before this file is there, beside one that is at once."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    go = tmp_path / "go"
    folder.mkdir(parents=True)
    (folder / "a_hung.py").write_text(HUNG.format(go=str(go)) + QUICK.replace("quick", "hung"))
    (folder / "quick.py").write_text(QUICK)
    return go


async def test_a_plugin_that_hangs_holds_up_nobody(tmp_path: Path, go: Path) -> None:
    began = monotonic()
    app = App(config(tmp_path))
    assert monotonic() - began < 5  # making the app asks no plugin
    async with app:
        await until(lambda: "quick" in app.registry)
        assert "hung" not in app.registry
        states = {health.source: health.state for health in app.sources.health}
        assert states["plugins"] == "opening"
        assert (await call(app, "quick")).value == "quick"
        go.touch()
        assert (await call(app, "hung")).value == "hung"  # the call waits for it


async def test_a_plugin_that_is_known_is_there_before_it_is_opened(tmp_path: Path, go: Path) -> None:
    go.touch()
    async with App(config(tmp_path)) as app:
        await app.sources.wait()
    assert {"quick", "hung"} <= {one.name for one in App(config(tmp_path)).registry}


async def test_the_processes_of_plugins_that_hang_end_with_the_program(tmp_path: Path, go: Path) -> None:
    began = monotonic()
    async with App(config(tmp_path)) as app:
        await until(lambda: "quick" in app.registry)
    assert not go.exists()
    assert monotonic() - began < sources.START_SECONDS + sources.CLOSE_SECONDS + 10
