"""Characters that turn or hide text are spelled out wherever the page shows what was allowed."""

import pytest
from tests.web.browser import browsing, needs_chromium, say
from tests.web.conftest import Serve

from oneclaw.testing import Call

pytestmark = [needs_chromium, pytest.mark.slow]


async def test_a_remembered_command_is_shown_with_its_hidden_signs(serve: Serve) -> None:
    turns = [[Call("execute_shell_command", command="touch a \u202e&& touch b")], "Done."]
    async with serve(turns) as served, browsing(served) as (page, seen):
        await served.post("/features/shell/switch", on=True)
        await say(page, "Go")
        await page.click(".ask [data-answer=always][aria-disabled=false]")
        await page.wait_for_selector(".ask", state="detached")
        await page.goto(served.server.address + "#/permissions")
        await page.wait_for_selector("code.pattern")
        shown = await page.inner_text("code.pattern")
        assert "\u202e" not in shown
        assert "\\u202e" in shown
        seen.check()
