"""The page by keyboard alone: palette, list of keys, menus, a conversation and its question."""

import pytest
from tests.web.browser import browsing, needs_chromium
from tests.web.conftest import Serve

from oneclaw.testing import Call

pytestmark = [pytest.mark.slow, needs_chromium]


async def test_a_conversation_without_a_mouse(serve: Serve) -> None:
    turns = [[Call("write_file", path="a.txt", content="Hi!")], "Written."]
    async with serve(turns, permissions__mode="ask") as served, browsing(served) as (page, seen):
        keys = page.keyboard
        await page.evaluate("document.activeElement.blur()")
        await keys.press("?")
        await page.wait_for_selector(".dialog .key-list")
        await keys.press("Escape")
        await page.wait_for_selector(".dialog", state="detached")
        await keys.press("/")
        await page.wait_for_selector("#message:focus")
        await keys.type("Write it")
        await keys.press("Enter")
        await page.wait_for_selector(".ask [data-answer=once][aria-disabled=false]")
        await keys.press("Enter")  # answers nothing: no button has the focus
        await keys.press("Tab")
        await keys.press("y")
        await page.wait_for_selector(".after")
        await keys.press("Control+k")
        await page.wait_for_selector(".palette input:focus")
        await keys.type("runs")
        await keys.press("Enter")
        await page.wait_for_selector(".run")
        await keys.press("Control+k")
        await page.wait_for_selector(".palette input:focus")
        await keys.type("write it")
        await keys.press("Enter")
        await page.wait_for_selector(".after")
        await page.focus(".bar [aria-haspopup=menu]")
        await keys.press("Enter")
        await page.wait_for_selector("[role=menuitem]:focus")
        await keys.press("Enter")
        await page.wait_for_selector("dialog [name=title]:focus")
        await keys.press("Control+a")
        await keys.type("A new title")
        await keys.press("Enter")
        await page.wait_for_selector("h1:has-text('A new title')")
        await page.focus(".bar [aria-haspopup=menu]")
        await keys.press("Enter")
        await page.wait_for_selector("[role=menuitem]:focus")
        await keys.press("ArrowUp")
        await keys.press("Enter")
        await page.wait_for_selector("dialog .danger")
        await page.focus("dialog .danger")
        await keys.press("Enter")
        await page.wait_for_selector(".fresh")
        assert await served.get("/sessions") == []
        await keys.press("Control+Shift+O")
        seen.check()


async def test_the_drawer_closes_with_escape_and_titles_are_found(serve: Serve) -> None:
    look = {"viewport": {"width": 360, "height": 740}}
    async with serve([f"fruit{n}x" for n in range(8)]) as served:
        for number in range(8):
            sent = await served.post("/messages", text=f"Question {number}")
            handle = served.app.runs.get(sent["run"])
            if handle is not None:
                await handle.wait()
        async with browsing(served, **look) as (page, seen):
            await page.click("[aria-label='Conversations and places']")
            await page.wait_for_selector(".side.open")
            await page.fill(".side-find input", "fruit3x")
            await page.wait_for_selector(".session:has-text('Question 3')")
            await page.wait_for_selector(".session:has-text('Question 4')", state="detached")
            await page.keyboard.press("Escape")
            await page.wait_for_selector(".side:not(.open)", state="attached")
            seen.check()
