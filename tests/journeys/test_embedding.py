"""The example in examples/embedding: a page of another application shows a request under a strict CSP."""

from __future__ import annotations

import json
import subprocess
from collections.abc import AsyncIterator, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import anyio
import anyio.to_thread
import pytest
from playwright.async_api import Browser, Route, expect

from tests.journeys.browser import form, login_link
from tests.journeys.conftest import TOKENS, Server, start

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).resolve().parents[2]
CSP = "default-src 'self'; connect-src 'self' {}; require-trusted-types-for 'script'; trusted-types askback"


class Pages(SimpleHTTPRequestHandler):
    """Serves the files of a folder, with the CSP in `csp`."""

    csp = ""

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", self.csp)
        super().end_headers()

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def application(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """The built example, and the address where it is served."""
    folder = tmp_path / "application"
    command = [ROOT / "web/node_modules/.bin/vite", "build", ROOT / "examples/embedding", "--outDir", folder]
    subprocess.run([*command, "--emptyOutDir", "--logLevel", "error"], check=True, timeout=120)
    (folder / "favicon.ico").touch()  # Chromium with windows asks for it
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Pages, directory=str(folder))) as http:
        thread = Thread(target=http.serve_forever)
        thread.start()
        yield folder, f"http://127.0.0.1:{http.server_address[1]}"
        http.shutdown()
        thread.join()


@pytest.fixture
async def askback(tmp_path: Path, application: tuple[Path, str]) -> AsyncIterator[Server]:
    """A server that pages of that application may call."""
    settings = {"ASKBACK_ALLOWED_ORIGINS": application[1]}
    process, running = await anyio.to_thread.run_sync(lambda: start(tmp_path / "data", settings=settings))
    yield running
    process.terminate()
    await anyio.to_thread.run_sync(process.wait)


async def test_a_page_of_another_application_shows_a_request_and_sends_the_answer(
    askback: Server, application: tuple[Path, str], chromium: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, address = application
    monkeypatch.setattr(Pages, "csp", CSP.format(askback.url))
    async with askback.client() as agent:
        request = await agent.requests.create(form({"type": "text"}), thread_id="orders")
        setting = {"server": askback.url, "token": TOKENS["responder"], "request": request.id}
        (folder / "askback.json").write_text(json.dumps(setting))
        context = await chromium.new_context()
        page = await context.new_page()
        problems: list[str] = []
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        await page.goto(address)
        element = page.locator("askback-request")
        await element.get_by_role("textbox").fill("blue")
        submit = element.locator("[type=submit]")
        await expect(submit).to_have_css("text-transform", "uppercase")
        await expect(submit).to_have_css("background-color", "rgb(122, 62, 0)")
        await submit.click()
        await expect(page.get_by_text("Thank you: answered.")).to_be_visible()
        with anyio.fail_after(120):
            settled = await agent.wait(request)
        await context.close()
    assert settled.answer is not None
    assert (settled.answer.values, problems) == ({"q0": "blue"}, [])


async def test_a_page_on_the_origin_of_askback_shows_a_conversation_to_who_is_signed_in(
    askback: Server, application: tuple[Path, str], chromium: Browser
) -> None:
    folder, _ = application
    async with askback.client() as agent:
        request = await agent.requests.create(form({"type": "text"}), thread_id="orders")
        # Chromium takes a page that the test serves for one of another network.
        context = await chromium.new_context(permissions=["local-network-access"])
        page = await context.new_page()

        async def serve(route: Route) -> None:
            path = folder / route.request.url.removeprefix(f"{askback.url}/mine/")
            await route.fulfill(path=path, headers={"Content-Security-Policy": CSP.format("")})

        await page.route(f"{askback.url}/mine/**", serve)  # what a proxy in front of both does
        await page.goto(await login_link(askback, "Eva"))
        await page.wait_for_url(f"{askback.url}/")
        await page.goto(f"{askback.url}/mine/thread.html")
        await page.get_by_role("textbox", name="Question 0").fill("blue")
        await page.locator("askback-request [type=submit]").click()
        with anyio.fail_after(120):
            settled = await agent.wait(request)
        await context.close()
    assert settled.answer is not None
    assert settled.answer.values == {"q0": "blue"}
