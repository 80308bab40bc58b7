"""The page of somebody who may not answer: it shows the request, and who may answer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from playwright.async_api import Locator, expect

from tests.journeys.browser import OpenScreen, Posts, Screen, place_of
from tests.journeys.people import Team, request_of
from tests.journeys.sharing import FORM, SharedThread, share, shared
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

MAY_READ = "You can view this request, but not answer it."


@pytest.fixture
async def shared_thread(server: Any, team: Team, thread: str) -> AsyncIterator[SharedThread]:
    """A thread that is shared, and everybody."""
    async with shared(server.url, team, thread) as shared_thread:
        yield shared_thread


@requirement("K3", "K8")
async def test_a_reader_follows_changes_of_access_from_view_to_prompt_to_none(
    screen: OpenScreen, shared_thread: SharedThread
) -> None:
    await shared_thread.fresh("form")
    eva = await screen(place_of(shared_thread.thread), team=shared_thread.team, who={"user": "user-view"})
    await expect(eva.card.get_by_text(MAY_READ)).to_be_visible()
    await expect(eva.card.get_by_role("textbox")).to_be_disabled()
    await expect(eva.card.locator("button")).to_have_count(0)
    await expect(eva.composer).to_have_count(0)
    owner = shared_thread.people["owner"]
    await share(owner, shared_thread.thread, owner="user-owner", others="prompt")
    await expect(eva.composer).to_be_visible()
    await shared_thread.fresh("approval")
    await expect(eva.card.nth(1).get_by_text("Waiting for")).to_have_count(0)
    await expect(eva.card.nth(1).get_by_text(MAY_READ)).to_be_visible()
    await eva.card.nth(0).get_by_role("textbox").fill("tides")
    await eva.card.nth(0).get_by_role("button", name="Submit").click()
    await expect(eva.card.nth(0).locator("summary")).to_contain_text("tides")
    await eva.composer.fill("half a sentence")
    await share(owner, shared_thread.thread, owner="user-owner", others="view")
    await expect(eva.page.get_by_label("Your unsent message")).to_have_value("half a sentence")
    await expect(eva.composer).to_have_count(0)
    await share(owner, shared_thread.thread, owner="user-owner")
    await expect(eva.page.get_by_text("tides")).to_have_count(0)
    await expect(eva.card).to_have_count(0)


@requirement("E20")
async def test_a_reader_sees_the_number_of_requested_and_submitted_secrets(
    screen: OpenScreen, shared_thread: SharedThread
) -> None:
    request = request_of(
        await shared_thread.team.agent.need(shared_thread.thread, "A_KEY", "B_KEY", hide_names=True)
    )
    eva = await screen(place_of(shared_thread.thread), team=shared_thread.team, who={"user": "user-view"})
    await expect(eva.card.get_by_text("2 secrets", exact=True)).to_be_visible()
    await expect(eva.card.locator("input")).to_have_count(0)
    inbox = await screen("/", team=shared_thread.team, who={"user": "user-view"})
    await expect(inbox.page.locator("askback-place-inbox li:has(.row)")).to_contain_text("2 secrets")
    typist = shared_thread.people["prompt"]
    await typist.hand_over(request["id"], {"A_KEY": "a-value", "B_KEY": "b-value"})
    await expect(eva.card).to_contain_text("2 secrets · this conversation")
    assert "A_KEY" not in await eva.page.content()
    bob = await screen(
        place_of(shared_thread.thread), name="Bob", team=shared_thread.team, who={"user": "user-prompt"}
    )
    await expect(bob.card).to_contain_text("A_KEY, B_KEY · this conversation")


@requirement("K3")
async def test_a_reader_sees_which_secret_is_asked_for_and_nowhere_to_type_it(
    screen: OpenScreen, shared_thread: SharedThread
) -> None:
    await shared_thread.team.agent.need(shared_thread.thread, "A_KEY")
    eva = await screen(place_of(shared_thread.thread), team=shared_thread.team, who={"user": "user-view"})
    await expect(eva.card.get_by_text(MAY_READ)).to_be_visible()
    await expect(eva.card.get_by_text("A_KEY", exact=True)).to_be_visible()
    await expect(eva.card.locator("input")).to_have_count(0)


@requirement("K5")
@pytest.mark.parametrize("page", ["/t", "/r"])
async def test_a_request_for_others_says_for_whom_it_is_and_sends_nothing(
    screen: OpenScreen, team: Team, thread: str, page: str
) -> None:
    request = request_of(await team.agent.ask(thread, FORM, assignees=["Dora", "group:editors"]))
    page_path = place_of(thread) if page == "/t" else f"/r/{request['id']}"
    posts = Posts()
    eva = await screen(page_path, team=team, who={"groups": ["authors"]}, before=posts.watch)
    await expect(eva.card.get_by_text("Waiting for Dora, editors.")).to_be_visible()
    await expect(eva.card.get_by_role("textbox")).to_be_disabled()
    await eva.card.press("Control+Enter")
    assert (await eva.violations(), posts.keys) == ([], [])
    bob = await screen(page_path, name="Bob", team=team, who={"groups": ["editors"]})
    await bob.card.get_by_role("textbox").fill("tides")
    await bob.button("Submit").click()
    for item in (eva, bob):
        await expect(item.card.locator("summary")).to_contain_text("tides")
        await expect(item.card.locator("summary")).to_contain_text("Answered by Bob")


async def test_a_private_link_shows_others_for_whom_it_is_and_nothing_more(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY", assignees=["ada"], reason="for the salaries"))
    await team.agent.http.patch(f"/v1/threads/{thread}", json={"title": "Salaries"})
    page_path = f"/r/{request['id']}?private"
    eva = await screen(page_path, team=team, who={"user": "eva"})
    await expect(eva.page.locator("main")).to_have_text(
        "Question Inbox This is for ada.", use_inner_text=True
    )
    assert await eva.violations() == []
    ada = await screen(page_path, name="Ada", team=team, who={"user": "ada"})
    await expect(ada.card).to_contain_text("for the salaries")
    await expect(ada.page.get_by_role("link", name="Salaries")).to_be_visible()
    await team.agent.http.post(f"/v1/requests/{request['id']}/cancel", json={})
    await expect(ada.card).to_contain_text("Cancelled")
    await eva.page.reload()
    await expect(eva.page.locator("main")).to_have_text(
        "Question Inbox This is for ada.", use_inner_text=True
    )


@requirement("K3")
async def test_the_page_of_a_request_follows_access_changes(
    screen: OpenScreen, shared_thread: SharedThread
) -> None:
    request = await shared_thread.fresh("form")
    eva = await screen(f"/r/{request['id']}", team=shared_thread.team, who={"user": "user-view"})
    await expect(eva.card.get_by_text(MAY_READ)).to_be_visible()
    await share(shared_thread.people["owner"], shared_thread.thread, owner="user-owner", others="all")
    await expect(eva.button("Submit")).to_be_visible()
    await share(shared_thread.people["owner"], shared_thread.thread, owner="user-owner")
    await expect(eva.page.locator("#gone")).to_be_visible()
    await expect(eva.page.locator("#thread")).to_be_hidden()


def row(shown_screen: Screen, request: dict[str, Any]) -> Locator:
    """The row of a request in the inbox."""
    return shown_screen.page.locator("askback-place-inbox li:has(.row)", has_text=request["form"]["title"])


@requirement("K3", "K5")
async def test_the_inbox_marks_read_only_requests_and_follows_access_changes(
    screen: OpenScreen, shared_thread: SharedThread
) -> None:
    agent, owner, thread = shared_thread.team.agent, shared_thread.people["owner"], shared_thread.thread
    await share(owner, thread, owner="user-owner", others="prompt")
    first = await shared_thread.fresh("form")
    other_request = request_of(
        await agent.ask("free", {**FORM, "title": "For others"}, assignees=["Dora", "group:ops"])
    )
    free_request = request_of(await agent.ask("free", {**FORM, "title": "For all"}))
    eva = await screen("/", team=shared_thread.team, who={"user": "user-eva"})
    await expect(eva.page).to_have_title("(2) Inbox – askback")
    await expect(row(eva, other_request)).to_contain_text("Waiting for Dora, ops")
    await expect(row(eva, first).locator(".read")).to_have_count(0)
    await share(owner, thread, owner="user-owner", others="view")
    await expect(row(eva, first)).to_contain_text("View only")
    await expect(eva.page).to_have_title("(1) Inbox – askback")
    later = await shared_thread.fresh("form")
    await expect(row(eva, later)).to_contain_text("View only")
    assert await eva.violations() == []
    await share(owner, thread, owner="user-owner", others="prompt")
    await expect(row(eva, later).locator(".read")).to_have_count(0)
    await expect(eva.page).to_have_title("(3) Inbox – askback")
    await share(owner, thread, owner="user-owner")
    await expect(eva.page.locator("askback-place-inbox li:has(.row)")).to_have_count(2)
    await expect(row(eva, free_request)).to_be_visible()
