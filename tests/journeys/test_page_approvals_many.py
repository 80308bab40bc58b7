"""Many approvals and several people: one after the other, all at once, and who may."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from tests.journeys.browser import OpenScreen, Wire, place_of
from tests.journeys.conftest import Server
from tests.journeys.people import Person, Team, request_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

_MODAL = 'document.querySelector("askback-thread").setAttribute("modal", "")'


@requirement("J2", "B25")
async def test_in_a_dialog_one_shows_after_the_other_and_escape_does_nothing(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    eva = await screen(place_of(thread), team=team)
    await eva.page.evaluate(_MODAL)
    await eva.composer.click()
    first_request = request_of(await team.agent.bash(thread, "make one"))
    second_request = request_of(await team.agent.bash(thread, "make two"))
    modal = eva.page.locator("dialog:modal")
    await expect(modal).to_contain_text("make one")
    await expect(modal).to_contain_text("1 of 2")
    assert await eva.focused() == "deny"
    await modal.evaluate("(shown) => shown.addEventListener('close', () => { window.shut = true; })")
    for _ in range(3):
        await eva.page.keyboard.press("Escape")
    assert await eva.page.evaluate("window.shut") is None, "not even for a moment"
    await expect(modal).to_contain_text("make one")
    assert [(await team.ada.get(item["id"]))["status"] for item in (first_request, second_request)] == [
        "pending",
        "pending",
    ]
    await modal.get_by_role("button", name="Allow once").click()
    await expect(modal).to_contain_text("make two")
    assert await eva.focused() == "deny"
    await modal.get_by_role("button", name="Deny").click()
    await expect(modal).to_have_count(0)
    await expect(eva.composer).to_be_focused()
    decisions = [
        (await team.ada.get(item["id"]))["answer"]["decision"] for item in (first_request, second_request)
    ]
    assert decisions == ["approve", "deny"]


async def stop_the_clock(page: Page) -> None:
    """Stop the page's clock, and count its posts."""
    await page.clock.install(time=0)
    await page.clock.pause_at(1_000)
    await page.add_init_script(
        "window.sent = 0; addEventListener('askback-submit', () => { window.sent += 1; });"
    )


@requirement("J2")
async def test_a_key_that_was_meant_for_the_message_decides_nothing(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    eva = await screen(place_of(thread), team=team, before=stop_the_clock)
    await eva.page.evaluate(_MODAL)
    await eva.composer.click()
    await team.agent.bash(thread, "make one")
    await expect(eva.page.locator("dialog:modal #deny")).to_be_focused()
    for key in ("Enter", "Space", "Enter"):
        await eva.page.keyboard.press(key)
    assert await eva.page.evaluate("window.sent") == 0
    await eva.page.clock.run_for(600)
    await eva.page.keyboard.press("Enter")
    assert await eva.page.evaluate("window.sent") == 1


async def test_a_card_that_may_have_moved_under_the_pointer_is_armed_again(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    await team.agent.bash(thread, "make one")
    eva = await screen(place_of(thread), team=team, before=stop_the_clock)
    allow_button = eva.card.nth(0).get_by_role("button", name="Allow once")
    await expect(allow_button).to_be_visible()
    await eva.page.clock.run_for(600)
    await expect(allow_button).not_to_have_attribute("aria-disabled", "true")
    await team.agent.bash(thread, "make two")
    await expect(eva.card.nth(1)).to_contain_text("2 of 2")
    await allow_button.dispatch_event("click")
    assert await eva.page.evaluate("window.sent") == 0
    await eva.page.clock.run_for(600)
    await allow_button.dispatch_event("click")
    assert await eva.page.evaluate("window.sent") == 1


async def test_an_inline_card_leaves_the_caret_where_it_is(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    eva = await screen(place_of(thread), team=team)
    await eva.composer.click()
    await eva.page.keyboard.type("half a ")
    await team.agent.bash(thread, "make test")
    await expect(eva.button("Allow once")).to_be_visible()
    await eva.page.keyboard.type("sentence")
    await expect(eva.composer).to_have_value("half a sentence")


@requirement("K6")
async def test_two_people_have_to_agree_and_each_sees_the_others_vote(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.bash(thread, "make release", quorum=2))
    eva, bob = (
        await screen(place_of(thread), team=team),
        await screen(place_of(thread), team=team, name="Bob"),
    )
    await expect(eva.card).to_contain_text("0 of 2 have approved")
    await eva.button("Allow once").click()
    await expect(eva.card).to_contain_text("You approved this.")
    await expect(eva.card.get_by_role("button")).to_have_count(0)
    await expect(bob.card).to_contain_text("1 of 2 has approved: Eva")
    await eva.page.reload()
    await expect(eva.card).to_contain_text("You approved this.")
    await bob.button("Allow once").click()
    for shown_text in (eva, bob):
        await expect(shown_text.card.locator("summary")).to_contain_text("Allowed once by Bob")
    ended_request = await team.ada.get(request["id"])
    assert [vote["by"]["name"] for vote in ended_request["votes"]] == ["Eva", "Bob"]


@requirement("K6")
async def test_a_person_who_is_no_assignee_sees_the_request_and_cannot_decide(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    await team.agent.bash(thread, "make release", assignees=["eva"])
    eva, bob = (
        await screen(place_of(thread), team=team, who={"user": "eva"}),
        await screen(place_of(thread), team=team, name="Bob"),
    )
    await expect(eva.card).to_contain_text("Assigned to eva")
    await expect(bob.card).to_contain_text("Waiting for eva.")
    await expect(bob.card).to_contain_text("make release")
    await expect(bob.card.get_by_role("button")).to_have_count(0)
    await eva.button("Deny").click()
    await expect(bob.card.locator("summary")).to_contain_text("Denied by Eva")


@requirement("K2", "M3")
async def test_the_second_of_two_concurrent_decisions_gets_a_message(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.bash(thread, "make test"))
    wire = Wire()
    eva = await screen(f"/r/{request['id']}", team=team, before=wire.watch)
    eva.expect_errors("status of 409")
    await expect(eva.button("Deny")).to_be_visible()
    wire.losing_events = True
    await team.bob.decide(request["id"], "approve")
    await eva.card.get_by_text("Add a note").click()
    await eva.card.get_by_label("Note for the agent").fill("Not like this.")
    await eva.button("Deny").click()
    await expect(eva.card.locator("summary")).to_contain_text("Allowed once by bob")
    await expect(eva.card.locator("summary")).to_contain_text("Somebody else answered first.")
    await expect(eva.card.locator("summary")).to_contain_text("Not like this.")


@requirement("K6")
async def test_the_user_of_the_agent_sees_that_another_person_has_to_decide(
    screen: OpenScreen, server: Server, team: Team, thread: str
) -> None:
    reply = await team.admin.http.post(
        "/v1/tokens", json={"role": "requester", "name": "her agent", "user": "eva"}
    )
    async with Person(server.url, reply.json()["token"]) as agent:
        await agent.bash(thread, "make release", exclude_requester=True)
    eva, bob = (
        await screen(place_of(thread), team=team, who={"user": "eva"}),
        await screen(place_of(thread), team=team, name="Bob"),
    )
    await expect(eva.card).to_contain_text("The agent works for you, so somebody else has to decide.")
    await expect(eva.card.get_by_role("button")).to_have_count(0)
    assert await eva.violations() == []
    await bob.button("Allow once").click()
    await expect(eva.card.locator("summary")).to_contain_text("Allowed once by Bob")
