"""Several people at the same question: the first answer wins, and everybody sees it."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Page, expect

from askback import AsyncClient
from tests.journeys.browser import OpenScreen, Posts, Screen, Wire, answer_of, form, place_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

FORM: dict[str, Any] = form({"type": "text", "label": "Name"}, {"type": "radio", "options": ["A", "B"]})


async def read_only(shown_screen: Screen) -> None:
    await expect(shown_screen.card.locator("form, input, textarea, select, button")).to_have_count(0)


@requirement("K1", "F26", "A17")
@pytest.mark.parametrize("page", ["/t", "/r"])
async def test_an_answer_turns_every_other_screen_read_only(
    screen: OpenScreen, agent: AsyncClient, thread: str, page: str
) -> None:
    request = await agent.requests.create(FORM, thread_id=thread)
    eva = await screen(place_of(thread))
    bob = await screen(place_of(thread) if page == "/t" else f"/r/{request.id}", name="Bob")
    await expect(bob.button("Submit")).to_be_visible()
    called = len(bob.calls)
    await eva.card.get_by_label("Name").fill("tides")
    await eva.button("Submit").click()
    await expect(bob.card.locator("summary")).to_contain_text("tides")
    await expect(bob.card.locator("summary")).to_contain_text("Answered by Eva")
    await read_only(bob)
    assert bob.calls[called:] == [], "it was told, it did not ask"
    assert await answer_of(agent, request) == {"q0": "tides"}


@requirement("K1")
async def test_a_skip_closes_it_everywhere_too(screen: OpenScreen, agent: AsyncClient, thread: str) -> None:
    await agent.requests.create(form({"type": "text"}, allow_skip=True), thread_id=thread)
    eva, bob = await screen(place_of(thread)), await screen(place_of(thread), name="Bob")
    await expect(bob.button("Skip")).to_be_visible()
    await eva.button("Skip").click()
    await expect(bob.card).to_contain_text("Skipped by Eva")
    await read_only(bob)


@requirement("K2", "M3")
async def test_the_second_person_sees_the_winning_answer_and_the_lost_one(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(FORM, thread_id=thread)
    posts, wire = Posts(), Wire()

    async def answer_meanwhile(page: Page) -> None:
        await posts.watch(page)
        await wire.watch(page)

    eva = await screen(place_of(thread))
    bob = await screen(place_of(thread), name="Bob", before=answer_meanwhile)
    bob.expect_errors("status of 409")
    await bob.card.get_by_label("Name").fill("what Bob wrote")
    wire.drops_frames = True
    await eva.card.get_by_label("Name").fill("what Eva wrote")
    await eva.button("Submit").click()
    assert await answer_of(agent, request) == {"q0": "what Eva wrote"}
    called = len(bob.calls)
    await bob.button("Submit").click()
    await expect(bob.card.locator("summary")).to_contain_text("what Eva wrote")
    await expect(bob.card.locator("summary")).to_contain_text("Answered by Eva")
    await expect(bob.card.locator("summary")).to_contain_text("Somebody else answered first.")
    await expect(bob.card).to_contain_text("what Bob wrote")
    await read_only(bob)
    assert len(posts.keys) == 1
    assert bob.calls[called:] == [f"/v1/requests/{request.id}/answer"], "the 409 says it all"


@requirement("K1", "K2")
async def test_an_unsent_answer_stays_visible(screen: OpenScreen, agent: AsyncClient, thread: str) -> None:
    await agent.requests.create(FORM, thread_id=thread)
    eva, bob = await screen(place_of(thread)), await screen(place_of(thread), name="Bob")
    await bob.card.get_by_label("Name").fill("half of what Bob wan")
    await eva.card.get_by_label("Name").fill("what Eva wrote")
    await eva.button("Submit").click()
    await expect(bob.card.locator("summary")).to_contain_text("what Eva wrote")
    await expect(bob.card).to_contain_text("half of what Bob wan")


async def test_a_message_carries_the_name_of_its_writer(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    eva, bob = await screen(place_of(thread)), await screen(place_of(thread), name="Bob")
    await eva.composer.fill("Hello Bob")
    await eva.page.keyboard.press("Enter")
    await expect(bob.page.get_by_text("Hello Bob")).to_be_visible()
    await expect(bob.page.locator("askback-thread .who")).to_have_text("Eva")
