"""The flows of a conversation in a real browser: each kind of card, files, pictures, forks, and reloads."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from docs.page_story import chart
from tests.web.browser import browsing, expect, needs_chromium, say
from tests.web.conftest import Serve

from oneclaw import tool
from oneclaw.core.call import Image, Output
from oneclaw.core.tool import Context
from oneclaw.testing import Call

pytestmark = [pytest.mark.slow, needs_chromium]


EARLIER = """
() => { document.querySelector(".earlier")?.click(); return new Promise(requestAnimationFrame); }
"""


async def answered(page: Any, count: int = 1) -> None:
    """Wait until so many answers are finished."""
    await page.locator(".after").nth(count - 1).wait_for()


async def states(page: Any) -> list[str]:
    return [await one.get_attribute("data-status") for one in await page.query_selector_all(".call")]


async def test_time_file_both_at_once_and_a_closed_path(serve: Serve) -> None:
    turns: list[Any] = [
        [Call("get_current_time")],
        "It is noon.",
        [Call("read_file", path="test.txt")],
        "It says hello world.",
        [Call("get_current_time"), Call("read_file", path="test.txt")],
        "Noon, and hello world.",
        [Call("read_file", path="/etc/shadow")],
        "I may not read that.",
    ]
    async with serve(turns) as served, browsing(served) as (page, seen):
        (served.app.config.workspace_folder / "test.txt").write_text("hello world\n")
        await say(page, "What is the current time?")
        await answered(page)
        assert await states(page) == ["success"]
        await page.click(".call-head")
        assert "20" in await page.inner_text(".detail .code pre")
        await say(page, "Please read the file test.txt")
        await answered(page, 2)
        await page.click(".call-head >> nth=-1")
        assert "hello world" in await page.inner_text(".detail .code pre >> nth=-1")
        await say(page, "Do two things at once")
        await answered(page, 3)
        assert "2 side by side" in await page.inner_text(".together-head")
        await say(page, "Please read the file /etc/shadow")
        await answered(page, 4)
        assert (await states(page))[-1] == "denied"
        assert "/etc/shadow" in await page.inner_text(".call.denied .call-error")
        assert await page.inner_text(".prose >> nth=-1") == "I may not read that."
        seen.check()


async def test_a_web_request_asks_for_the_loopback_and_shows_its_answer(serve: Serve) -> None:
    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\nhello")
        await writer.drain()
        writer.close()

    http = await asyncio.start_server(respond, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{http.sockets[0].getsockname()[1]}/get"
    turns = [[Call("http_request", url=url)], "It said hello."]
    async with http, serve(turns) as served, browsing(served) as (page, seen):
        await say(page, "Make a request")
        await page.click(".ask [data-answer=once][aria-disabled=false]")
        await answered(page)
        await page.click(".call.success .call-head")
        assert "hello" in await page.inner_text(".detail .code pre")
        assert "You allowed it, this once" in await page.inner_text(".facts")
        seen.check()


@tool(effect="read", seconds=0.1)
async def too_slow() -> str:
    """Take too long."""
    await asyncio.Event().wait()
    return ""


@tool(effect="read")
async def half_way(context: Context) -> str:
    """Say how far it is, for ever."""
    context.progress("1 of 2", 0.5)
    await asyncio.Event().wait()
    return ""


@tool(effect="read")
def draw() -> Output:
    """Draw."""
    return Output("A picture.", images=(Image(chart(60, 40), "image/png"),))


@tool(effect="read")
def list_all() -> str:
    """List everything."""
    return "\n".join(f"line {number}" for number in range(20_000))


async def test_every_status_has_its_card_and_a_reload_in_the_middle_loses_nothing(serve: Serve) -> None:
    calls = [
        Call("get_current_time", format="iso8601", bogus=1),
        Call("read_file", path="nothing.txt"),
        Call("read_file", path="../x"),
        Call("too_slow"),
        Call("delete_file", path="a.txt"),
        Call("half_way"),
    ]
    async with (
        serve([["I look.", *calls], "."], tools=[too_slow, half_way]) as served,
        browsing(served) as (page, seen),
    ):
        (served.app.config.workspace_folder / "a.txt").write_text("Hi!")
        await say(page, "Go")
        for _ in range(2):
            for status in ("success", "error", "denied", "timeout", "asking", "executing"):
                await page.wait_for_selector(f".call.{status}")
            await page.wait_for_selector(".ask [data-answer=no]")
            assert await page.get_attribute(".call.executing progress", "value") == "0.5"
            assert await page.inner_text(".bubble") == "Go"
            assert "5 of 6 finished" not in await page.inner_text(".together-head")
            await page.reload()
            await page.wait_for_selector(".call")
        assert "Half way" in await page.inner_text(".pulse")
        await page.click(".ask [data-answer=no][aria-disabled=false]")
        await page.wait_for_selector(".ask", state="detached")
        await page.focus("#message")
        await page.keyboard.press("Escape")
        await page.wait_for_selector(".call.stopped")
        await page.wait_for_selector("text=Stopped. What was said is kept.")
        seen.check()


async def test_pictures_long_results_and_repairs_are_shown_and_stay_after_a_reload(serve: Serve) -> None:
    turns = [[Call("draw"), Call("list_all"), Call("calculate", '{"expression": "1+1",}')], "Drawn."]
    async with (
        serve(turns, tools=[draw, list_all]) as served,
        browsing(served) as (page, seen),
    ):
        await say(page, "Draw")
        await answered(page)
        for _ in range(2):
            await expect(page.locator(".pictures img")).to_have_js_property("naturalWidth", 60)
            await page.reload()
            await answered(page)
        await page.keyboard.press("Control+Shift+E")
        assert "Repaired: " in await page.inner_text(".call >> nth=2")
        async with page.context.expect_page() as opened:
            await page.click("text=Open all of it")
        whole = await opened.value
        await whole.wait_for_load_state()
        assert "line 19999" in await whole.inner_text("body")
        seen.check()


async def test_a_question_of_another_agent_stands_in_the_call_that_asked_it(serve: Serve) -> None:
    turns = [
        [Call("ask_reader", text="Which?")],
        [Call("get_current_time"), Call("read_file", path="none.txt")],
        "The first.",
        "Reader says: the first.",
    ]
    async with serve(turns) as served:
        await served.post("/agents/reader", document={"description": "Reads."})
        await served.post("/agents/writer", document={"agents": ["reader"]})
        async with browsing(served) as (page, seen):
            await page.select_option(".picker:has([data-i=agent]) select", "writer")
            await say(page, "Ask")
            await answered(page)
            for _ in range(2):
                assert (await page.inner_text(".call-sub")).split("\n") == ["2 calls inside", "· 1 failed"]
                await page.reload()
                await answered(page)
            await page.click(".call-head")
            assert await page.locator(".children .call").count() == 2
            seen.check()


async def test_edit_and_answer_again_keep_the_first_version(serve: Serve) -> None:
    async with serve(["One.", "Two.", "Three.", "Four."]) as served, browsing(served) as (page, seen):
        await say(page, "First")
        await answered(page)
        await say(page, "Second")
        await answered(page, 2)
        before = page.url
        await page.hover(".said >> nth=1")
        await page.click(".said >> nth=1 >> [aria-label='Edit and send again']")
        await page.fill(".editing textarea", "Another second")
        await page.press(".editing textarea", "Enter")
        await page.wait_for_selector("text=Three.")
        said = [await one.inner_text() for one in await page.query_selector_all(".bubble")]
        assert (said, page.url != before) == (["First", "Another second"], True)
        await page.click("[aria-label='Answer again']", force=True)
        await page.wait_for_selector("text=Four.")
        await page.goto(before)
        await page.wait_for_selector("text=Two.")
        assert len(await served.get("/sessions")) == 3
        seen.check()


async def test_a_file_is_attached_into_the_workspace(serve: Serve, tmp_path: Path) -> None:
    given = tmp_path / "plan <b>.txt"
    given.write_text("beds")
    async with serve(["Read."]) as served, browsing(served) as (page, seen):
        await page.set_input_files("input[type=file]", given)
        await page.wait_for_selector(".composer .chip [data-i=file]")
        await say(page, "Look at it")
        await answered(page)
        assert "plan" in await page.inner_text(".bubble .chip")
        kept = list((served.app.config.workspace_folder / "uploads").iterdir())
        assert [file.read_text() for file in kept] == ["beds"]
        seen.check()


async def test_a_long_session_is_read_from_its_end(serve: Serve) -> None:
    async with serve([f"Answer {number}." for number in range(60)]) as served:
        handle = await served.app.runs.start("default", "Question 0")
        await handle.wait()
        for number in range(1, 60):
            one = await served.app.runs.start("default", f"Question {number}", session=handle.session)
            await one.wait()
        async with browsing(served) as (page, seen):
            await page.evaluate(f"location.hash = '#/chat/{handle.session.id}'")
            await page.wait_for_selector("text=Answer 59.")
            assert await page.locator(".answer").count() < 60
            async with asyncio.timeout(60):
                while not await page.locator(".bubble:has-text('Question 0')").count():
                    await page.evaluate(EARLIER)
            assert await page.locator(".answer").count() == 60
            seen.check()
