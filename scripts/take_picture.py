"""Take the picture of the README: the demo's conversation, one question answered and the next one open.

`make picture` runs it after a change of the pages; it needs Chromium.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
from datetime import date
from pathlib import Path

from playwright.async_api import Page, async_playwright

from askback.demo.processes import Run, RunningServer, run_agent, run_server

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "images" / "conversation.png"
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--lang=en-US"]


async def answer_the_first(page: Page) -> None:
    """Answer the first question and begin with the second, as a person would."""
    card = page.locator("askback-request")
    await card.get_by_role("textbox").fill("hello-askback")
    await card.get_by_role("radio").first.check()
    await card.get_by_role("button", name="Next").click()
    second = card.nth(1)
    await second.get_by_role("checkbox").first.check()
    await page.locator("h1").click()  # the focus ring is not for a picture


async def take(ready: RunningServer, thread_id: str) -> None:
    """Open the conversation in a browser of its own and photograph it."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        sys.exit("There is no Chromium on this machine.")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        view = {"viewport": {"width": 736, "height": 600}, "device_scale_factor": 1.5}
        page = await browser.new_page(**view, color_scheme="light", reduced_motion="reduce")
        await page.goto(f"{ready.login_url}&next=/t/{thread_id}")
        await answer_the_first(page)
        PICTURE.parent.mkdir(exist_ok=True)
        await page.screenshot(path=PICTURE, full_page=True)
        await browser.close()


async def main() -> None:
    """Run the demo's server and agent, and take the picture."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run("picture", "hello", Path(folder) / "out", date(2026, 11, 20))
        async with run_server(Path(folder) / "data", port=0) as ready, run_agent(ready, run):
            await take(ready, run.thread_id)


if __name__ == "__main__":
    asyncio.run(main())
