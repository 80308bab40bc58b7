"""What could not be sent is sent again, on a page whose clock the tests move."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.journeys.browser import ANSWER, OpenScreen, Posts, Screen, form, place_of
from tests.journeys.people import Team, request_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

TOWN = form({"type": "text", "label": "Town"})

COUNT_POSTS = """
  const go = window.fetch;
  window.posted = 0;
  window.fetch = (to, init) => {
    if (init?.method === "POST") window.posted += 1;
    return go(to, init);
  };
"""
"""Counts posts in the page, where the clock runs: the route handler of a test sees them later."""


async def open_failing_page(screen: OpenScreen, team: Team, thread: str) -> tuple[Screen, Posts]:
    """A page whose answers are refused with 503, with a fake clock."""
    posts = Posts()
    posts.refuse = 503
    eva = await screen("/t/empty", team=team, before=posts.watch)
    # With a clock that runs ahead no ping is answered in time.
    eva.expect_errors("status of 503", "WebSocket")
    await eva.page.clock.install()
    await eva.go(place_of(thread))
    await eva.page.evaluate(COUNT_POSTS)
    return eva, posts


@requirement("C18")
async def test_a_decision_is_resent_for_two_minutes_and_later_only_on_request(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.bash(thread, "make test"))
    eva, posts = await open_failing_page(screen, team, thread)
    await expect(eva.button("Deny")).to_be_visible()
    await eva.page.clock.run_for(3_000)
    await eva.button("Allow once").click()
    waiting = eva.card.get_by_role("alert")
    await expect(waiting).to_contain_text("Waiting to be sent: Allow once")
    await expect(waiting).to_contain_text("Your answer will be sent when the connection is back.")
    async with eva.page.expect_request(ANSWER):
        await eva.page.clock.run_for(30_000)
    await eva.page.clock.run_for(100_000)
    await expect(waiting).to_contain_text("Your answer could not be sent for two minutes.")
    sent = await eva.page.evaluate("posted")
    posts.refuse = None
    await eva.page.clock.run_for(600_000)
    assert await eva.page.evaluate("posted") == sent > 0
    assert (await team.ada.get(request["id"]))["status"] == "pending"
    await eva.button("Send now").click()
    await expect(eva.card.locator("summary")).to_contain_text("Allowed once")
    assert len(set(posts.keys)) == 1


@requirement("C18")
async def test_the_late_refusal_of_a_repetition_says_nothing_about_the_changed_answer(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.ask(thread, TOWN))
    eva, posts = await open_failing_page(screen, team, thread)
    await eva.page.evaluate("AbortSignal.timeout = () => new AbortController().signal")
    await eva.card.get_by_label("Town").fill("Oslo")
    await eva.button("Submit").click()
    await expect(eva.card.get_by_role("alert")).to_contain_text("Waiting to be sent: Oslo")
    posts.hold()
    release_repetition = posts.passing.set
    await eva.page.clock.run_for(2_000)
    await posts.wait_for(2)
    posts.hold()
    await eva.card.get_by_label("Town").fill("Rome")
    await eva.button("Submit").click()
    await posts.wait_for(3)
    async with eva.page.expect_response(ANSWER):
        release_repetition()
    await eva.page.clock.run_for(100)
    await expect(eva.button("Sending…")).to_be_visible()
    assert await eva.card.get_by_role("alert").count() == 0
    posts.refuse = None
    posts.let_go()
    await expect(eva.card.locator("summary")).to_be_visible()
    assert (await team.ada.get(request["id"]))["answer"]["values"]["q0"] == "Rome"


@requirement("C18")
@pytest.mark.parametrize("end", ["two minutes", "Discard"])
async def test_the_late_refusal_of_a_repetition_starts_nothing_again(
    screen: OpenScreen, team: Team, thread: str, end: str
) -> None:
    request_of(await team.agent.bash(thread, "make test"))
    eva, posts = await open_failing_page(screen, team, thread)
    # With a clock that runs ahead a page would stop waiting for the reply.
    await eva.page.evaluate("AbortSignal.timeout = () => new AbortController().signal")
    await eva.page.clock.run_for(3_000)
    await eva.button("Allow once").click()
    waiting = eva.card.get_by_role("alert")
    await expect(waiting).to_contain_text("Your answer will be sent when the connection is back.")
    posts.hold()
    async with eva.page.expect_request(ANSWER):
        await eva.page.clock.run_for(2_000)
    if end == "Discard":
        await eva.button("Discard").click()
    else:
        await eva.page.clock.run_for(130_000)
        await expect(waiting).to_contain_text("Your answer could not be sent for two minutes.")
    async with eva.page.expect_response(ANSWER):
        posts.let_go()
    sent = await eva.page.evaluate("posted")
    await eva.page.clock.run_for(600_000)
    assert await eva.page.evaluate("posted") == sent > 0
