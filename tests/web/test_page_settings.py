"""The settings on the page: tools, features, agents, keys, the mode and rules for commands."""

from typing import Any

import pytest
from tests.web.browser import browsing, expect, needs_chromium
from tests.web.conftest import Serve

pytestmark = [pytest.mark.slow, needs_chromium]
COLUMNS = "() => getComputedStyle(document.querySelector('.tiles')).gridTemplateColumns.split(' ').length"
SECRET = "sk-ant-never-seen-again-0123456789"


async def go(page: Any, screen: str, ready: str) -> None:
    await page.evaluate(f"location.hash = '#/{screen}'")
    await page.wait_for_selector(ready)


async def test_a_card_is_a_switch_in_three_two_or_one_column(serve: Serve) -> None:
    async with serve() as served, browsing(served) as (page, seen):
        await go(page, "tools", ".tile")
        for width, count in ((1_100, 3), (799, 2), (499, 1)):
            await page.set_viewport_size({"width": width, "height": 800})
            assert await page.evaluate(COLUMNS) == count
        card = page.locator(".tile:has-text('read_file')")
        await card.locator(".tile-about").click()  # anywhere on the card
        await expect(card.locator("[role=switch]")).not_to_be_checked()
        listed = {one["name"]: one["on"] for one in await served.get("/tools")}
        assert not listed["read_file"]
        await card.locator("[role=switch]").focus()
        await page.keyboard.press("Space")
        await expect(card.locator("[role=switch]")).to_be_checked()
        await page.fill("[type=search]", "no such tool")
        await page.wait_for_selector("text=No tool like that")
        await page.fill("[type=search]", "")
        await page.click(".feature:has-text('Memory')")
        await expect(page.locator(".feature:has-text('Memory') [role=switch]")).not_to_be_checked()
        assert not next(one for one in await served.get("/features") if one["name"] == "memory")["on"]
        seen.check()


async def test_an_agent_is_made_changed_tried_and_deleted(serve: Serve) -> None:
    async with serve(["Hello."]) as served, browsing(served) as (page, seen):
        await go(page, "agents", ".form")
        await page.click("text=New agent")
        await page.wait_for_selector(".picks:not(:has([aria-current=true]))")
        await page.fill("[name=name]", "gardener")
        await page.fill("[name=description]", "Plans beds.")
        await page.fill("[name=instructions]", "Be brief.")
        await page.fill("[name=rounds]", "7")
        await page.click(".check:has-text('write_file') input")
        await page.click("text=Save")
        await page.wait_for_selector(".picks [aria-current=true]:has-text('gardener')")
        kept = await served.get("/agents/gardener")
        assert kept["document"]["limits"]["rounds"] == 7
        assert "write_file" not in kept["tools"]
        assert "read_file" in kept["tools"]
        await page.click("text=Try it in a chat")
        await page.wait_for_selector(".fresh")
        await page.fill("#message", "Hi")
        await page.press("#message", "Enter")
        await page.wait_for_selector(".bar-about:has-text('gardener')")
        await go(page, "agents/gardener", ".form .quiet-bad")
        await page.click(".form .quiet-bad")
        await page.click("dialog .danger")
        await page.wait_for_selector(".picks:not(:has-text('gardener'))")
        seen.check()


async def test_a_key_is_kept_and_never_seen_again(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    async with serve() as served, browsing(served) as (page, seen):
        answers: list[str] = []

        async def keep(response: Any) -> None:
            if "/api/" in response.url and "/test" not in response.url:
                answers.append(await response.text())

        page.on("response", keep)
        # The test of the key would reach the provider: this one is answered here.
        checks = [{"name": "stream", "is_good": False, "seconds": 0.1, "said": "The key was refused (401)."}]

        async def refuse(route: Any) -> None:
            await route.fulfill(json=checks)

        await page.route("**/api/keys/*/test", refuse)
        await go(page, "models", ".provider:has-text('ANTHROPIC_API_KEY') input")
        card = page.locator(".provider:has-text('ANTHROPIC_API_KEY')")
        await card.locator("input").fill(SECRET)
        await card.locator("[type=submit]").click()
        await page.wait_for_selector("text=The key was refused (401).")
        await expect(card.locator("input")).to_have_value("")
        await page.reload()
        await page.wait_for_selector(".provider:has-text('Key from the secrets file.')")
        assert SECRET not in "".join(answers)
        assert SECRET not in await page.content()
        await card.locator("text=Remove the key").click()
        await card.locator("text=no key").wait_for()
        seen.check()


async def test_the_mode_and_rules_for_commands_are_changed(serve: Serve) -> None:
    async with serve() as served, browsing(served) as (page, seen):
        await go(page, "permissions", "select")
        await page.select_option(".page-head select", "ask")
        await page.fill("[name=rule]", "git log *")
        await page.press("[name=rule]", "Enter")
        await page.wait_for_selector("li:has-text('git log *')")
        rules = await served.get("/permissions")
        assert (rules["mode"], rules["allow"]) == ("ask", ["git log *"])
        await page.click("[aria-label='Remove git log *']")
        await page.wait_for_selector("text=No rules yet.")
        seen.check()
