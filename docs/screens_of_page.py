"""Takes the screens of the page into a folder: `make screens`, or `make screens ARGS="FOLDER NAME …"`.

A picture is named NAME-WIDTH-THEME.png. The story is in `page_story.py`; the browser is a real Chromium.
"""

import asyncio
import shutil
import sys
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import async_playwright

from docs.page_story import ASK, FORM, LINKS, OPEN, PUSH, WAITS, add_agents, make_home
from oneclaw import App
from oneclaw.web.server import Server

FOLDER = Path("build/screens")
SIZES = {"wide": (1280, 860), "narrow": (360, 740)}
THEMES = ("light", "dark")
Scene = Callable[[Any, App], Awaitable[None]]
READY = ".ask [data-answer=once][aria-disabled=false]"


async def say(page: Any, text: str) -> None:
    await page.fill("#message", text)
    await page.press("#message", "Enter")


async def fresh(page: Any, app: App) -> None:
    await page.wait_for_selector(".fresh")


async def done(page: Any, app: App) -> None:
    await say(page, OPEN)
    await page.wait_for_selector(".after")
    await page.wait_for_load_state("networkidle")


async def details(page: Any, app: App) -> None:
    await done(page, app)
    await page.keyboard.press("Control+Shift+E")
    await page.evaluate("document.querySelector('.thread').scrollTop = 120")


async def live(page: Any, app: App) -> None:
    await done(page, app)
    await page.select_option(".picker:has([data-i=agent]) select", "writer")
    await page.wait_for_selector(".fresh")
    await say(page, LINKS)
    await page.wait_for_selector(".call.timeout")
    await page.wait_for_selector(".call.executing progress")


async def states(page: Any, app: App) -> None:
    await live(page, app)
    await page.click(".call-head:has-text('script')")


async def permission(page: Any, app: App) -> None:
    await done(page, app)
    await say(page, PUSH)
    await page.wait_for_selector(READY)
    await page.wait_for_selector(".pip >> nth=1")


async def limit(page: Any, app: App) -> None:
    await permission(page, app)
    await page.click(".pip >> nth=1")
    await page.click(".limit .fold")
    await page.wait_for_selector(READY)


async def choice(page: Any, app: App) -> None:
    await say(page, ASK)
    await page.wait_for_selector(".choice")


async def form(page: Any, app: App) -> None:
    await say(page, FORM)
    await page.wait_for_selector(".ask-form select")


async def palette(page: Any, app: App) -> None:
    await page.keyboard.press("Control+k")
    await page.wait_for_selector(".palette[open]")


async def keys(page: Any, app: App) -> None:
    await page.evaluate("document.activeElement.blur()")
    await page.keyboard.press("?")
    await page.wait_for_selector(".dialog[open]")


async def drawer(page: Any, app: App) -> None:
    await done(page, app)
    if await page.is_visible(".bar .narrow button"):
        await page.click(".bar .narrow button")
        await page.wait_for_timeout(400)


def screen(hash: str, wait: str) -> Scene:
    async def show(page: Any, app: App) -> None:
        await page.evaluate(f"location.hash = '#/{hash}'")
        await page.wait_for_selector(wait)
        await page.wait_for_load_state("networkidle")

    return show


async def permissions(page: Any, app: App) -> None:
    await permission(page, app)
    for answer in ("always", "session", "never"):
        await page.click(f".ask [data-answer={answer}][aria-disabled=false]")
        await page.wait_for_timeout(900)
    await screen("permissions", ".page h1")(page, app)


async def runs(page: Any, app: App) -> None:
    await done(page, app)
    await page.evaluate("location.hash = '#/chat'")
    await page.wait_for_selector(".fresh")
    await say(page, WAITS)
    await page.wait_for_selector(".call.executing")
    await page.evaluate("location.hash = '#/chat'")
    await page.wait_for_selector(".fresh")
    await say(page, ASK)
    await page.wait_for_selector(".choice")
    await screen("runs", ".run")(page, app)


async def offline(page: Any, app: App) -> None:
    await done(page, app)
    await page.context.set_offline(True)
    await page.evaluate("dispatchEvent(new Event('online'))")
    await page.wait_for_selector(".banner")


SCENES: dict[str, Scene] = {
    "01-chat-live": live,
    "02-chat-states": states,
    "03-permission": permission,
    "03-permission-limit": limit,
    "03-question-choice": choice,
    "03-question-form": form,
    "04-tools": screen("tools", ".tile"),
    "05-agents": screen("agents", ".page h1"),
    "06-models": screen("models", ".page h1"),
    "08-permissions": permissions,
    "09-runs": runs,
    "14-first-run": screen("welcome", ".welcome h1"),
    "15-palette": palette,
    "15-keys": keys,
    "16-offline": offline,
    "17-drawer": drawer,
    "20-new-chat": fresh,
    "22-details": details,
}


@asynccontextmanager
async def served() -> AsyncGenerator[tuple[App, Server]]:
    with tempfile.TemporaryDirectory() as home:
        async with await make_home(Path(home)) as app:
            await add_agents(app)
            server = Server(app, port=0)
            serving = asyncio.get_running_loop().create_task(server.serve())
            yield app, server
            server.stop()
            await serving


async def take(folder: Path, wanted: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    scenes = {name: scene for name, scene in SCENES.items() if not wanted or any(one in name for one in wanted)}
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"])
        for name, scene in scenes.items():
            for size, (width, height) in SIZES.items():
                async with served() as (app, server):
                    context = await browser.new_context(viewport={"width": width, "height": height}, has_touch=size == "narrow", is_mobile=size == "narrow")
                    page = await context.new_page()
                    page.set_default_timeout(15_000)
                    page.on("pageerror", lambda error, name=name: print(f"{name}: {error}", file=sys.stderr))
                    page.on("console", lambda said, name=name: said.type == "error" and print(f"{name}: {said.text}", file=sys.stderr))
                    await page.goto(server.link())
                    await page.wait_for_selector("#message")
                    try:
                        await scene(page, app)
                    except Exception as error:
                        print(f"{name} {size}: {str(error)[:300]}", file=sys.stderr)
                    for theme in THEMES:
                        await page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
                        await page.wait_for_timeout(150)
                        await page.screenshot(path=folder / f"{name}-{size}-{theme}.png")
                    await context.close()
        await browser.close()
    print(f"{len(list(folder.glob('*.png')))} screens are in {folder}.")


if __name__ == "__main__":
    asyncio.run(take(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER, sys.argv[2:]))
