"""The place of a request in the conversation: where it was asked, at the end, or in place of the composer."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from askback import AsyncClient
from askback.domain.request import Presentation
from tests.journeys.browser import OpenScreen, answer_of, form, place_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

TOOL: dict[str, Any] = {"type": "tool", "tool_call_id": "call-1", "name": "ask"}


def form_with_title(title: str, **extra: Any) -> dict[str, Any]:
    return form({"type": "text", "label": "Name"}, title=title, **extra)


@requirement("F28")
async def test_each_request_is_in_its_place(screen: OpenScreen, agent: AsyncClient, thread: str) -> None:
    await agent.threads.create_message([TOOL, {"type": "text", "text": "First"}], thread_id=thread)
    places: dict[str, Presentation] = {"End": "standalone", "Here": "inline", "Below": "composer"}
    for title, presentation in places.items():
        await agent.requests.create(
            form_with_title(title), thread_id=thread, tool_call_id="call-1", presentation=presentation
        )
    await agent.say("Last", thread_id=thread)
    eva = await screen(place_of(thread))
    shown_element = eva.page.locator("askback-thread .text, askback-request .title")
    await expect(shown_element).to_have_text(["Here", "First", "Last", "End", "Below"])
    await expect(eva.page.locator(".asked .title")).to_have_text("Below")
    await expect(eva.page.locator(".agent .title")).to_have_text("Here")
    assert await eva.violations() == []
    reader = eva.page.locator("askback-thread")
    await reader.evaluate("thread => { thread.readonly = true }")
    await expect(eva.page.locator(".agent .title")).to_have_text(["Here", "Below"])


@requirement("F28")
async def test_the_composer_comes_back_with_its_draft_and_the_focus(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    eva = await screen(place_of(thread))
    await eva.composer.fill("half a message")
    request = await agent.requests.create(
        form_with_title("Who?", allow_skip=True), thread_id=thread, presentation="composer"
    )
    await expect(eva.composer).to_have_count(0)
    name = eva.card.get_by_label("Name")
    await name.fill("Eva")
    await name.press("Escape")
    assert (await agent.requests.get(request.id)).status == "pending"
    await name.press("Enter")
    await expect(eva.composer).to_be_focused()
    await expect(eva.composer).to_have_value("half a message")
    await expect(eva.card.locator("summary")).to_contain_text("Eva")
    assert await answer_of(agent, request) == {"q0": "Eva"}


@requirement("F28")
async def test_the_composer_stays_for_somebody_who_may_not_answer(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    eva = await screen(place_of(thread))
    await agent.requests.create(
        form_with_title("For Bob"), thread_id=thread, presentation="composer", assignees=["bob"]
    )
    await expect(eva.card).to_contain_text("For Bob")
    await expect(eva.composer).to_be_visible()
