"""The page besides its screens: notifications, reading aloud, labels by language, motion, the tiny model."""

from pathlib import Path
from typing import Any

import pytest
from tests.web.browser import browsing, expect, needs_chromium, opened_tab, say
from tests.web.conftest import Serve

from oneclaw import tool
from oneclaw.testing import Call

pytestmark = [pytest.mark.slow, needs_chromium]
RECORD = """
    window.told = [];
    Object.defineProperty(document, "hidden", { get: () => window.isHidden ?? false });
    class Recorded { constructor(title, options) { window.told.push(title); } close() {} }
    Recorded.permission = "default";
    Recorded.requestPermission = async () => { Recorded.permission = "granted"; };
    window.Notification = Recorded;
    speechSynthesis.speak = (words) => window.told.push(words.text);
"""


async def test_a_hidden_tab_notifies_once_it_was_allowed_and_answers_are_read_aloud(serve: Serve) -> None:
    turns = ["First.", [Call("write_file", path="a.txt", content="Hi!")], "It is **written**."]
    async with serve(turns, permissions__mode="ask") as served, opened_tab() as page:
        await page.add_init_script(RECORD)
        await page.goto(served.server.link())
        await page.wait_for_selector("#message")
        await page.evaluate("window.isHidden = true")
        await say(page, "Go")
        await page.wait_for_selector(".after")
        assert await page.evaluate("window.told") == []  # nobody allowed it
        await page.keyboard.press("Control+k")
        await page.wait_for_selector(".palette input:focus")
        await page.keyboard.type("notify")
        await page.keyboard.press("Enter")
        await say(page, "Write")
        await page.click(".ask [data-answer=once][aria-disabled=false]")
        await page.locator(".after").nth(1).wait_for()
        assert await page.evaluate("window.told") == ["default asks: Write a file", "The answer is finished"]
        await page.click("[aria-label='Read aloud'] >> nth=-1", force=True)
        assert (await page.evaluate("window.told"))[-1] == "It is written."


@tool(effect="read", label={"en": "Count things", "de": "Dinge zählen"})
def count_things() -> int:
    """Count."""
    return 3


@pytest.mark.parametrize(("locale", "label"), [("de-DE", "Dinge zählen"), ("fr-FR", "Count things")])
async def test_a_tool_has_the_label_of_the_browsers_language(serve: Serve, locale: str, label: str) -> None:
    turns = [[Call("count_things")], "Three."]
    async with (
        serve(turns, tools=[count_things]) as served,
        browsing(served, locale=locale) as (page, seen),
    ):
        await say(page, "Count")
        await page.wait_for_selector(".after")
        assert await page.inner_text(".call-name") == label
        seen.check()


async def test_a_browser_without_a_login_is_told_how_to_get_one(serve: Serve) -> None:
    async with serve() as served, opened_tab() as page:
        await page.goto(served.server.address)
        await page.wait_for_selector("text=This page needs a link")


async def test_nothing_moves_where_motion_is_reduced(serve: Serve) -> None:
    async def running(page: Any) -> int:
        return await page.evaluate("document.getAnimations().length")

    @tool(effect="read")
    async def never() -> str:
        """Wait for ever."""
        import asyncio

        await asyncio.Event().wait()
        return ""

    async with (
        serve([[Call("never")], "."], tools=[never]) as served,
        browsing(served, reduced_motion="reduce") as (page, seen),
        browsing(served) as (other, _),
    ):
        await say(page, "Go")
        await page.wait_for_selector(".call.executing")
        await other.goto(page.url)
        await other.wait_for_selector(".pulse")
        assert (await running(page), await running(other) > 0) == (0, True)
        await expect(page.locator(".pulse")).to_contain_text("Working…")  # the words still change
        seen.check()


async def test_the_tiny_model_talks_and_calls_a_tool(serve: Serve, weights: Path) -> None:
    async with serve(models__default="local/smollm2") as served, browsing(served) as (page, seen):
        await say(page, "What time is it?")
        await page.wait_for_selector(".call.success")
        await page.wait_for_selector(".after")
        assert await page.inner_text(".call-name") == "Tell the time"
        seen.check()
