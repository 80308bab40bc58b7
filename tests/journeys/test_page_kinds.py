"""Kinds of packages in the real page: drawn by their element, or reported as missing, and dismissed."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.async_api import Page, Route, expect

from askback import AsyncClient
from tests.journeys.browser import OpenScreen, Wire, form, place_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

ELEMENT = """
export default class extends HTMLElement {
  connectedCallback() {
    const button = document.createElement("button");
    button.textContent = `5 stars for ${this.request.data.subject}`;
    button.onclick = () => this.dispatchEvent(new CustomEvent("askback-answer", { detail: { stars: 5 } }));
    this.append(button);
  }
}
"""
RATING = r'"kind":"rating","data":{"subject":"the soup"},"summary":"Rate the soup"'


class Package:
    """A server with the kind, in front of one without: it changes the page's replies, and accepts its answer."""

    def __init__(self, kinds: list[dict[str, Any]]) -> None:
        self.kinds = kinds
        self.sent: list[Any] = []
        self._wire = Wire(lambda frame: [re.sub(r'"kind": ?"form"', RATING, frame)])

    async def watch(self, page: Page) -> None:
        await self._wire.watch(page)
        await page.route("**/v1/kinds", lambda route: route.fulfill(json={"kinds": self.kinds}))
        await page.route(
            "**/acme/rating.js", lambda route: route.fulfill(body=ELEMENT, content_type="text/javascript")
        )
        await page.route(re.compile("/answer$"), self._answer)

    async def _answer(self, route: Route) -> None:
        self.sent.append(route.request.post_data_json)
        error = {"code": "invalid", "message": "", "field_errors": []}
        await route.fulfill(status=422, json={"error": {**error, "message": "Not five."}})


async def test_the_element_of_a_package_draws_its_kind_and_answers(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    await agent.requests.create(form({"type": "text"}), thread_id=thread)
    package = Package([{"name": "rating", "element": "/acme/rating.js"}])
    eva = await screen(place_of(thread), before=package.watch)
    eva.expect_errors("status of 422")
    await expect(eva.card.locator(".title")).to_have_text("Rate the soup")
    await eva.button("5 stars for the soup").click()
    await expect(eva.card.get_by_role("alert")).to_contain_text("Not five.")
    assert package.sent == [{"revision": 1, "data": {"stars": 5}}]
    assert await eva.violations() == []


@requirement("M10")
async def test_a_kind_that_is_not_registered_says_so_and_can_be_dismissed(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(form({"type": "text"}), thread_id=thread)
    eva = await screen(place_of(thread), before=Package([]).watch)
    await expect(eva.card).to_contain_text("No package on this server adds the kind 'rating'.")
    assert await eva.violations() == []
    await eva.button("Dismiss").click()
    ended_request = await agent.wait(request)
    assert (ended_request.status, ended_request.reason) == ("declined", "dismissed")


async def test_an_element_of_another_origin_is_not_run(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    await agent.requests.create(form({"type": "text"}), thread_id=thread)
    package = Package([{"name": "rating", "element": "https://evil.example/acme/rating.js"}])
    eva = await screen(place_of(thread), before=package.watch)
    await expect(eva.card).to_contain_text("could not be loaded")
    assert not any("evil.example" in address for address in eva.fetched)
    await expect(eva.button("Dismiss")).to_be_visible()
