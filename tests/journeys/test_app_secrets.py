"""The place "Secrets" of the application: names, their agents, a new value, and never a value on the page."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Page, Response, expect

from tests.journeys.browser import OpenScreen, Screen
from tests.journeys.people import Team, leased_values, request_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

CANARY = "canary-4711-value"
AS_ADMIN: dict[str, Any] = {"who": {"role": "admin"}}


async def provide_secret(team: Team, thread: str, value: str = "first") -> None:
    """Give `A_KEY` to the agent of a thread."""
    request = request_of(await team.agent.need(thread, "A_KEY"))
    settled_reply = await team.ada.hand_over(request["id"], {"A_KEY": value}, scope="global")
    assert settled_reply.status_code == 200, settled_reply.text


def dialog(page: Page, name: str) -> Any:
    """A button of the open dialog."""
    return page.locator("askback-modal").get_by_role("button", name=name, exact=True)


@requirement("E17")
async def test_a_value_is_replaced_and_is_nowhere_in_the_browser(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    await provide_secret(team, thread)
    responses: list[Response] = []
    boss = await screen("/secrets", team=team, **AS_ADMIN)
    page = boss.page
    page.on("response", lambda response: responses.append(response))
    row = page.get_by_role("row").filter(has_text="A_KEY")
    await expect(row).to_contain_text("Everywhere")
    await expect(row).to_contain_text("agent")
    await row.get_by_role("button", name="Replace A_KEY").click()
    field = page.get_by_label("Value", exact=True)
    await expect(field).to_have_attribute("type", "password")
    await field.fill(CANARY)
    await dialog(page, "Replace").click()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(page.get_by_text("A_KEY is saved.")).to_be_visible()
    [saved] = [response for response in responses if "/v1/" in response.url and response.status == 201]
    assert CANARY not in await saved.text()
    assert leased_values(await team.agent.lease(thread, "A_KEY")) == {"A_KEY": CANARY}
    await page.reload()
    await expect(row).to_contain_text("agent")
    await expect(row.locator("askback-time")).to_have_count(2)
    assert not await canary_is_visible(boss)


async def canary_is_visible(shown_screen: Screen) -> bool:
    """Return whether the canary is in the page, in its storage, or in the console."""
    result = await shown_screen.page.evaluate(
        """async () => {
          const texts = [JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage })];
          const look = (root) => {
            for (const element of root.querySelectorAll("*")) {
              texts.push(element.outerHTML, String(element.value ?? ""));
              if (element.shadowRoot) look(element.shadowRoot);
            }
          };
          look(document);
          for (const { name } of await indexedDB.databases()) texts.push(name);
          return texts.join("\\n");
        }"""
    )
    return CANARY in result + "\n".join(shown_screen.console_errors)


@requirement("E17")
async def test_a_key_file_keeps_its_lines_when_it_is_pasted(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    await provide_secret(team, thread)
    boss = await screen("/secrets", team=team, **AS_ADMIN)
    page = boss.page
    await page.get_by_role("button", name="Replace A_KEY").click()
    await page.get_by_label("Value", exact=True).evaluate(
        """(field) => {
          const data = new DataTransfer();
          data.setData("text", "line one\\nline two");
          field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
        }"""
    )
    await expect(page.get_by_label("The value has several lines")).to_be_checked()
    await expect(page.get_by_label("Value", exact=True)).to_have_value("line one\nline two")
    await dialog(page, "Replace").click()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    assert leased_values(await team.agent.lease(thread, "A_KEY")) == {"A_KEY": "line one\nline two"}


@requirement("E17")
async def test_an_agent_may_not_use_a_secret_after_its_grant_is_revoked(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    await provide_secret(team, thread)
    boss = await screen("/secrets", team=team, **AS_ADMIN)
    page = boss.page
    row = page.get_by_role("row").filter(has_text="A_KEY")
    await row.get_by_role("button", name="Change access").click()
    box = page.locator("askback-modal").get_by_role("checkbox", name="agent", exact=True)
    await expect(box).to_be_checked()
    await box.uncheck()
    await dialog(page, "Save").click()
    await expect(row).to_contain_text("No agent; each has to ask")
    assert (await team.agent.lease(thread, "A_KEY")).status_code == 404
    await row.get_by_role("button", name="Change access").click()
    await page.get_by_label("Every agent, including new ones").check()
    await dialog(page, "Save").click()
    await expect(row).to_contain_text("Every agent, including new ones")


@requirement("E17")
async def test_an_agent_on_a_later_page_of_the_list_keeps_its_grant(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    await provide_secret(team, thread)

    async def delay_grant(page: Page) -> None:
        empty_page = {"agents": [], "next_cursor": "more"}
        await page.route("**/v1/agents?*", lambda route: route.fulfill(json=empty_page))

    boss = await screen("/secrets", team=team, before=delay_grant, **AS_ADMIN)
    await (
        boss.page.get_by_role("row")
        .filter(has_text="A_KEY")
        .get_by_role("button", name="Change access")
        .click()
    )
    await expect(boss.page.locator("askback-modal").get_by_role("checkbox")).to_be_checked()
    await dialog(boss.page, "Save").click()
    await expect(boss.page.get_by_role("dialog")).to_have_count(0)
    assert (await team.agent.lease(thread, "A_KEY")).status_code == 200


async def test_with_the_keyboard_alone_a_secret_is_added_and_erased_after_a_question(
    screen: OpenScreen, team: Team
) -> None:
    boss = await screen("/secrets", team=team, **AS_ADMIN)
    page = boss.page
    await expect(page.get_by_role("heading", name="No secrets yet")).to_be_visible()
    add = page.get_by_role("button", name="Add a secret")
    await add.focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_label("Name", exact=True)).to_be_focused()
    await page.keyboard.type("B_KEY")
    await page.keyboard.press("Tab")
    await page.keyboard.type(f" {CANARY}")
    await expect(page.get_by_text("The value begins or ends with a space")).to_be_visible()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    row = page.get_by_role("row").filter(has_text="B_KEY")
    erase = row.get_by_role("button", name="Erase")
    await erase.focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("dialog")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(erase).to_be_focused()
    await page.keyboard.press("Enter")
    await dialog(page, "Erase").press("Enter")
    await expect(page.get_by_role("heading", name="No secrets yet")).to_be_visible()
    await expect(page.get_by_role("heading", name="Secrets", exact=True)).to_be_focused()
    await expect(page.get_by_role("status")).to_contain_text(["", "B_KEY is erased."])
    assert (await team.admin.http.get("/v1/secrets")).json()["secrets"] == []


async def test_a_name_that_cannot_be_is_refused_in_words_and_the_value_stays(
    screen: OpenScreen, team: Team
) -> None:
    boss = await screen("/secrets", team=team, **AS_ADMIN)
    boss.expect_errors("422")
    page = boss.page
    await page.get_by_role("button", name="Add a secret").click()
    await page.get_by_label("Name", exact=True).fill("not a name")
    await page.get_by_label("Value", exact=True).fill(CANARY)
    await dialog(page, "Save secret").click()
    await expect(page.locator(".toast")).to_be_visible()
    await expect(page.get_by_label("Value", exact=True)).to_have_value(CANARY)


async def test_a_person_sees_only_the_secrets_that_they_may_manage(screen: OpenScreen, team: Team) -> None:
    for name, extra in (("SHARED", {}), ("HERS", {"owner": "somebody"})):
        body = {"name": name, "value": "v", "scope": "global", **extra}
        assert (await team.admin.http.post("/v1/secrets", json=body)).status_code == 201
    eva = await screen("/secrets", team=team)
    await expect(eva.page.get_by_role("row").filter(has_text="SHARED")).to_be_visible()
    await expect(eva.page.get_by_text("HERS")).to_have_count(0)


async def test_nothing_is_wrong_with_it_for_assistive_technology(screen: OpenScreen, team: Team) -> None:
    boss = await screen("/secrets", team=team, viewport={"width": 320, "height": 700}, **AS_ADMIN)
    page = boss.page
    await expect(page.locator(".empty")).to_be_visible()
    assert await boss.violations("light", "dark") == []
    await team.admin.keep("A_KEY", "value")
    await page.reload()
    await expect(page.get_by_role("table")).to_be_visible()
    assert await boss.violations("light", "dark") == []
    for number in (0, 1):
        await page.locator("td .actions button").nth(number).click()
        await expect(page.get_by_role("dialog")).to_be_visible()
        assert await boss.violations("light", "dark") == []
        assert await boss.width() == 320
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog")).to_have_count(0)
