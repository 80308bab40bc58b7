"""Requirement N9: a person lets an agent use a stored secret, on a card with nothing to type."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest
from playwright.async_api import Page, Route, expect

from tests.journeys.browser import OpenScreen, Posts, place_of
from tests.journeys.people import Person, Team, leased_values, request_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

SMALL = {"viewport": {"width": 320, "height": 640}, "color_scheme": "dark", "locale": "de-DE"}


@requirement("N9")
async def test_a_saved_secret_is_allowed_with_one_button_and_nothing_to_type(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    await team.ada.keep("A_KEY", "saved", agents=[])
    request_of(await team.agent.need(thread, "A_KEY"))
    eva = await screen(place_of(thread), team=team)
    await expect(eva.card.get_by_role("heading", name="Let agent use A_KEY?")).to_be_visible()
    await expect(eva.card.locator(".secret")).to_have_count(0)
    await expect(eva.card.get_by_role("button", name="Dismiss")).to_be_visible()
    await eva.card.get_by_role("button", name="Allow", exact=True).click()
    await expect(eva.card.locator("summary, .plain")).to_contain_text("A_KEY")
    assert leased_values(await team.agent.lease(thread, "A_KEY")) == {"A_KEY": "saved"}


@requirement("N9")
async def test_another_value_can_be_typed_on_a_small_dark_screen(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    await team.ada.keep("A_KEY", "saved", agents=[])
    request_of(await team.agent.need(thread, "A_KEY"))
    extra: dict[str, Any] = SMALL
    eva = await screen(place_of(thread), team=team, **extra)
    # Chromium does not always see the user name that the form has already, for a password that comes later.
    eva.expect_errors("should have (optionally hidden) username fields")
    await expect(eva.card.get_by_role("heading", name="Darf agent A_KEY verwenden?")).to_be_visible()
    assert (await eva.width(), await eva.violations()) == (320, [])
    await eva.card.get_by_role("checkbox").uncheck()
    await expect(eva.card.get_by_role("button", name="Erlauben", exact=True)).to_have_count(0)
    await eva.card.locator("#s-A_KEY").fill("typed")
    await eva.card.get_by_role("button", name="Speichern & weiter").click()
    await expect(eva.card.locator("summary, .plain")).to_contain_text("A_KEY")
    assert leased_values(await team.agent.lease(thread, "A_KEY")) == {"A_KEY": "typed"}


@requirement("E5")
async def test_saved_values_that_are_known_late_do_not_change_what_was_sent(
    screen: OpenScreen, team: Team, server: Any, thread: str
) -> None:
    await team.ada.keep("A_KEY", "kept before", agents=[])
    reply = await team.admin.http.post("/v1/tokens", json={"role": "requester", "name": "newcomer"})
    posts, event = Posts(), anyio.Event()
    posts.refuse = 503

    async def hold(route: Route) -> None:
        await event.wait()
        await route.continue_()

    async def watch(page: Page) -> None:
        await posts.watch(page)
        await page.route("**/saved", hold)

    async with Person(server.url, reply.json()["token"]) as newcomer:
        request = request_of(await newcomer.need(thread, "A_KEY"))
        eva = await screen(f"/r/{request['id']}", team=team, before=watch)
        eva.expect_errors("status of 503")
        await eva.card.locator("#s-A_KEY").fill("typed")
        await eva.button("Save & continue").click()
        await expect(eva.button("Send now")).to_be_visible()
        event.set()
        saved = eva.card.get_by_label("A_KEY: Use the saved value (everywhere)")
        await expect(saved).not_to_be_checked()
        posts.refuse = None
        await eva.button("Send now").click()
        await expect(eva.card).to_contain_text("Saved by Eva")
        assert leased_values(await newcomer.lease(thread, "A_KEY")) == {"A_KEY": "typed"}
    assert len(set(posts.keys)) == 1, "the same values have the same key"


@requirement("E5")
async def test_the_scope_of_saved_values_stays_the_same_when_they_are_sent_again(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request_of(await team.agent.need(thread, "A_KEY"))
    pending_request = (await team.ada.pending(thread))[0]
    sent = {"revision": 1, "secrets": {"A_KEY": "kept"}, "use_existing": [], "scope": "session"}
    assert (
        await team.ada.http.post(f"/v1/requests/{pending_request['id']}/answer", json=sent)
    ).status_code == 200
    posts, known = Posts(), anyio.Event()
    posts.refuse = 503

    async def hold(route: Route) -> None:
        await known.wait()
        await route.continue_()

    async def watch(page: Page) -> None:
        await posts.watch(page)
        await page.route("**/saved", hold)

    request = request_of(await team.agent.need(thread, "A_KEY", default_scope="global"))
    eva = await screen(f"/r/{request['id']}", team=team, before=watch)
    eva.expect_errors("status of 503")
    await eva.button("Allow").click()
    await expect(eva.button("Send now")).to_be_visible()
    async with eva.page.expect_response("**/saved"):
        known.set()
    posts.refuse = None
    await eva.button("Send now").click()
    await expect(eva.card).to_contain_text("Saved by Eva")
    assert len(set(posts.keys)) == 1
    assert {json.loads(body)["scope"] for body in posts.bodies} == {"session"}
