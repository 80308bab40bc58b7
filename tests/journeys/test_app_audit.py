"""The place Audit log of the application: filters in the address, entries that lead on, and its verification."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.async_api import ViewportSize, expect

from askback.domain.audit import verify_chain
from tests.journeys.browser import OpenScreen, Screen
from tests.journeys.people import Team
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

PHONE: ViewportSize = {"width": 390, "height": 780}


async def log_of(screen: OpenScreen, team: Team, query: str = "", **options: Any) -> Screen:
    """Sign the admin of a house in by a token, as the sign-in page does, and open the log."""
    eva = await screen("/", team=team, **options)
    eva.expect_errors("401")  # a token is tried as the code of a link first
    await eva.go(f"/login?next={quote(f'/audit{query}')}")
    await eva.page.locator("#code").fill(str(team.admin.token))
    await eva.page.keyboard.press("Enter")
    await expect(eva.page.locator("askback-place-audit")).to_be_attached()
    return eva


@requirement("B28")
async def test_entries_are_filtered_by_the_address_and_link_to_their_subject(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    await team.agent.http.patch(f"/v1/threads/{thread}", json={"title": "Release 4.2"})
    request = (await team.agent.bash(thread, "git status")).json()
    eva = await log_of(screen, team)
    rows = eva.page.get_by_role("table", name="Audit log").locator("tbody tr")
    await expect(rows.first).to_be_visible()
    for label, hint in (("Who", "Name or id"), ("Request", "req_…"), ("Conversation", "Id")):
        await expect(eva.page.get_by_label(label)).to_have_attribute("placeholder", hint)
    await eva.page.get_by_label("What").select_option("Decision")
    await expect(rows).to_have_count(1)
    assert "action=decide" in eva.page.url
    for part in ("Policy", "asked by", "Allowed", "bash(git status:*)", "Release 4.2"):
        await expect(rows).to_contain_text(part)
    await expect(rows.get_by_role("link", name="Request")).to_have_attribute(
        "href", f"/inbox/{request['id']}"
    )
    await expect(rows.get_by_role("link", name="Release 4.2")).to_have_attribute(
        "href", f"/conversations/{thread}"
    )
    await eva.page.reload()
    await expect(rows).to_have_count(1)
    withdrawn_request = (await team.agent.bash(thread, "make it")).json()
    await team.agent.cancel(withdrawn_request["id"])
    await eva.page.get_by_label("What").select_option("Cancelled")
    await expect(rows).to_contain_text(["Cancelled cancel"])
    await eva.page.get_by_label("Who").fill("nobody at all")
    await expect(eva.page.get_by_role("heading", name="No entry matches")).to_be_visible()


@requirement("B28")
async def test_a_phone_shows_no_label_without_a_value(screen: OpenScreen, team: Team, thread: str) -> None:
    await team.agent.bash(thread, "git status")
    eva = await log_of(screen, team)
    await eva.page.set_viewport_size({"width": 320, "height": 640})
    rows = eva.page.get_by_role("table", name="Audit log").locator("tbody tr")
    subject = "td[data-label='About']"
    await expect(rows.filter(has_text="session.opened").first.locator(subject)).to_be_hidden()
    await expect(rows.filter(has_text="git status").locator(subject)).to_be_visible()


@requirement("B28")
async def test_the_log_is_verified_up_to_its_sealed_head_and_exported(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    rules = {"rules": [{"rule": f"make t{n}"} for n in range(600)]}
    await team.admin.http.post("/v1/rules/import", json=rules)
    eva = await log_of(screen, team)
    verify = eva.page.get_by_role("button", name="Verify")
    await verify.press("Enter")
    head = (await team.admin.http.get("/v1/audit/verification")).json()["head"]
    await expect(eva.page.get_by_text(f"Entries 1 to {head['seq']} are intact.")).to_be_visible()
    await expect(eva.page.get_by_text("The newest entry is sealed with the key")).to_be_visible()
    await expect(verify).to_be_focused()
    async with eva.page.expect_download() as download:
        await eva.page.get_by_role("button", name="Export").click()
    lines = Path(await (await download.value).path()).read_text().splitlines()
    assert verify_chain(lines) == (head["seq"], head["hash"])


async def test_a_responder_has_no_audit_log(screen: OpenScreen, team: Team) -> None:
    eva = await screen("/audit", team=team)
    await expect(eva.page.get_by_role("heading", name="Page not found")).to_be_visible()
    await expect(eva.page.get_by_role("link", name="Audit log")).to_have_count(0)


@requirement("J4", "I6")
async def test_axe_finds_nothing_in_the_audit_log(screen: OpenScreen, team: Team, thread: str) -> None:
    await team.agent.bash(thread, "git status")
    eva = await log_of(screen, team)
    await eva.page.locator("button.primary").click()
    await expect(eva.page.locator("askback-copy")).to_be_visible()
    await eva.page.locator("summary").first.click()
    violations = {"list": await eva.violations("light", "dark")}
    await eva.page.set_viewport_size(PHONE)
    violations["phone"] = await eva.violations()
    await eva.page.set_viewport_size({"width": 320, "height": 640})
    assert await eva.width() == 320
    await eva.go("/audit?actor=nobody-at-all")
    await expect(eva.page.locator(".empty")).to_be_visible()
    violations["empty"] = await eva.violations("light", "dark")
    assert violations == {"list": [], "phone": [], "empty": []}
