"""While one person types an answer, others see who is answering."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from askback import AsyncClient
from tests.journeys.browser import OpenScreen, Screen, form, place_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

FORM: dict[str, Any] = form({"type": "text", "label": "Name"})


async def see_others(*windows: Screen) -> None:
    """Wait until these pages tell of their person, and hear of others: a report is sent once, to those connected."""
    for window in windows:
        await expect(window.card.locator("[aria-live=polite]")).to_be_attached()
        await expect(window.link).to_have_text("Connected")


@requirement("K7")
@pytest.mark.parametrize("page", ["/t", "/r"])
async def test_other_people_see_who_is_answering_until_ten_seconds_without_input(
    screen: OpenScreen, agent: AsyncClient, thread: str, page: str
) -> None:
    request = await agent.requests.create(FORM, thread_id=thread)
    eva = await screen(place_of(thread) if page == "/t" else f"/r/{request.id}")
    bob = await screen(place_of(thread), name="Bob")
    hint = eva.card.locator("[aria-live=polite]", has_text="is answering")
    await see_others(eva, bob)
    await eva.page.clock.install()
    await bob.card.get_by_label("Name").press_sequentially("Bo")
    await expect(hint).to_have_text("Bob is answering")
    assert await eva.violations() == []
    await expect(bob.card).not_to_contain_text("is answering")
    await eva.page.clock.run_for(10_000)
    await expect(hint).to_have_count(0)
    assert (await agent.requests.get(request.id)).revision == 1


@requirement("K7")
async def test_the_hint_disappears_when_the_other_person_leaves(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    await agent.approve("deploy", {"to": "production"}, thread_id=thread, wait=False)
    eva, bob = await screen(place_of(thread)), await screen(place_of(thread), name="Bob")
    await see_others(eva, bob)
    await bob.card.get_by_text("Add a note").click()
    await expect(eva.card).to_contain_text("Bob is answering")
    await eva.page.evaluate("document.documentElement.lang = 'de'")
    await expect(eva.card).to_contain_text("Bob antwortet gerade")
    await bob.page.goto("about:blank")
    await expect(eva.card).not_to_contain_text("antwortet gerade")
