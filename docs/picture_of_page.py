"""Takes the picture of the page that the README shows: a scripted conversation in real Chromium."""

import asyncio
import shutil
import tempfile
from pathlib import Path

from playwright.async_api import async_playwright

from oneclaw import App, Config, Scripted
from oneclaw.testing import Call
from oneclaw.web.server import Server

PICTURE = Path(__file__).parent / "page.png"
TURNS = (
    [
        "I read the notes first.",
        Call("read_file", path="notes/monday.md"),
        Call("read_file", path="notes/tuesday.md"),
        Call("get_current_time"),
        Call("read_file", path="../diary.md"),
    ],
    "Three things are open: **renew the library card**, *call about the roof*, and buy oat milk.",
    ["I write the list.", Call("write_file", path="todo.md", content="- library card\n- roof\n- oat milk\n")],
    "Done.",
)


async def take() -> None:
    with tempfile.TemporaryDirectory() as home:
        values = {"models.default": "scripted/demo", "permissions.mode": "ask"}
        config = Config(home=Path(home), values=values)
        for day in ("monday", "tuesday"):
            file = config.workspace_folder / "notes" / f"{day}.md"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"# {day}\n")
        async with App(config, providers={"scripted": Scripted(list(TURNS))}) as app:
            server = Server(app, port=0)
            serving = asyncio.get_running_loop().create_task(server.serve())
            async with async_playwright() as playwright:
                browser = await playwright.chromium.launch(
                    executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
                )
                page = await browser.new_page(viewport={"width": 1200, "height": 760})
                await page.goto(server.link())
                await page.fill("#message", "What is still open in my notes?")
                await page.press("#message", "Enter")
                await page.wait_for_selector(".after")
                await page.fill("#message", "Put it into todo.md")
                await page.press("#message", "Enter")
                await page.wait_for_selector(".ask [data-answer=once][aria-disabled=false]")
                await page.screenshot(path=PICTURE)
                await browser.close()
            server.stop()
            await serving


asyncio.run(take())
