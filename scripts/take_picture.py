"""Take the pictures of the README and the docs: the demo's conversation, the application, and a short film of it.

`make picture` runs it after a change of the pages; it needs Chromium.
"""

from __future__ import annotations

import asyncio
import io
import shutil
import sys
import tempfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from datetime import date
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.async_api import Browser, Page, ViewportSize, async_playwright, expect

from askback import AsyncClient
from askback.demo.processes import DemoRun, RunningServer, run_agent, run_server
from picture_requests import ask_all

PICTURES = Path(__file__).resolve().parent.parent / "docs" / "images"
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--lang=en-US"]
DESK = ViewportSize(width=1280, height=760)
PHONE = ViewportSize(width=390, height=780)
TALL = ViewportSize(width=736, height=1440)
FILM_WIDTH = 1080
PAUSE_MS = 600
"""A request that has just appeared takes no keys for half a second."""


@asynccontextmanager
async def browser() -> AsyncGenerator[Browser]:
    """Give a Chromium."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        sys.exit("There is no Chromium on this machine.")
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield chromium
        await chromium.close()


def save_picture(name: str, *shots: bytes, times_ms: list[int] | None = None) -> None:
    """Write a picture, or a film of several with the duration of each."""
    first, *other_images = [Image.open(io.BytesIO(shot)).convert("RGB") for shot in shots]
    for image in (first, *other_images) if other_images else ():
        image.thumbnail((FILM_WIDTH, FILM_WIDTH), Image.Resampling.LANCZOS)
    film: Mapping[str, Any] = {
        "save_all": True,
        "append_images": other_images,
        "duration": times_ms,
        "loop": 0,
    }
    PICTURES.mkdir(exist_ok=True)
    path = PICTURES / f"{name}.webp"
    first.save(path, quality=72, method=6, **(film if other_images else {}))
    print(f"{path.name}: {path.stat().st_size // 1000} kB")


async def answer_the_first(page: Page) -> None:
    """Answer the first question and begin with the second, like a person."""
    card = page.locator("askback-request")
    await card.get_by_role("textbox").fill("hello-askback")
    await card.get_by_role("radio").first.check()
    await card.get_by_role("button", name="Next").click()
    second = card.nth(1)
    await second.get_by_role("checkbox").first.check()
    await page.locator("h1").click()  # the focus ring is not for a picture


async def take_conversation(chromium: Browser, ready: RunningServer, thread_id: str) -> None:
    """Open the demo's conversation and photograph it."""
    page = await chromium.new_page(
        viewport=ViewportSize(width=736, height=600), device_scale_factor=1.5, reduced_motion="reduce"
    )
    await page.goto(f"{ready.login_url}&next=/t/{thread_id}")
    await answer_the_first(page)
    await page.set_viewport_size(TALL)  # the box for messages stays at the bottom of the window
    save_picture("conversation", await page.screenshot())


async def take_application(chromium: Browser, ready: RunningServer) -> None:
    """Photograph the inbox with a call open: light, dark, and on a phone; then decide about two requests by key."""
    page = await chromium.new_page(viewport=DESK, device_scale_factor=1.5, reduced_motion="reduce")
    await page.goto(ready.login_url)
    await expect(page.locator("askback-place-inbox .row")).to_have_count(6)
    await page.locator("askback-place-inbox .row").first.click()
    await page.mouse.move(0, 0)
    await expect(page.locator("askback-request").get_by_role("button", name="Allow once")).to_be_visible()
    await page.wait_for_timeout(PAUSE_MS)
    save_picture("inbox-light", await page.screenshot())
    await page.emulate_media(color_scheme="dark")
    save_picture("inbox-dark", await page.screenshot())
    await page.set_viewport_size(PHONE)
    save_picture("inbox-phone", await page.screenshot())
    await page.emulate_media(color_scheme="light")
    await page.set_viewport_size(DESK)
    await page.goto(ready.url)
    await record_film(page)


async def record_film(page: Page) -> None:
    """Open a request, allow it, and answer the next but one, all by key."""
    await expect(page.locator("askback-place-inbox .row")).to_have_count(6)
    shots = [await page.screenshot()]

    async def shoot(count: int) -> None:
        await expect(page.locator("askback-place-inbox .row")).to_have_count(count)
        await page.wait_for_timeout(PAUSE_MS)
        shots.append(await page.screenshot())

    await page.keyboard.press("j")
    await page.keyboard.press("Enter")
    await shoot(6)
    await page.keyboard.press("a")
    await shoot(5)
    await page.keyboard.press("a")
    await shoot(4)
    await page.keyboard.press("j")
    await shoot(4)
    await page.keyboard.press("1")
    await shoot(4)
    save_picture("inbox-film", *shots, times_ms=[1500, 2500, 2500, 2500, 2000, 2500])


async def main() -> None:
    """Run the demo's server and agent, create the other requests, and take the pictures."""
    with tempfile.TemporaryDirectory() as folder:
        async with browser() as chromium:
            run = DemoRun("picture", "hello", Path(folder) / "out", date(2026, 11, 20))
            async with (
                run_server(Path(folder) / "demo", port=0) as server,
                run_agent(server, run),
            ):
                await take_conversation(chromium, server, run.thread_id)
            async with (
                run_server(Path(folder) / "inbox", port=0) as server,
                AsyncClient(server.url, server.requester_token) as agent,
            ):
                await ask_all(agent)
                await take_application(chromium, server)


if __name__ == "__main__":
    asyncio.run(main())
