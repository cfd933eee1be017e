"""A folder of JavaScript tools as a source."""

import asyncio
import threading
from pathlib import Path

from tests.tool_files import single, write_pair

from oneclaw.core.load import Loaded
from oneclaw.js.folder import JavaScriptFolder
from oneclaw.js.runtime import Runtime


async def test_trust_that_ends_while_the_folder_is_read_has_ended(tmp_path: Path) -> None:
    write_pair(tmp_path, "build", single("build"))
    entered, go, is_trusted = threading.Event(), threading.Event(), True

    def gate() -> Loaded | None:
        verdict = None if is_trusted else Loaded()
        if threading.current_thread() is not threading.main_thread():
            entered.set()
            assert go.wait(30)
        return verdict

    folder = JavaScriptFolder(tmp_path, Runtime(), name="project", origin="project", gate=gate)
    assert [tool.name for tool in folder.tools] == ["build"]
    await folder.open(lambda: None)
    opening = asyncio.ensure_future(folder.open(lambda: None))
    await asyncio.to_thread(entered.wait, 30)
    is_trusted = False
    folder.load()
    go.set()
    await opening
    assert not folder.tools


async def test_a_folder_that_changed_after_it_was_made_is_read_when_it_is_opened(tmp_path: Path) -> None:
    folder = JavaScriptFolder(tmp_path, Runtime(), name="user", origin="user")
    assert not folder.tools
    write_pair(tmp_path, "later", single("later"))
    await folder.open(lambda: None)
    assert [tool.name for tool in folder.tools] == ["later"]
