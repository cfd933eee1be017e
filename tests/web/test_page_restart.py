"""The program of the page is killed in the middle of three runs; the same tab goes on with one click each."""

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.web.browser import needs_chromium, opened_tab, say

pytestmark = [pytest.mark.slow, needs_chromium]


@asynccontextmanager
async def serving(home: Path, port: str = "0") -> AsyncGenerator[str]:
    """The program, killed with -9 at the end; gives its link."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.web.serving_program",
        str(home),
        port,
        stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    assert process.stdout is not None
    try:
        yield (await process.stdout.readline()).decode().strip()
    finally:
        process.kill()
        await process.wait()


async def test_three_runs_that_were_cut_off_go_on_with_one_click_each(tmp_path: Path) -> None:
    async with opened_tab() as page:
        async with serving(tmp_path) as link:
            await page.goto(link)
            await page.wait_for_selector("#message")
            for number in range(3):
                await page.evaluate("location.hash = '#/chat'")
                await page.wait_for_selector(".fresh")
                await say(page, f"Run {number}")
                await page.wait_for_selector(".call.executing")
        await page.wait_for_selector(".banner")
        port = link.partition("127.0.0.1:")[2].partition("/")[0]
        async with serving(tmp_path, port):
            await page.click(".banner button")
            await page.wait_for_selector(".banner", state="detached")
            await page.wait_for_selector("text=This run was interrupted.")
            shown = [await one.get_attribute("data-status") for one in await page.query_selector_all(".call")]
            assert shown == ["success", "stopped"]  # what was done, and what was not
            (tmp_path / "workspace" / "go").touch()
            await page.click(".note button:has-text('Go on')")
            await page.wait_for_selector("text=All done.")
            for left in (2, 1):
                await page.evaluate("location.hash = '#/runs'")
                resume = page.locator(".run button:has-text('Go on')")
                await resume.nth(left - 1).wait_for()
                assert await resume.count() == left
                await resume.first.click()
                await page.wait_for_selector(".thread >> text=All done.")
