"""A page that cannot answer: it shows the conversation, and does not count as somebody who could answer."""

from __future__ import annotations

import anyio
import pytest
from playwright.async_api import expect

from askback import AsyncClient
from tests.journeys.browser import OpenScreen, form, place_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]


@requirement("F27", "G11")
async def test_a_readonly_conversation_does_not_count_for_require_client(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    async def ask() -> str:
        request = await agent.requests.create(
            form({"type": "text", "label": "Name"}), thread_id=thread, require_client="fail_fast"
        )
        return request.status

    assert await ask() == "cancelled"
    shown_screen = await screen(place_of(thread))
    await expect(shown_screen.page.locator(".composer")).to_be_visible()
    assert await ask() == "pending"
    await expect(shown_screen.card.last.get_by_label("Name")).to_be_enabled()
    element = shown_screen.page.locator("askback-thread")
    await element.evaluate("thread => { thread.readonly = true }")
    await expect(shown_screen.page.locator(".composer")).to_have_count(0)
    await expect(shown_screen.card.last).to_contain_text("Interactive mode disabled")
    with anyio.fail_after(120):
        while await ask() != "cancelled":
            pass
    await element.evaluate("thread => { thread.readonly = false }")
    with anyio.fail_after(120):
        while await ask() != "pending":
            pass
