"""Measures the page in real Chromium: opening a long session, scrolling it, and frames while text streams.

.venv/bin/python -m benchmarks.page_speed [TURNS]
"""

import asyncio
import shutil
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

from playwright.async_api import async_playwright

from oneclaw import App, Config, Scripted
from oneclaw.core.message import UserMessage
from oneclaw.providers.scripted import Call, Say, Wait
from oneclaw.web.server import Server

CALLS = 10
WORDS = "The quick brown fox looks at **every** call, and `answers` with a list:\n\n- one\n- two\n\n"
LONG = "Tell me all of it."
FRAMES = """
() => new Promise((done) => {
    const costs = [];
    const step = () => requestAnimationFrame(() => {
        const begun = performance.now(), channel = new MessageChannel();
        channel.port1.onmessage = () => {
            costs.push(performance.now() - begun);
            if (document.querySelector(".pulse") || costs.length < 60) step(); else done(costs);
        };
        channel.port2.postMessage(0);
    });
    step();
})
"""
READ = "(path) => fetch(path).then((one) => one.text()).then((text) => text.length)"
SCROLL = """
async () => {
    const box = document.querySelector(".thread"), costs = [];
    for (let at = 0; at < 120; at++) {
        box.scrollTop -= 400;
        const begun = await new Promise(requestAnimationFrame);
        const end = await new Promise(requestAnimationFrame);
        costs.push(end - begun);
    }
    return [costs, document.querySelectorAll(".answer").length];
}
"""


def reply(request: Any) -> Any:
    """Ten calls, then an answer; a long text to the one question."""
    last = request.messages[-1]
    if not isinstance(last, UserMessage):
        return WORDS
    if last.text == LONG:
        return [step for _ in range(200) for step in (Say(WORDS), Wait(0.016))]
    return ["I look.", *(Call("get_current_time") for _ in range(CALLS))]


async def fill(app: App, turns: int) -> str:
    """Make a session of so many turns by real runs."""
    handle = await app.runs.start("default", "Turn 0")
    await handle.wait()
    session = handle.session
    for number in range(1, turns):
        handle = await app.runs.start("default", f"Turn {number}", session=session)
        await handle.wait()
    return session.id


async def busy(page: Any) -> float:
    """The seconds of processor time that the page's thread has taken."""
    if not hasattr(page, "cdp"):
        page.cdp = await page.context.new_cdp_session(page)
        await page.cdp.send("Performance.enable", {"timeDomain": "threadTicks"})
    found = await page.cdp.send("Performance.getMetrics")
    return next(one["value"] for one in found["metrics"] if one["name"] == "TaskDuration")


def spread(values: list[float]) -> str:
    ordered = sorted(values)
    half, most = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)]
    return f"median {half:.1f} ms, p99 {most:.1f} ms, worst {ordered[-1]:.1f} ms, of {len(ordered)}"


async def measure(turns: int, home: Path) -> None:
    config = Config(home=home, values={"models.default": "scripted/demo"})
    model = Scripted([reply], repeats=True, chunk=40, keep=False)
    async with App(config, providers={"scripted": model}) as app:
        begun = perf_counter()
        session = await fill(app, turns)
        print(f"{turns} turns, {turns * CALLS} calls, made in {perf_counter() - begun:.0f} s")
        server = Server(app, port=0)
        serving = asyncio.get_running_loop().create_task(server.serve())
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
            )
            page = await browser.new_page(viewport={"width": 1280, "height": 860})
            await page.goto(server.link())
            await page.wait_for_selector("#message")
            begun = perf_counter()
            size = await page.evaluate(READ, f"/api/sessions/{session}/history?runs=12")
            print(f"its end is read in {1_000 * (perf_counter() - begun):.0f} ms, {size:,} characters")
            for number in range(3):
                await page.goto(f"{server.address}#/chat")
                await page.reload()
                await page.wait_for_selector(".fresh")
                begun = perf_counter()
                await page.evaluate(f"location.hash = '#/chat/{session}'")
                await page.wait_for_selector(".answer")
                print(f"opened in {1_000 * (perf_counter() - begun):.0f} ms ({number + 1})")
            paint = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
            await page.reload()
            await page.wait_for_selector(".answer")
            print(f"first paint after {await page.evaluate(paint):.0f} ms, by address")
            costs, answers = await page.evaluate(SCROLL)
            print(f"scrolled up to {answers} answers: between frames {spread(costs)}")
            await page.reload()
            await page.wait_for_selector(".answer")
            await page.fill("#message", LONG)
            await page.press("#message", "Enter")
            await page.wait_for_selector(".pulse")
            begun_cpu = await busy(page)
            found = await page.evaluate(FRAMES)
            cpu = 1_000 * (await busy(page) - begun_cpu) / len(found)
            print(f"streamed: a frame takes {cpu:.1f} ms of processor time; by the clock {spread(found)}")
            await browser.close()
        server.stop()
        await serving


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000, Path(folder)))
