"""Connect an account in the real page: the window of the click, and the page after the redirect."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.async_api import Route, expect

from tests.journeys.browser import OpenScreen, Screen
from tests.journeys.conftest import Server, start
from tests.requirements import requirement
from tests.transports.oauth_provider import CLIENT_SECRET, Provider, provider

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]


@pytest.fixture
async def crm() -> AsyncIterator[Provider]:
    """A provider on this machine."""
    async with provider() as running_provider:
        yield running_provider


@pytest.fixture
async def connecting_server(tmp_path: Path, crm: Provider) -> AsyncIterator[Server]:
    """A server that knows it."""
    settings = {
        "ASKBACK_OAUTH_PROVIDERS": crm.settings,
        "CRM_CLIENT_SECRET": CLIENT_SECRET,
        "ASKBACK_WEBHOOK_HOSTS": "127.0.0.1",
    }
    process, running = start(tmp_path, settings=settings)
    yield running
    process.terminate()
    assert process.wait(120) is not None


async def open_account_page(
    screen: OpenScreen, server: Server, crm: Provider, *, denied: bool = False
) -> Screen:
    """Ask for an account, and open the page; the provider decides at once."""
    async with server.person("requester") as agent:
        action = {"title": "Connect the CRM", "provider": "crm"}
        body = {"kind": "action", "thread_id": "t1", "action": action}
        request_id = (await agent.http.post("/v1/requests", json=body)).json()["id"]
    eva = await screen(f"/r/{request_id}", target=server)

    async def decide(route: Route) -> None:
        state, code = crm.allow(route.request.url)
        [back] = parse_qs(urlsplit(route.request.url).query)["redirect_uri"]
        text = "error=access_denied" if denied else f"code={code}"
        await route.fulfill(status=302, headers={"location": f"{back}?state={state}&{text}"})

    await eva.context.route(f"http://127.0.0.1:{crm.port}/authorize*", decide)
    return eva


@requirement("E24")
async def test_an_account_is_connected_in_a_window_that_the_click_opens(
    screen: OpenScreen, connecting_server: Server, crm: Provider
) -> None:
    eva = await open_account_page(screen, connecting_server, crm)
    await expect(eva.card).to_contain_text("contacts.write")
    assert await eva.violations() == []
    async with eva.context.expect_page() as window:
        await eva.button(f"Connect at 127.0.0.1:{crm.port}").click()
    popup = await window.value
    await expect(popup.get_by_role("heading", name="The account is connected")).to_be_visible()
    await expect(eva.card).to_contain_text("Connected by Eva")
    await expect(eva.card).to_contain_text("CRM_TOKEN, CRM_TOKEN_REFRESH")


async def test_a_denied_connection_is_reported_and_can_be_retried(
    screen: OpenScreen, connecting_server: Server, crm: Provider
) -> None:
    eva = await open_account_page(screen, connecting_server, crm, denied=True)
    async with eva.context.expect_page() as window:
        await eva.button(f"Connect at 127.0.0.1:{crm.port}").click()
    popup = await window.value
    await expect(popup.get_by_role("heading", name="The account is not connected")).to_be_visible()
    await expect(eva.card.get_by_role("alert")).to_contain_text("You did not allow the connection.")
    await expect(eva.button(f"Connect at 127.0.0.1:{crm.port}")).to_be_enabled()
