"""The inbox in the application: assignments, reminders, comments, and missed requests."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from tests.journeys.browser import OpenScreen
from tests.journeys.people import Team, request_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

ANY_TEXT = re.compile("")
FORM = {"title": "Which city?", "fields": [{"id": "q", "type": "text", "label": "City"}]}


@requirement("K10", "K1")
async def test_a_request_is_assigned_to_a_colleague_and_the_assignment_undone(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.ask(thread, FORM))
    eva = await screen(f"/inbox/{request['id']}", team=team)
    await eva.page.get_by_role("button", name="Assign…", exact=True).click()
    await expect(eva.page.locator("askback-modal").get_by_label("bob")).to_be_visible()
    await eva.page.keyboard.press("Escape")
    await expect(eva.page.locator("askback-modal")).to_have_count(0)
    await expect(eva.page.get_by_role("heading", name="Which city?")).to_be_visible()
    await eva.page.get_by_role("button", name="Assign…", exact=True).click()
    dialog = eva.page.locator("askback-modal")
    await expect(dialog.get_by_role("button", name="Assign")).to_have_attribute("aria-disabled", "true")
    await dialog.get_by_label("bob").check()
    await expect(dialog.get_by_role("button", name="Assign")).not_to_have_attribute("aria-disabled", ANY_TEXT)
    assert await eva.violations() == []
    await dialog.get_by_role("button", name="Assign").click()
    await expect(eva.page.get_by_text("Assigned to bob")).to_be_visible()
    await expect(eva.page.locator("a.row")).to_contain_text("Waiting for bob")
    await expect(eva.card).to_contain_text("Waiting for bob.")
    await expect(eva.button("Submit")).to_have_count(0)
    await expect(eva.page).to_have_title(re.compile("^Which city"))
    assert (await team.bob.get(request["id"]))["assignment"]["assignees"] == [team.bob.id]
    await eva.page.get_by_role("button", name="Assign…", exact=True).click()
    await dialog.get_by_role("button", name="Reset to the agent's choice").click()
    await expect(eva.page).to_have_title(re.compile(r"^\(1\)"))
    await expect(eva.button("Submit")).to_be_visible()
    me = await eva.page.evaluate("document.querySelector('askback-app').me.user")
    await team.bob.http.post(f"/v1/requests/{request['id']}/assign", json={"assignees": [me, team.carol.id]})
    await expect(eva.page.locator("a.row")).to_contain_text("Assigned to you by bob")
    assert (await team.carol.answer(request["id"], {"q": "Rome"})).status_code == 200
    await expect(eva.page.get_by_text("Answered by carol: Which city?")).to_be_visible()
    await expect(eva.page.get_by_role("button", name="Assign…", exact=True)).to_have_count(0)


@requirement("K11")
async def test_a_snoozed_request_returns_automatically(screen: OpenScreen, team: Team, thread: str) -> None:
    request = request_of(await team.agent.ask(thread, FORM))
    eva = await screen(f"/inbox/{request['id']}", team=team)
    await eva.page.get_by_role("button", name="Remind me…", exact=True).click()
    await eva.page.locator("askback-modal").get_by_role("button", name="In an hour").click()
    await expect(eva.page.get_by_role("heading", name="Later")).to_be_visible()
    await expect(eva.page).to_have_title(re.compile("^Inbox"))
    await expect(eva.card).to_have_count(0)
    await eva.page.reload()
    await expect(eva.page.get_by_role("heading", name="Later")).to_be_visible()
    await eva.page.get_by_role("link", name="Which city").click()
    await eva.page.get_by_role("button", name="Back to the inbox", exact=True).click()
    await expect(eva.page.get_by_role("heading", name="Today")).to_be_visible()
    await expect(eva.page).to_have_title(re.compile(r"^\(1\)"))
    me = (await eva.page.evaluate("document.querySelector('askback-app').me"))["user"]
    assert me
    soon = """async (id) => {
      const app = document.querySelector("askback-app");
      await app.inbox.personal.remind(id, new Date(app.client.now + 4000).toISOString());
    }"""
    await eva.page.evaluate(soon, request["id"])
    await expect(eva.page.get_by_role("heading", name="Later")).to_be_visible()
    await expect(eva.page.get_by_role("heading", name="Today")).to_be_visible()
    await expect(eva.page.get_by_role("heading", name="Later")).to_have_count(0)


@requirement("K12")
async def test_a_comment_appears_immediately_for_all_people(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.ask(thread, FORM))
    eva = await screen(f"/inbox/{request['id']}", team=team)
    await expect(eva.page.get_by_label("Write a comment")).to_be_visible()
    await expect(eva.page.get_by_role("region", name="Comments").get_by_role("list")).to_have_count(0)
    await team.bob.http.post(
        f"/v1/requests/{request['id']}/comments", json={"text": "The <b>customer</b> calls at noon."}
    )
    comments = eva.page.locator(".comments li")
    await expect(comments).to_contain_text("The <b>customer</b> calls at noon.")
    await eva.page.get_by_label("Write a comment").fill("I take it.")
    await eva.page.get_by_role("button", name="Comment", exact=True).click()
    await expect(comments).to_have_count(2)
    await expect(comments.nth(1)).to_contain_text("Eva")
    await expect(eva.page.get_by_label("Write a comment")).to_have_value("")
    await expect(eva.page.locator(".comments [role=status]")).to_have_text("Comment added.")
    assert await eva.violations() == []
    await comments.nth(1).get_by_role("button", name="Delete").click()
    await eva.page.locator("askback-modal").get_by_role("button", name="Delete").click()
    await expect(comments).to_have_count(1)
    await expect(eva.page.locator(".comments [role=status]")).to_have_text("Comment deleted.")
    await expect(eva.page.get_by_label("Write a comment")).to_be_focused()
    assert "customer" not in str(await team.agent.get(request["id"]))


@requirement("K13")
async def test_an_expired_request_is_listed_as_missed_until_it_is_opened(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    for creation in (
        request_of(await team.agent.ask(thread, {**FORM, "title": "First?"}, timeout_s=1)),
        request_of(await team.agent.bash(thread, "make second", timeout_s=1)),
    ):
        await team.agent.http.get(f"/v1/requests/{creation['id']}", params={"wait": 20})
    due = request_of(await team.agent.ask(thread, {**FORM, "title": "Due?"}, timeout_s=600))
    eva = await screen("/", team=team)
    missed = eva.page.get_by_role("heading", name="Missed")
    await expect(missed).to_be_visible()
    titles = eva.page.locator("a.row .t")
    await expect(titles).to_have_text(["Due?", "Run: make second", "First?"])
    assert await eva.violations() == []
    await eva.page.get_by_role("link", name="make second").click()
    await expect(eva.card.locator(".given").get_by_text("make second")).to_be_visible()
    await expect(titles).to_have_text(["Due?", "First?"])
    assert (await team.bob.answer(due["id"], {"q": "Rome"})).status_code == 200
    third_request = request_of(await team.agent.ask(thread, {**FORM, "title": "Third?"}, timeout_s=1))
    await expect(eva.page.get_by_role("link", name="Third?")).to_contain_text("Expired")
    await expect(titles).to_have_text(["Third?", "First?"])
    async with eva.page.expect_response("**/v1/missed/seen"):
        await eva.page.get_by_role("button", name="Mark all as seen", exact=True).click()
    await expect(missed).to_have_count(0)
    await eva.page.reload()
    await expect(eva.page.get_by_text("Nothing is waiting for you.")).to_be_visible()
    requests = (await team.bob.http.get("/v1/missed")).json()["requests"]
    assert third_request["id"] in [request["id"] for request in requests]


@requirement("J8", "K12")
async def test_a_comment_that_was_not_sent_is_kept_for_its_request_until_sign_out(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    first_request, second_request = [request_of(await team.agent.ask(thread, FORM)) for _ in range(2)]
    eva = await screen(f"/inbox/{first_request['id']}", team=team)
    comment = eva.page.get_by_label("Write a comment")
    await comment.fill("Ask Bob first.")
    await eva.page.locator(f"li[data-id='{second_request['id']}'] a").click()
    await expect(eva.page).to_have_url(f"{eva.origin}/inbox/{second_request['id']}")
    await expect(comment).to_have_value("")
    await comment.fill("And this")
    await eva.page.locator(f"li[data-id='{first_request['id']}'] a").click()
    await expect(comment).to_have_value("Ask Bob first.")
    await eva.page.reload()
    await expect(comment).to_have_value("Ask Bob first.")
    await eva.page.get_by_role("button", name="Comment", exact=True).click()
    await expect(eva.page.locator(".comments li")).to_have_count(1)
    await expect(comment).to_have_value("")
    await eva.page.reload()
    await expect(eva.page.locator(".comments li")).to_have_count(1)
    await expect(comment).to_have_value("")
    count_script = "Object.keys(localStorage).filter((key) => key.startsWith('askback.draft/'))"
    assert len(await eva.page.evaluate(count_script)) == 1
    await eva.page.get_by_role("button", name="Sign out").click()
    await eva.page.wait_for_url("**/login**")
    assert await eva.page.evaluate(count_script) == []
