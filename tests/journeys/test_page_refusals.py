"""The receipt of a refusal says how long it is remembered, and can lift it."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.journeys.browser import OpenScreen, place_of
from tests.journeys.people import Team, request_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@requirement("N14")
async def test_ask_me_again_on_the_receipt_lifts_a_refusal(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    refused_request = request_of(await team.agent.bash(thread, "make deploy"))
    await team.ada.decide(refused_request["id"], "deny")
    eva = await screen(place_of(thread), team=team)
    await expect(eva.card.get_by_text("Not asked again until")).to_be_visible()
    assert (await team.agent.bash(thread, "make deploy")).json()["repeated"] is True
    await eva.card.get_by_role("button", name="Ask me again").click()
    await expect(eva.card.get_by_text("The agent may ask again.")).to_be_visible()
    assert request_of(await team.agent.bash(thread, "make deploy"))["status"] == "pending"


@pytest.mark.parametrize(
    ("decision", "button", "locale", "text"),
    [
        ("deny", "Ask me again", "en-GB", "That didn't work. Try again."),
        ("approve", "Widerrufen", "de-DE", "Das hat nicht geklappt. Versuche es noch einmal."),
    ],
)
async def test_a_button_of_a_receipt_that_could_not_act_says_so_and_works_later(
    screen: OpenScreen, team: Team, thread: str, decision: str, button: str, locale: str, text: str
) -> None:
    request = request_of(await team.agent.bash(thread, "make deploy"))
    await team.ada.decide(request["id"], decision)
    eva = await screen(place_of(thread), team=team, locale=locale)
    eva.expect_errors("ERR_INTERNET_DISCONNECTED")
    press = eva.card.get_by_role("button", name=button)
    await expect(press).to_be_visible()
    await eva.context.set_offline(True)
    await press.click()
    await expect(eva.card.locator(".beside .error")).to_have_text(text)
    await eva.context.set_offline(False)
    await press.click()
    await expect(press).to_have_count(0)
