"""The page's statements about an answer are true: after a check, a second question, a reload, and in a second tab."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from askback import AsyncClient, InputRequest
from tests.journeys.browser import OpenScreen, Posts, Screen, Wire, answer_of, form, place_of
from tests.journeys.people import Person, Team, decision_of_reply, request_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

LUNCH: dict[str, Any] = form({"type": "text", "label": "Dish", "required": True})
FIRST = "Somebody else answered first. Your answer was not used."
OTHER_TAB = "You answered this in another tab."
ALREADY = "You had already answered this. Your second answer was not used."


def denials(card: Locator) -> Locator:
    """All texts that deny that an answer was accepted."""
    return (
        card.get_by_text("not used").or_(card.get_by_text(OTHER_TAB)).or_(card.get_by_text("You had entered"))
    )


async def second_tab(eva: Screen, path: str) -> Locator:
    """The same card in another tab of the same browser."""
    return await card_in_tab(await eva.context.new_page(), eva, path)


async def card_in_tab(tab: Page, eva: Screen, path: str) -> Locator:
    """The same card on a page of the same server, in a tab that is open already and stays behind the first one."""
    await tab.goto(eva.origin + path)
    card = tab.locator("askback-request")
    await expect(card.locator("form")).to_be_visible()
    await eva.page.bring_to_front()  # what is hidden is drawn, and so can be clicked, once a second
    return card


async def send(eva: Screen, dish: str) -> None:
    await eva.card.get_by_label("Dish").fill(dish)
    await eva.button("Submit").click()
    await expect(eva.card.locator("[type=submit]")).to_have_text("Checking…")


@requirement("N2")
async def test_a_checked_answer_counts_for_the_person_who_gave_it(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    eva = await screen("/")
    tab = await eva.context.new_page()
    for turn, (reprompts, reload) in enumerate(itertools.product(range(3), (False, True))):
        thread_name = f"{thread}-{reprompts}-{reload}"
        request = await agent.requests.create(LUNCH, thread_id=thread_name, validator="requester")
        pages = [place_of(thread_name), f"/r/{request.id}"]
        # Each page has every number of reprompts, and is loaded again and not; the other one is in the other tab.
        own, others = pages if (turn + reprompts) % 2 else reversed(pages)
        print(f"sent back {reprompts} times, {reload=}, at {own}")
        await eva.go(own)
        other_locator = await card_in_tab(tab, eva, others)
        await answer_until_accepted(eva, agent, request, reprompts, reload=reload)
        await expect(other_locator.locator("summary")).to_contain_text("Answered by Eva")
        await expect(other_locator.locator("summary")).to_contain_text(OTHER_TAB)
        await expect(other_locator.get_by_text("not used")).to_have_count(0)


async def answer_until_accepted(
    eva: Screen, agent: AsyncClient, request: InputRequest, reprompts: int, *, reload: bool
) -> None:
    """Send an answer that is sent back several times, and one that is accepted, perhaps after a reload."""
    for turn in range(reprompts):
        await send(eva, f"soup {turn}")
        await agent.requests.reprompt(request.id, field_errors={"q0": f"No soup {turn}."})
        await expect(eva.card.get_by_role("alert")).to_contain_text(f"No soup {turn}.")
    await send(eva, "rice")
    if reload:
        await eva.page.reload()
        await expect(eva.card.locator("[type=submit]")).to_have_text("Checking…")
    await agent.requests.accept(request.id)
    await expect(eva.card.locator("summary")).to_contain_text("rice")
    await expect(eva.card.locator("summary")).to_contain_text("Answered by Eva")
    await expect(denials(eva.card)).to_have_count(0)


@requirement("N2")
@pytest.mark.parametrize("reprompts", [0, 1])
async def test_a_probed_secret_counts_for_the_person_who_gave_it(
    screen: OpenScreen, team: Team, thread: str, reprompts: int
) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY", probe=True))
    eva = await screen(f"/r/{request['id']}", team=team)
    tab = await second_tab(eva, f"/r/{request['id']}")
    for turn in range(reprompts + 1):
        await eva.card.get_by_label("A_KEY").first.fill("one")
        await eva.button("Save & continue").click()
        await expect(eva.card).to_contain_text("Checking…")
        if turn < reprompts:
            assert (await team.agent.reprompt(request["id"], error_summary="Refused.")).status_code == 200
            await expect(eva.card.get_by_role("alert")).to_contain_text("Refused.")
    assert (await team.agent.accept(request["id"])).status_code == 200
    await expect(eva.card).to_contain_text("Saved by Eva")
    await expect(denials(eva.card)).to_have_count(0)
    await expect(tab).to_contain_text("Saved by Eva")
    await expect(tab).to_contain_text(OTHER_TAB)


@requirement("N2")
async def test_an_answer_by_another_person_after_a_reprompt_is_credited_to_them(
    screen: OpenScreen, agent: AsyncClient, ada: Person, thread: str
) -> None:
    request = await agent.requests.create(LUNCH, thread_id=thread, validator="requester")
    eva = await screen(place_of(thread))
    await send(eva, "soup")
    await agent.requests.reprompt(request.id, field_errors={"q0": "Soup is off."})
    await expect(eva.card.get_by_role("alert")).to_contain_text("Soup is off.")
    await eva.card.get_by_label("Dish").fill("half a pi")
    await ada.answer(request.id, {"q0": "rice"}, revision=2)
    await agent.requests.accept(request.id)
    await expect(eva.card.locator("summary")).to_contain_text("rice")
    await expect(eva.card.get_by_text(FIRST)).to_have_count(0)
    await expect(eva.card.get_by_text(OTHER_TAB)).to_have_count(0)
    await expect(eva.card).to_contain_text("You had entered: half a pi")


@requirement("N2", "K2")
@pytest.mark.parametrize("validator", [None, "requester"])
async def test_a_second_tab_that_sends_too_shows_the_real_outcome(
    screen: OpenScreen, agent: AsyncClient, thread: str, validator: str | None
) -> None:
    extra: dict[str, Any] = {} if validator is None else {"validator": validator}
    request = await agent.requests.create(LUNCH, thread_id=thread, **extra)
    posts, wire = Posts(), Wire()

    async def answer_meanwhile(page: Page) -> None:
        await posts.watch(page)
        await wire.watch(page)

    eva = await screen(place_of(thread), before=answer_meanwhile)
    eva.expect_errors("status of 409")
    tab = await second_tab(eva, place_of(thread))
    await eva.card.get_by_label("Dish").fill("soup")
    wire.losing_events = True
    await tab.page.bring_to_front()
    await tab.get_by_label("Dish").fill("rice")
    await tab.get_by_role("button", name="Submit").click()
    if validator is None:
        await expect(tab.locator("summary")).to_contain_text("rice")
    else:
        await expect(tab.locator("[type=submit]")).to_have_text("Checking…")
    await eva.page.bring_to_front()
    await eva.button("Submit").click()
    if validator is not None:
        await expect(eva.card.locator("[type=submit]")).to_have_text("Checking…")
    wire.losing_events = False
    await settled(agent, request, validator)
    await expect(eva.card.locator("summary")).to_contain_text("rice")
    await expect(eva.card.locator("summary")).to_contain_text(ALREADY)
    await expect(eva.card).to_contain_text("You had entered: soup")
    await expect(eva.card.get_by_text(FIRST)).to_have_count(0)
    await expect(denials(tab)).to_have_count(0)


async def settled(agent: AsyncClient, request: InputRequest, validator: str | None) -> None:
    """Accept the checked answer, if there is one."""
    if validator is not None:
        await agent.requests.accept(request.id)
    assert await answer_of(agent, request) == {"q0": "rice"}


@requirement("N2")
async def test_an_answer_whose_reply_was_lost_before_the_check_ended_counts(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(LUNCH, thread_id=thread, validator="requester")
    posts = Posts()
    posts.lose_reply = True
    eva = await screen(place_of(thread), before=posts.watch)
    eva.expect_errors("ERR_FAILED")
    await eva.card.get_by_label("Dish").fill("rice")
    await eva.button("Submit").click()
    await expect(eva.card.locator("[type=submit]")).to_have_text("Checking…")
    posts.lose_reply = False
    await agent.requests.accept(request.id)
    await expect(eva.card.locator("summary")).to_contain_text("Answered by Eva")
    await expect(denials(eva.card)).to_have_count(0)


@requirement("N2")
async def test_a_vote_that_counted_is_not_called_unused_when_another_settles(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    call = await team.agent.approve(thread, "deploy", {"to": "prod"}, quorum=2)
    assert decision_of_reply(call) == ("ask", "")
    eva = await screen(f"/r/{call.json()['id']}", team=team)
    await eva.page.clock.install()
    await eva.page.reload()
    await expect(eva.button("Deny")).to_be_visible()
    await eva.page.clock.run_for(2_000)
    await eva.button("Allow once").click()
    await expect(eva.card).to_contain_text("You approved this.")
    request = call.json()
    finished_reply = await team.bob.decide(request["id"], "approve", digest=request["approval"]["digest"])
    assert finished_reply.status_code == 200, finished_reply.text
    await expect(eva.card.locator("summary")).to_contain_text("Allowed once")
    await expect(denials(eva.card)).to_have_count(0)


FIXED: dict[str, Any] = {"type": "text", "label": "Plan", "readonly": True, "default": "Basic"}
HIDDEN: dict[str, Any] = {"type": "text", "default": "late", "visible_if": {"field": "q1", "is": True}}
STEPS: dict[str, Any] = {
    "layout": "steps",
    "sections": [
        {
            "id": "who",
            "submit_label": "Continue",
            "fields": [{"id": "name", "type": "text", "label": "Name"}],
        },
        {"id": "when", "fields": [{"id": "day", "type": "text", "label": "Day", "default": "Monday"}]},
    ],
}


@requirement("N2", "F26")
async def test_only_entered_values_are_said_to_have_been_entered(
    screen: OpenScreen, agent: AsyncClient, ada: Person, thread: str
) -> None:
    forms = [
        form({"type": "text", "default": "soup"}, {"type": "boolean"}, extra) for extra in (FIXED, HIDDEN)
    ]
    fixed, hidden, steps = [
        await agent.requests.create(body, thread_id=thread) for body in (*forms, {**STEPS, "title": "Steps"})
    ]
    await ada.answer(fixed.id, {"q0": "rice", "q1": True})
    await agent.requests.cancel(hidden.id)
    eva = await screen(place_of(thread))
    await expect(eva.card.get_by_text("Answered by")).to_be_visible()
    await expect(eva.card.get_by_text("Cancelled")).to_be_visible()
    await expect(eva.card.get_by_text("You had entered")).to_have_count(0)
    await eva.card.get_by_label("Name").fill("Eva")
    await eva.button("Continue").click()
    await expect(eva.card.get_by_label("Day")).to_be_visible()
    await agent.requests.cancel(steps.id)
    await expect(eva.card.get_by_text("You had entered")).to_have_text("You had entered: Eva")
