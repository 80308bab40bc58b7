"""What looks like a secret, typed where it does not belong: the page asks before it is sent."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from tests.journeys.browser import OpenScreen, place_of
from tests.journeys.people import Team, answer_of, asked

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]


@pytest.mark.parametrize(
    "field", [{"type": "textarea"}, {"type": "select", "options": ["One"], "allow_other": True}]
)
async def test_what_looks_like_a_secret_is_asked_about_before_an_ordinary_field_sends_it(
    screen: OpenScreen, team: Team, thread: str, field: dict[str, Any]
) -> None:
    key = "ghp_" + "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA2bC5"
    request = asked(await team.agent.ask(thread, {"fields": [{"id": "how", "label": "How?", **field}]}))
    eva = await screen(place_of(thread), house=team)
    if "options" in field:
        await eva.card.get_by_label("How?").select_option("Other")
    async with eva.page.expect_response("**/assets/doubt-*.js"):
        await eva.card.get_by_role("textbox").fill(f"with {key}")
    await eva.button("Submit").click()
    question = eva.card.get_by_text("“How?” seems to hold a secret (API key).")
    await expect(question).to_be_visible()
    await expect(eva.button("Go back")).to_be_focused()
    await eva.button("Go back").click()
    await expect(eva.card.get_by_role("textbox")).to_have_value(f"with {key}")
    assert (await team.ada.get(request["id"]))["status"] == "pending"
    await eva.button("Submit").click()
    await eva.button("Yes, send it").click()
    assert (await answer_of(team, request))["values"] == {"how": f"with {key}"}


async def test_what_looks_like_none_is_sent_without_a_question(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = asked(
        await team.agent.ask(thread, {"fields": [{"id": "how", "type": "text", "label": "How?"}]})
    )
    eva = await screen(place_of(thread), house=team)
    async with eva.page.expect_response("**/assets/doubt-*.js"):
        await eva.card.get_by_label("How?").fill("with 3 of the 14 keys on the wall")
    await eva.button("Submit").click()
    assert (await answer_of(team, request))["values"] == {"how": "with 3 of the 14 keys on the wall"}
