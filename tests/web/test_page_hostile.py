"""Hostile text stays text, wherever it stands on the page."""

from typing import Any

import pytest
from tests.corpus.conftest import has_rows, read_rows
from tests.web.browser import browsing, needs_chromium, say
from tests.web.conftest import Serve

from oneclaw import tool
from oneclaw.testing import Call

pytestmark = [pytest.mark.slow, needs_chromium]


def read_payloads() -> list[str]:
    if not has_rows("xss_payloads"):
        pytest.skip("the outside data set xss_payloads is not here; name its folder in ONECLAW_CORPUS")
    return [row["payload"] for row in read_rows("xss_payloads")]


HARM = """
() => {
    const tags = ["SCRIPT", "IFRAME", "OBJECT", "EMBED", "FORM", "BASE", "META"];
    const address = /^\\s*(javascript|data|vbscript):/i;
    const isBad = (each) => each.name.startsWith("on") || address.test(each.value);
    const own = "form.composer, .page form, .dock form";
    const isForeign = (one) => tags.includes(one.tagName) && one.closest("#app main") && !one.matches(own);
    return [...document.querySelectorAll("*")]
        .filter((one) => isForeign(one) || [...one.attributes].some(isBad))
        .map((one) => one.outerHTML.slice(0, 200));
}
"""


async def test_hostile_text_stays_text(serve: Serve) -> None:
    payloads = read_payloads()
    piles = [payloads[at : at + 200] for at in range(0, len(payloads), 200)]
    turns: list[Any] = []
    for pile in piles:
        text = "\n\n".join(pile)
        turns += [
            [text, Call("write_file", path=pile[0][:80], content=text), Call(pile[-1][:60], x=text)],
            text,
        ]
    async with serve(turns) as served, browsing(served) as (page, seen):
        for number, pile in enumerate(piles, 1):
            await say(page, pile[number % len(pile)])
            await page.locator(".after").nth(number - 1).wait_for()
        for head in await page.query_selector_all(".call-head"):
            await head.click()
        assert await page.evaluate(HARM) == []
        seen.check()


async def test_hostile_labels_titles_names_and_questions_stay_text(serve: Serve) -> None:
    payloads = [one for one in read_payloads() if len(one) < 150 and "\n" not in one]
    labels, rest = payloads[:30], payloads[30:]

    def named(number: int, label: str) -> Any:
        @tool(name=f"tool_{number}", label=label, effect="read")
        def plain() -> str:
            """Do nothing."""
            return label

        return plain

    tools = [named(number, label) for number, label in enumerate(labels)]
    options = list(dict.fromkeys(rest[:20]))
    schema = {
        "type": "object",
        "properties": {
            f"f{n}": {"type": "string", "title": one, "description": one} for n, one in enumerate(rest[20:30])
        },
    }
    turns: list[Any] = [
        [Call(f"tool_{number}") for number in range(len(tools))],
        "Done.",
        [Call("ask_user", question=rest[0], options=options)],
        [Call("ask_user", question=rest[1], schema=schema)],
        [Call("delete_file", path=rest[2][:90])],
        "Done.",
    ]
    async with serve(turns, tools=tools) as served, browsing(served) as (page, seen):
        await served.post("/agents/odd", document={"description": rest[3], "instructions": rest[4]})
        await say(page, "Go")
        await page.locator(".after").nth(0).wait_for()
        await page.keyboard.press("Control+Shift+E")
        assert await page.evaluate(HARM) == []
        session = page.url.rpartition("/")[2]
        await served.post(f"/sessions/{session}/rename", title=rest[5])
        await page.reload()
        await say(page, "Ask")
        await page.wait_for_selector(".choice")
        assert await page.inner_text(".choice .grow >> nth=0") == options[0]
        assert await page.evaluate(HARM) == []
        await page.wait_for_timeout(700)  # what is pressed in the first moment is no answer
        await page.click(".choice >> nth=0")
        await page.wait_for_selector(".ask-form input")
        assert await page.evaluate(HARM) == []
        await page.wait_for_timeout(700)
        await page.click("text=No answer")
        await page.wait_for_selector(".ask [data-answer=always]")
        assert await page.evaluate(HARM) == []
        for screen in ("tools", "agents/odd", "permissions", "runs"):
            await page.evaluate(f"location.hash = '#/{screen}'")
            await page.wait_for_selector(".page h1")
            await page.wait_for_load_state("networkidle")
            assert await page.evaluate(HARM) == [], screen
        seen.check()
