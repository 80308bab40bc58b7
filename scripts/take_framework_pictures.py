"""Take the screenshots of the pages about frameworks: the card of each example's call.

`make framework-pictures` runs it (`ARGS="langgraph adk"` picks); it needs Chromium, and installs each
framework in its own environment.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from playwright.async_api import Browser

from adapters import EXAMPLES, make_environment
from askback import AsyncClient
from askback.demo.processes import RunningServer, run_server
from take_picture import PAUSE_MS, browser, keep

THREAD = "release"
WIDTH = 760
PATIENCE_S = 120
NEEDS_A_MODEL = "claude"


async def call_of(person: AsyncClient) -> str:
    """Answer the question of an example, and return the id of the request for its call."""
    async for event in person.events(THREAD, cursor=0):
        if event["type"] == "request.created":
            request = event["request"]
            if request["kind"] == "approval":
                return request["id"]
            await person.requests.answer(request["id"], {"answer": "2.0"})
    raise AssertionError("the events of a thread do not end")


async def take(shown: Browser, ready: RunningServer, name: str) -> None:
    """Run an example until it asks about its call, and photograph that."""
    environment = {**os.environ, "ASKBACK_URL": ready.url, "ASKBACK_TOKEN": ready.requester_token}
    example = [make_environment(name), EXAMPLES / f"{name}_agent.py"]
    process = await asyncio.create_subprocess_exec(
        *example, env=environment, stdout=asyncio.subprocess.DEVNULL
    )
    try:
        async with AsyncClient(ready.url, ready.responder_token) as person:
            async with asyncio.timeout(PATIENCE_S):
                request_id = await call_of(person)
        page = await shown.new_page(
            viewport={"width": WIDTH, "height": 600}, device_scale_factor=1.5, reduced_motion="reduce"
        )
        await page.goto(f"{ready.login_url}&next=/inbox/{request_id}")
        card = page.locator("askback-request")
        await card.get_by_role("button", name="Allow once").wait_for()
        await page.wait_for_timeout(PAUSE_MS)
        keep(f"framework-{name.replace('_', '-')}", await card.screenshot())
        await page.close()
    finally:
        process.kill()
        await process.wait()


async def main(names: list[str]) -> None:
    """Take the pictures of these frameworks, or of all."""
    every = {path.stem.removesuffix("_agent") for path in EXAMPLES.glob("*_agent.py")} - {NEEDS_A_MODEL}
    async with browser() as shown:
        for name in names or sorted(every):
            with tempfile.TemporaryDirectory() as folder:
                async with run_server(Path(folder) / "data", port=0) as ready:
                    await take(shown, ready, name)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
