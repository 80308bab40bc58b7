"""The place "Agents and people" of the application: stop an agent, sign a phone in, create and revoke tokens."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest
from playwright.async_api import Page, expect

from tests.journeys.browser import OpenScreen
from tests.journeys.people import Team
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]


AS_ADMIN: dict[str, Any] = {"who": {"role": "admin"}}


async def confirm_dialog(page: Page, name: str) -> None:
    """Press the button of the open dialog."""
    await page.locator("askback-modal").get_by_role("button", name=name, exact=True).click()


@requirement("I8")
async def test_an_agent_is_stopped_after_a_question(screen: OpenScreen, team: Team, thread: str) -> None:
    await team.agent.bash(thread, "make one")
    eva = await screen("/agents", team=team)
    page = eva.page
    row = page.get_by_role("row").filter(has_text="agent").last
    stop = row.get_by_role("button", name="Stop this agent")
    await stop.click()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await stop.click()
    await expect(page.locator("askback-modal")).to_contain_text("Its tokens are revoked")
    await confirm_dialog(page, "Stop this agent")
    await expect(row).to_contain_text("Stopped")
    await expect(stop).to_have_count(0)
    await expect(page.get_by_text("agent is stopped.")).to_be_visible()
    assert (await team.agent.bash(thread, "make two")).status_code == 401


async def test_a_person_who_is_no_admin_sees_no_tokens_and_makes_no_links(
    screen: OpenScreen, team: Team
) -> None:
    eva = await screen("/agents/tokens", team=team)
    await expect(eva.page.get_by_role("button", name="Tokens")).to_have_count(0)
    await expect(eva.page.get_by_role("heading", name="Agents and people")).to_be_visible()
    await eva.page.get_by_role("button", name="Signed-in browsers").click()
    await expect(eva.page.get_by_text("This browser")).to_be_visible()
    await expect(eva.page.get_by_role("button", name="Sign in another browser")).to_have_count(0)


@requirement("N15")
async def test_an_admin_signs_in_a_phone_by_a_code_and_signs_it_out(screen: OpenScreen, team: Team) -> None:
    boss = await screen("/agents/browsers", team=team, **AS_ADMIN)
    page = boss.page
    await page.get_by_role("button", name="Sign in another browser").click()
    await page.get_by_label("Name", exact=True).fill("Ada's phone")
    await page.get_by_role("button", name="Create link").click()
    await expect(page.get_by_role("img", name="QR code of the link")).to_be_visible()
    assert await boss.violations() == []
    link = await page.locator(".sample code").inner_text()
    async with httpx2.AsyncClient(base_url=boss.origin) as phone:
        opened_reply = await phone.post("/v1/sessions", json={"code": link.partition("#")[2]})
        assert opened_reply.status_code == 201
        await page.keyboard.press("Escape")
        await page.reload()
        row = page.get_by_role("row").filter(has_text="Ada's phone")
        await row.get_by_role("button", name="Sign out").click()
        await confirm_dialog(page, "Sign out")
        await expect(row).to_have_count(0)
        await expect(page.get_by_text("Ada's phone is signed out.")).to_be_visible()
        phone.headers["X-Askback-Session"] = opened_reply.json()["session"]
        assert (await phone.get("/v1/session")).status_code == 401


async def test_a_token_is_shown_once_works_and_is_revoked(screen: OpenScreen, team: Team) -> None:
    boss = await screen("/agents/tokens", team=team, **AS_ADMIN)
    page = boss.page
    await page.get_by_role("button", name="New token").click()
    await page.get_by_label("Name", exact=True).fill("nightly")
    await page.get_by_label("Valid for").select_option("7")
    await page.get_by_role("button", name="Create token").click()
    token = await page.locator(".sample code").inner_text()
    await expect(page.get_by_text("Copy the token now.")).to_be_focused()
    async with httpx2.AsyncClient(
        base_url=boss.origin, headers={"Authorization": f"Bearer {token}"}
    ) as agent:
        assert (await agent.get("/v1/session")).json()["principal"]["role"] == "requester"
        await page.keyboard.press("Escape")
        await expect(page.get_by_text(token)).to_have_count(0)
        row = page.get_by_role("row").filter(has_text="nightly")
        await expect(row).to_contain_text("days")
        await row.get_by_role("button", name="Revoke").click()
        await confirm_dialog(page, "Revoke")
        await expect(row).to_contain_text("Revoked")
        assert (await agent.get("/v1/session")).status_code == 401


async def test_a_long_list_comes_in_pages(screen: OpenScreen, team: Team) -> None:
    for number in range(52):
        reply = await team.admin.http.post("/v1/agents", json={"name": f"agent-{number:02}"})
        assert reply.status_code == 201, reply.text
    eva = await screen("/agents", team=team)
    oldest = eva.page.get_by_role("row").filter(has_text="agent-00")
    await expect(eva.page.get_by_role("row").filter(has_text="agent-51")).to_be_visible()
    await expect(oldest).to_have_count(0)
    more_button = eva.page.get_by_role("button", name="Show more")
    eva.expect_errors("400")
    await eva.page.route("**/v1/agents?cursor=*", lambda route: route.fulfill(status=400, json={}))
    await more_button.click()
    await expect(eva.page.get_by_text("This could not be loaded")).to_be_visible()
    await eva.page.unroute("**/v1/agents?cursor=*")
    await more_button.dblclick()
    await expect(more_button).to_have_count(0)
    await expect(oldest).to_have_count(1)
