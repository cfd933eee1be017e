"""Questions on the page: a choice, a text and a form, in every tab; a limit for a remembered yes."""

from typing import Any

import pytest
from tests.web.browser import browsing, expect, needs_chromium, say
from tests.web.conftest import Serve

from oneclaw.testing import Call

pytestmark = [pytest.mark.slow, needs_chromium]
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "day": {"type": "string", "format": "date", "title": "Day"},
        "people": {"type": "integer", "minimum": 1, "default": 12},
        "room": {"type": "string", "enum": ["Hall", "Garden"]},
        "projector": {"type": "boolean", "default": True},
        "food": {"type": "array", "items": {"enum": ["soup", "bread"]}},
    },
    "required": ["day", "people"],
}


async def test_a_choice_a_text_and_a_form_are_answered(serve: Serve) -> None:
    turns = [
        [Call("ask_user", question="Which bed?", options=["Large", "Small"])],
        [Call("ask_user", question="Why?")],
        [Call("ask_user", question="When?", schema=SCHEMA)],
        "Done.",
    ]
    async with serve(turns) as served, browsing(served) as (page, seen), browsing(served) as (other, _):
        await say(page, "Plan")
        await page.wait_for_selector(".choice")
        assert await page.inner_text(".ask-text") == "Which bed?"
        await other.goto(page.url)
        await other.wait_for_selector(".choice")
        await page.wait_for_timeout(700)  # what is pressed in the first moment is no answer
        await page.click(".choice >> nth=1")
        await page.wait_for_selector(".ask textarea")
        await other.wait_for_selector("text=Answered elsewhere.")
        await other.wait_for_selector(".ask textarea")
        await other.wait_for_timeout(700)
        await other.fill(".ask textarea", "More sun")
        await other.press(".ask textarea", "Enter")
        await page.wait_for_selector(".ask [name=day]")
        await page.wait_for_timeout(700)
        await page.fill(".ask [name=day]", "2026-12-01")
        await page.fill(".ask [name=people]", "8")
        await page.select_option(".ask [name=room]", label="Garden")
        await page.click(".ask [name=projector]")
        await page.click(".ask [name=food] >> nth=1")
        await page.click(".ask-form [type=submit]")
        for tab in (page, other):
            await tab.wait_for_selector(".after")
        await page.keyboard.press("Control+Shift+E")
        results = " ".join([await one.inner_text() for one in await page.query_selector_all(".detail pre")])
        for word in ("Small", "More sun", '"2026-12-01"', '"people": 8', '"Garden"', '"bread"', "false"):
            assert word in results
        seen.check()


async def test_a_remembered_yes_is_limited_to_a_folder_and_a_time_and_taken_back(serve: Serve) -> None:
    files = ("notes/a.txt", "notes/b.txt", "other/c.txt")
    turns = [[Call("write_file", path=file, content="x")] for file in files]
    async with (
        serve([*turns, "Done."], permissions__mode="ask") as served,
        browsing(served) as (page, seen),
    ):
        await say(page, "Write")
        await page.click(".limit .fold")
        await page.select_option(".limit select >> nth=0", label="path: notes/**")
        await page.select_option(".limit select >> nth=1", label="8 hours")
        await page.hover("[data-answer=always]")
        assert "notes/**" in await page.inner_text(".ask-hint")
        await page.click(".ask [data-answer=always][aria-disabled=false]")
        # The second file is in the folder; the third one asks again.
        await page.wait_for_selector(".ask dd:has-text('other/c.txt')")
        await page.click(".ask [data-answer=no][aria-disabled=false]")
        await page.wait_for_selector(".after")
        (grant,) = await served.get("/grants")
        assert (grant["pattern"], round(grant["expires"] - grant["created"])) == (
            {"path": "notes/**"},
            28_800,
        )
        await page.evaluate("location.hash = '#/permissions'")
        await page.click("tbody button")
        await page.click(".toast button")
        await page.wait_for_selector("tbody button")
        assert await served.get("/grants") == [grant]
        await page.click("tbody button")
        await page.wait_for_selector(".empty")
        assert await served.get("/grants") == []
        seen.check()


async def test_questions_of_several_runs_queue_up_and_the_title_counts_them(serve: Serve) -> None:
    turns = [[Call("write_file", path=f"{name}.txt", content=name)] for name in "ab"]
    async with (
        serve([*turns, "Done.", "Done."], permissions__mode="ask") as served,
        browsing(served) as (page, seen),
    ):
        for name in "ab":
            await page.evaluate("location.hash = '#/chat'")
            await page.wait_for_selector(".fresh")
            await served.post("/messages", text=f"Write {name}")
            await expect(page).to_have_title(f"({'ab'.index(name) + 1}) OneClaw")
        await page.evaluate("location.hash = '#/runs'")
        await page.wait_for_selector(".corner .pip >> nth=1")
        await page.click(".corner .pip >> nth=1")
        for _ in "ab":
            await page.click(".corner [data-answer=once][aria-disabled=false]")
            await page.wait_for_timeout(100)
        await page.wait_for_selector(".corner", state="detached")
        await expect(page).to_have_title("OneClaw")
        seen.check()
