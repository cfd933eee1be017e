"""Real Chromium for tests of the page."""

import shutil
import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import playwright
import pytest
from tests.web.conftest import Served

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def _missing() -> str:
    """The reason why no browser can be driven here, empty if one can."""
    if CHROMIUM is None:
        return "Chromium is not installed (Debian: chromium)"
    node = Path(playwright.__file__).parent / "driver" / "node"
    ran = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    return f"Playwright cannot start (Debian: libatomic1): {ran.stderr.strip()}" if ran.returncode else ""


MISSING = _missing()
needs_chromium = pytest.mark.skipif(bool(MISSING), reason=MISSING)
ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


class Seen:
    """What a page did besides showing things: requests elsewhere, dialogs, errors."""

    def __init__(self, page: Any, own: str) -> None:
        self.foreign: list[str] = []
        self.dialogs: list[str] = []
        self.errors: list[str] = []
        self._own = own
        page.on("request", self._ask)
        page.on("pageerror", self._fail)
        page.on("console", self._hear)

    def _ask(self, request: Any) -> None:
        if not request.url.startswith((self._own, "blob:")):
            self.foreign.append(request.url)

    def _fail(self, error: Any) -> None:
        self.errors.append(str(error))

    def _hear(self, said: Any) -> None:
        if said.type == "error":
            self.errors.append(said.text)

    def check(self) -> None:
        told = (self.foreign, self.dialogs, self.errors)
        assert told == ([], [], []), told


@asynccontextmanager
async def opened_tab(**look: Any) -> AsyncGenerator[Any]:
    """A tab of a new browser."""
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        try:
            page = await (await browser.new_context(**look)).new_page()
            page.set_default_timeout(60_000)
            yield page
        finally:
            await browser.close()


@asynccontextmanager
async def browsing(served: Served, **look: Any) -> AsyncGenerator[tuple[Any, Seen]]:
    """A tab of a new browser that is logged in, and what it does besides."""
    async with opened_tab(**look) as page:
        seen = Seen(page, served.server.address)

        async def dismiss(dialog: Any) -> None:
            seen.dialogs.append(dialog.message)
            await dialog.dismiss()

        page.on("dialog", dismiss)
        await page.goto(served.server.link())
        await page.wait_for_selector("#message")
        yield page, seen


async def say(page: Any, text: str) -> None:
    await page.fill("#message", text)
    await page.press("#message", "Enter")


def axe_script() -> str:
    import axe_playwright_python

    return (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()


def expect(subject: Any) -> Any:
    """Waits until something holds of a page or a part of it."""
    import playwright.async_api as playwright

    holds: Any = playwright.expect
    return holds(subject)
