"""Actions in the real page: the link and its destination, the person's report, and a retry."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from tests.journeys.browser import OpenScreen
from tests.journeys.people import Team
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

LINK = {
    "title": "Install the plugin",
    "description": "Choose the **free** plan.",
    "label": "Open the shop",
    "url": "https://shop.example.com/plugin?id=7",
}


async def ask(team: Team, thread: str, **extra: Any) -> str:
    body = {"kind": "action", "thread_id": thread, "action": LINK, **extra}
    return (await team.agent.http.post("/v1/requests", json=body)).json()["id"]


async def outcome(team: Team, request_id: str) -> Any:
    return (await team.agent.http.get(f"/v1/requests/{request_id}")).json().get("answer")


async def test_the_link_opens_in_a_new_tab_and_the_page_shows_its_target(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    eva = await screen(f"/r/{await ask(team, thread)}", team=team)
    link = eva.card.get_by_role("link", name="Open the shop")
    for name, expected in {
        "href": LINK["url"],
        "target": "_blank",
        "rel": "noopener noreferrer nofollow ugc",
    }.items():
        await expect(link).to_have_attribute(name, expected)
    await expect(eva.card).to_contain_text("Leads to shop.example.com")
    assert await eva.violations() == []


async def test_a_completed_action_is_reported_with_the_keyboard(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request_id = await ask(team, thread)
    eva = await screen(f"/r/{request_id}", team=team)
    await expect(eva.button("I've done it")).to_be_visible()
    await eva.tab_to("link")
    for _ in ("It didn't work", "Dismiss", "I've done it"):
        await eva.page.keyboard.press("Tab")
    await eva.page.keyboard.press("Enter")
    await expect(eva.card).to_contain_text("Marked as done by Eva")
    assert await outcome(team, request_id) == {"outcome": "done"}
    await eva.page.reload()
    await expect(eva.card).to_contain_text("Install the plugin")
    assert await eva.violations() == []


@requirement("A21")
async def test_a_failure_is_reported_with_its_reason(screen: OpenScreen, team: Team, thread: str) -> None:
    request_id = await ask(team, thread)
    eva = await screen(f"/r/{request_id}", team=team)
    await eva.button("It didn't work").click()
    reason = eva.card.get_by_label("What went wrong?")
    await expect(reason).to_be_focused()
    assert await eva.violations() == []
    await reason.press("Escape")
    await expect(eva.button("It didn't work")).to_be_focused()
    await eva.page.keyboard.press("Enter")
    await reason.fill("The shop is closed.")
    await eva.page.keyboard.press("Control+Enter")
    await expect(eva.card).to_contain_text("Marked as failed by Eva")
    assert await outcome(team, request_id) == {"outcome": "failed", "reason": "The shop is closed."}


@requirement("A21")
async def test_an_attempt_that_failed_is_shown_and_can_be_tried_again(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request_id = await ask(team, thread)
    eva = await screen(f"/r/{request_id}", team=team)
    await expect(eva.button("I've done it")).to_be_visible()
    for reason in ("It is not there yet.", "It is still not there."):
        body = {"outcome": "failed", "reason": reason, "retry": True}
        await team.agent.http.post(f"/v1/requests/{request_id}/outcome", json=body)
        await expect(eva.card.get_by_role("alert")).to_contain_text(reason)
    await expect(eva.card.get_by_role("alert")).to_contain_text("You can try again.")
    await eva.button("I've done it").click()
    await expect(eva.card).to_contain_text("Marked as done by Eva")


async def test_a_german_reader_dismisses_an_action(screen: OpenScreen, team: Team, thread: str) -> None:
    request_id = await ask(team, thread)
    eva = await screen(f"/r/{request_id}", team=team, locale="de-DE")
    await expect(eva.card).to_contain_text("Führt zu shop.example.com")
    await expect(eva.button("Es hat nicht geklappt")).to_be_visible()
    await eva.button("Verwerfen").click()
    await expect(eva.card).to_contain_text("Eva")
    assert (await team.agent.http.get(f"/v1/requests/{request_id}")).json()["status"] == "declined"


@requirement("D22")
async def test_an_action_is_shown_in_the_language_of_its_reader(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    texts = {
        "title": {"en": "Install the plugin", "de": "Das Plugin einbauen"},
        "description": {"en": "Choose the **free** plan.", "de": "Nimm den **kostenlosen** Tarif."},
        "label": {"en": "Open the shop", "de": "Zum Shop"},
    }
    request_id = await ask(team, thread, action={**LINK, **texts})
    eva = await screen(f"/r/{request_id}", team=team, locale="de-DE")
    await expect(eva.card.get_by_role("heading", name="Das Plugin einbauen")).to_be_visible()
    await expect(eva.card.get_by_role("link", name="Zum Shop")).to_be_visible()
    await expect(eva.card.locator("strong", has_text="kostenlosen")).to_be_visible()
    assert await eva.violations() == []
    await eva.tab_to("link")
    for _ in ("It didn't work", "Dismiss", "I've done it"):
        await eva.page.keyboard.press("Tab")
    await eva.page.keyboard.press("Enter")
    await expect(eva.card).to_contain_text("Eva")
    await expect(eva.card).to_contain_text("Das Plugin einbauen")
    expected_texts = {"locale": "de", **{name: text["de"] for name, text in texts.items()}}
    assert await outcome(team, request_id) == {"outcome": "done", "shown": expected_texts}
