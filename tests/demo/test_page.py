"""The demo in a real browser: a person answers there, and the page confirms it."""

from __future__ import annotations

import asyncio
from datetime import date
from pathlib import Path

import anyio
import pytest
from playwright.async_api import Browser, Page, expect

from askback import AsyncClient, InputRequest
from askback.demo.person import ScriptedPerson
from askback.demo.processes import DemoRun, run_registry, run_result
from tests.demo.harness import run_agent, served
from tests.journeys.browser import chromium
from tests.requirements import requirement

__all__ = ["chromium"]

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

TOKEN = "demo_of-this-test"


class Other(ScriptedPerson):
    """Answers all but the question for the token."""

    async def answer(self, request: InputRequest) -> None:
        if not request.secret:
            await super().answer(request)


async def hand_over(page: Page, token: str) -> None:
    card = page.locator("askback-request", has_text="DEMO_REGISTRY_TOKEN").first
    await card.locator("input[type=password]").fill(token)
    await card.get_by_role("button", name="Save & continue").click()


@requirement("N2")
async def test_the_token_that_is_typed_in_the_demo_counts(
    chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # without git, nobody is asked about its commands
    async with (
        served(tmp_path / "data") as ready,
        run_registry(tmp_path / "registry", TOKEN) as registry,
        AsyncClient(ready.url, ready.responder_token) as client,
    ):
        run = DemoRun("run1", "demo-1", tmp_path / "out", date(2026, 11, 20), registry=registry)
        page = await chromium.new_page(locale="en-GB")
        await page.goto(f"{ready.login_url}&next=/t/{run.thread_id}")
        other = Other(client, run.thread_id, note=lambda _: None)
        async with run_agent(ready, run) as agent:
            following = asyncio.create_task(other.run())
            await hand_over(page, "demo_wrong")
            card = page.locator("askback-request", has_text="DEMO_REGISTRY_TOKEN").first
            await expect(card.get_by_role("alert")).to_contain_text("The registry does not know this token.")
            await hand_over(page, TOKEN)
            await expect(card).to_contain_text("Saved by")
            await expect(card).not_to_contain_text("not used")
            await expect(card).not_to_contain_text("another tab")
            with anyio.fail_after(120):
                assert (await run_result(agent)).published
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
        await page.context.close()
