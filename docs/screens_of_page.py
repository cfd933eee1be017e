"""Takes the screens of the page into a folder: `make screens`, or `make screens ARGS="FOLDER NAME …"`.

A picture is named NAME-WIDTH-THEME.png. The story is in `page_story.py`; the browser is a real Chromium.
Those in `KEPT` are also kept in docs/images.
"""

import asyncio
import shutil
import sys
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from docs.page_story import ASK, FORM, LINKS, OPEN, PUSH, WAITS, add_agents, make_home
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import async_playwright

from oneclaw import App
from oneclaw.web.server import Server

FOLDER = Path("build/screens")
SIZES = {"wide": (1280, 860), "narrow": (360, 740)}
THEMES = ("light", "dark")
IMAGES = Path(__file__).parent / "images"
KEPT = {
    "03-permission-wide-light": "page.png",
    "01-chat-live-wide-dark": "page-calls.png",
    "04-tools-wide-light": "page-tools.png",
}
"""The pictures that the documentation shows."""
Scene = Callable[[Any, App], Awaitable[None]]
SCENE_SECONDS = 15
SETTLE_MILLISECONDS = 150
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
    await page.wait_for_selector(".pip >> nth=2")


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


class Watch:
    """Tells what goes wrong in the page of a scene."""

    def __init__(self, page: Any, name: str) -> None:
        self._name = name
        page.on("pageerror", self.tell)
        page.on("console", self.hear)

    def hear(self, said: Any) -> None:
        if said.type == "error":
            self.tell(said.text)

    def tell(self, error: Any) -> None:
        sys.stderr.write(f"{self._name}: {str(error)[:300]}\n")


async def take_scene(browser: Any, folder: Path, name: str, size: str) -> None:
    """Play one scene, and take its picture in each theme."""
    width, height = SIZES[size]
    is_phone = size == "narrow"
    look = {"viewport": {"width": width, "height": height}, "has_touch": is_phone, "is_mobile": is_phone}
    async with served() as (app, server):
        context = await browser.new_context(**look)
        page = await context.new_page()
        page.set_default_timeout(SCENE_SECONDS * 1_000)
        watch = Watch(page, f"{name}-{size}")
        await page.goto(server.link())
        await page.wait_for_selector("#message")
        try:
            await SCENES[name](page, app)
        except PlaywrightError as error:
            watch.tell(error)
        for theme in THEMES:
            await page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
            await page.wait_for_timeout(SETTLE_MILLISECONDS)
            title = f"{name}-{size}-{theme}"
            await page.screenshot(path=folder / f"{title}.png")
            if title in KEPT:
                shutil.copy(folder / f"{title}.png", IMAGES / KEPT[title])
        await context.close()


async def take(folder: Path, wanted: list[str]) -> None:
    names = [name for name in SCENES if not wanted or any(one in name for one in wanted)]
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for name in names:
            for size in SIZES:
                await take_scene(browser, folder, name, size)
        await browser.close()


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    asyncio.run(take(folder, sys.argv[2:]))
    sys.stdout.write(f"The screens are in {folder}.\n")


if __name__ == "__main__":
    main()
