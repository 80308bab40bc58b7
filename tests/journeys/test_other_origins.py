"""Pages of other origins: those in ASKBACK_ALLOWED_ORIGINS can call with a bearer token, and can do nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio.to_thread
import pytest
from playwright.async_api import Browser, Page

from tests.journeys.browser import form, login_link
from tests.journeys.conftest import TOKENS, Server, start
from tests.journeys.neighbours import Neighbour, neighbour
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

CALL = """async ([url, init]) => {
  const reply = await fetch(url, init);
  return {
    status: reply.status,
    id: reply.headers.get("x-request-id"),
    retry: reply.headers.get("retry-after"),
    body: await reply.json().catch(() => null),
  };
}"""
STREAM = """async ([url, headers]) => {
  const reply = await fetch(url, {headers});
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("request.created")) text += (await reader.read()).value;
  await reader.cancel();
  return reply.status;
}"""


@pytest.fixture
async def other_application() -> AsyncIterator[Neighbour]:
    """Somebody else's application on another port."""
    async with neighbour() as found_neighbour:
        yield found_neighbour


@pytest.fixture
async def embedding_server(tmp_path: Path, other_application: Neighbour) -> AsyncIterator[Server]:
    """A server that lets the pages of that application call it."""
    settings = {"ASKBACK_ALLOWED_ORIGINS": f"https://elsewhere.example,{other_application.url}"}
    process, running = await anyio.to_thread.run_sync(lambda: start(tmp_path, settings=settings))
    yield running
    process.terminate()
    await anyio.to_thread.run_sync(process.wait)


@pytest.fixture
async def page(chromium: Browser, other_application: Neighbour) -> AsyncIterator[Page]:
    """A page of that application."""
    context = await chromium.new_context()
    page_ = await context.new_page()
    await page_.goto(other_application.url)
    yield page_
    await context.close()


async def call(page: Page, url: str, token: str | None = None, **init: Any) -> dict[str, Any]:
    """Fetch from a script of the page."""
    headers = {"Authorization": f"Bearer {TOKENS[token]}"} if token else {}
    init["headers"] = {**headers, **init.get("headers", {})}
    return await page.evaluate(CALL, [url, init])


@requirement("I3")
async def test_a_page_of_a_listed_origin_reads_answers_and_streams_with_a_token(
    embedding_server: Server, page: Page
) -> None:
    async with embedding_server.client() as agent:
        request = await agent.requests.create(form({"type": "text"}), thread_id="t1")
    path = f"{embedding_server.url}/v1/requests/{request.id}"
    read = await call(page, path, "responder")
    assert (read["status"], read["body"]["id"], len(read["id"])) == (200, request.id, 32)
    streamed = await page.evaluate(
        STREAM,
        [
            f"{embedding_server.url}/v1/threads/t1/events?cursor=0",
            {"Authorization": f"Bearer {TOKENS['responder']}"},
        ],
    )
    assert streamed == 200
    headers = {"Content-Type": "application/json", "Idempotency-Key": "k1"}
    answer = '{"revision": 1, "values": {"q0": "from next door"}}'
    reply = await call(page, f"{path}/answer", "responder", method="POST", headers=headers, body=answer)
    assert (reply["status"], reply["body"]["status"]) == (200, "answered")
    # Errors are readable too, or a page could not distinguish them from a dead server.
    large = "x" * 2_000_000
    for status, url, token, extra in (
        (401, path, None, {}),
        (404, f"{embedding_server.url}/v1/requests/req_x", "responder", {}),
        (404, f"{embedding_server.url}/nowhere", None, {}),
        (405, path, "responder", {"method": "PUT"}),
        (413, f"{path}/answer", "responder", {"method": "POST", "headers": headers, "body": large}),
        (422, f"{path}/answer", "responder", {"method": "POST", "headers": headers, "body": "{"}),
    ):
        refusal = await call(page, url, token, **extra)
        assert (refusal["status"], "error" in refusal["body"]) == (status, True), url


@requirement("N8")
async def test_a_cookie_never_counts_for_a_page_of_another_origin(
    embedding_server: Server, page: Page
) -> None:
    own = await page.context.new_page()
    await own.goto(await login_link(embedding_server, "Eva"))
    await own.wait_for_url(f"{embedding_server.url}/")
    assert len(await page.context.cookies()) == 1
    bare = await call(page, f"{embedding_server.url}/v1/session")
    assert bare["status"] == 401
    with pytest.raises(Exception, match="Failed to fetch"):  # no Access-Control-Allow-Credentials
        await call(page, f"{embedding_server.url}/v1/session", credentials="include")


async def test_the_scripts_of_the_elements_load_into_a_page_of_a_listed_origin(
    embedding_server: Server, page: Page
) -> None:
    own = await page.context.new_page()
    await own.goto(embedding_server.url + "/login")
    script = await own.evaluate("document.querySelector('script[type=module]').src")
    loaded = """(url) => new Promise((resolve) => {
      const script = Object.assign(document.createElement("script"), {type: "module", src: url});
      script.onload = () => resolve(true);
      script.onerror = () => resolve(false);
      document.head.append(script);
    })"""
    assert await page.evaluate(loaded, script) is True
    assert await page.evaluate(loaded, script.replace(".js", "x.js")) is False


@requirement("I3")
async def test_a_page_of_an_origin_that_is_not_listed_gets_nothing(server: Server, page: Page) -> None:
    for path, extra in (("/v1/limits", {}), ("/healthz", {}), ("/v1/requests", {"method": "POST"})):
        with pytest.raises(Exception, match="Failed to fetch"):
            await call(page, server.url + path, "responder", **extra)
