"""Tool files without a door: written, checked, tried and broken."""

import pytest

from oneclaw import App
from oneclaw.core.errors import DuplicateTool, InvalidConfig
from oneclaw.operations.tool_check import check_files, try_examples
from oneclaw.operations.tool_files import new_tool, reload_tools


async def test_a_new_tool_is_right_and_keeps_its_promises_until_its_source_breaks(app: App) -> None:
    made = new_tool(app, "words")
    assert made.is_loaded
    loaded = await reload_tools(app)
    assert [(tool.name, tool.origin) for tool in loaded.tools] == [("words", "user")]
    checked = await check_files(app)
    assert (checked.ok, [tool.is_right for tool in checked.tools]) == (True, [True])
    tried = [each async for each in try_examples(app, "words")]
    assert tried
    assert all(each.ok for each in tried)
    made.files[1].write_text("function other() {}")
    checked = await check_files(app, made.files[0])
    assert (checked.ok, [tool.is_right for tool in checked.tools]) == (False, [False])


async def test_no_tool_takes_the_name_or_the_files_of_another(app: App) -> None:
    made = new_tool(app, "words")
    with pytest.raises(InvalidConfig, match="is there already"):
        new_tool(app, "words")
    assert made.files[0].exists()
    with pytest.raises(DuplicateTool, match="from built-in"):
        new_tool(app, "read_file")
