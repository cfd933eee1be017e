"""The page in a real browser: a conversation, questions, every screen, and hostile text."""

import asyncio
from typing import Any

import pytest
from tests.web.browser import axe_script, browsing, needs_chromium, say
from tests.web.conftest import Serve

from oneclaw import tool
from oneclaw.testing import Call

pytestmark = [pytest.mark.slow, needs_chromium]


async def test_a_conversation_with_calls_side_by_side(serve: Serve) -> None:
    calls = [
        Call("write_file", path="a.txt", content="Hi!"),
        Call("get_current_time"),
        Call("read_file", path="../x"),
    ]
    async with serve([["I look.", *calls], "It is **there**."]) as served, browsing(served) as (page, seen):
        assert "link=" not in page.url
        await say(page, "Write it")
        await page.wait_for_selector(".after")
        assert await page.inner_text(".bubble") == "Write it"
        assert await page.inner_text(".prose strong") == "there"
        states = [await one.get_attribute("data-status") for one in await page.query_selector_all(".call")]
        assert states == ["success", "success", "denied"]
        await page.click(".call-head >> nth=0")
        assert "+Hi!" in await page.inner_text(".diff-text")
        await page.click(".detail button:has-text('Undo')")
        await page.wait_for_selector("text=Undone: 1 file is as before.")
        assert not (served.app.config.workspace_folder / "a.txt").exists()
        text = await page.inner_text(".column")
        await page.reload()
        await page.wait_for_selector(".after")
        assert (await page.inner_text(".call-name >> nth=0")) in text
        seen.check()


async def test_a_question_is_answered_by_a_key_after_a_moment(serve: Serve) -> None:
    turns = [[Call("write_file", path="a.txt", content="Hi!")], "Written."]
    async with (
        serve(turns, permissions__mode="ask") as served,
        browsing(served) as (page, seen),
        browsing(served) as (other, _),
    ):
        await say(page, "Write it")
        await page.wait_for_selector(".ask [data-answer=once]")
        await other.goto(page.url)
        await other.wait_for_selector(".ask [data-answer=once]")
        await page.wait_for_selector(".ask [data-answer=once][aria-disabled=false]")
        await page.focus(".ask")
        await page.keyboard.press("Enter")  # answers nothing
        assert not (served.app.config.workspace_folder / "a.txt").exists()
        await page.keyboard.press("y")
        for tab in (page, other):
            await tab.wait_for_selector(".after")
            assert await tab.query_selector(".ask") is None
        assert (served.app.config.workspace_folder / "a.txt").read_text() == "Hi!"
        seen.check()


@pytest.mark.parametrize(
    ("content", "is_named"), [("Hi!\n", False), ("Hi\u202e!\n", True), ("x\n" * 3_000, True)]
)
async def test_a_question_hides_nothing_of_what_is_written(
    serve: Serve, content: str, is_named: bool
) -> None:
    turns = [[Call("write_file", path="a.txt", content=content)], "Written."]
    async with serve(turns, permissions__mode="ask") as served, browsing(served) as (page, seen):
        await say(page, "Write it")
        await page.wait_for_selector(".ask dl")
        names = [await one.inner_text() for one in await page.query_selector_all(".ask dt")]
        assert ("content" in names) == is_named
        shown = await page.inner_text(".ask-body")
        assert "\u202e" not in shown
        assert ("that nobody sees" in shown) == ("\u202e" in content)
        seen.check()


async def test_a_run_is_stopped_and_a_queued_message_taken_back(serve: Serve) -> None:
    @tool(effect="read")
    async def never() -> str:
        """Wait for ever."""
        await asyncio.Event().wait()
        return ""

    async with serve([[Call("never")], "."], tools=[never]) as served, browsing(served) as (page, seen):
        await say(page, "Go")
        await page.wait_for_selector(".call.executing")
        await say(page, "And this")
        await page.click(".queued button")
        await page.wait_for_selector(".queued", state="detached")
        await page.click(".send.stop")
        await page.wait_for_selector(".call.stopped")
        await page.wait_for_selector(".after")
        seen.check()


SCREENS = ("#/chat", "#/tools", "#/agents", "#/models", "#/permissions", "#/runs", "#/welcome")
LOOKS: list[dict[str, Any]] = [
    {"viewport": {"width": 1440, "height": 900}, "color_scheme": "light"},
    {"viewport": {"width": 1280, "height": 860}, "color_scheme": "dark"},
    {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark"},
    {"viewport": {"width": 360, "height": 740}, "color_scheme": "light", "has_touch": True},
]


async def look(page: Any, where: str) -> None:
    """Nothing is found by axe, and nothing stands beside the screen."""
    found = await page.evaluate("axe.run().then(r => r.violations.map(v => [v.id, v.nodes[0].html]))")
    assert found == [], where
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), where


@pytest.mark.parametrize(
    "look_of", LOOKS, ids=["wide and light", "wide and dark", "narrow and dark", "phone and light"]
)
async def test_axe_finds_nothing_on_any_screen(serve: Serve, look_of: dict[str, Any]) -> None:
    turns = [
        [Call("write_file", path="a.txt", content="Hi!"), Call("nothing"), Call("get_current_time")],
        "# Done\n\n- `a`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
        [Call("delete_file", path="a.txt"), Call("ask_user", question="Which?", options=["One", "Two"])],
        "Done.",
    ]
    async with serve(turns) as served, browsing(served, **look_of) as (page, seen):
        await say(page, "Write it")
        await page.wait_for_selector(".after")
        talk = page.url.partition("#")[2]
        await page.evaluate(axe_script())
        await page.keyboard.press("Control+Shift+E")
        await look(page, "details")
        for screen in (*SCREENS, f"#{talk}"):
            await page.evaluate(f"location.hash = {screen!r}")
            await page.wait_for_selector("h1")
            await page.wait_for_load_state("networkidle")
            await look(page, screen)
        await page.keyboard.press("Control+k")
        await page.wait_for_selector(".palette[open]")
        await look(page, "the palette")
        await page.keyboard.press("Escape")
        await page.click(".bar [aria-haspopup=menu]")
        await look(page, "the menu")
        await page.click("[role=menuitem]")
        await look(page, "a dialog")
        await page.keyboard.press("Escape")
        await say(page, "Ask")
        await page.click(".pip >> nth=1")
        await page.wait_for_selector(".ask [aria-disabled=false], .choice")
        await look(page, "a question")
        await page.click(".pip >> nth=0")
        await page.click(".limit .fold, .choice")
        await look(page, "another question")
        seen.check()
