"""Requirement E4: the exact texts of a request for secrets."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.journeys.browser import OpenScreen, place_of
from tests.journeys.people import Team, answer_of, request_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

INSTRUCTIONS = (
    "Open [the console](https://crm.example.com/keys), *not* the **old** one. "
    "![logo](https://evil.example/x.png) <img src=x onerror=alert(1)> <b>bold</b> [run](javascript:alert(1))"
)


@requirement("E4", "I4")
async def test_the_card_has_inputs_reason_help_scope_and_warning(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    await team.agent.need(
        thread,
        "B_KEY",
        "A_KEY",
        instructions=INSTRUCTIONS,
        project="web",
        default_scope="global",
        metadata={
            "A_KEY": {"description": "The token of a private app.", "format_hint": "Begins with pat-."}
        },
    )
    eva = await screen(place_of(thread), team=team)
    card = eva.card
    inputs = card.locator("input[type=password]")
    await expect(inputs).to_have_count(2)
    assert [await inputs.nth(n).get_attribute("id") for n in range(2)] == ["s-A_KEY", "s-B_KEY"]
    await expect(card.get_by_label("A_KEY", exact=True)).to_have_accessible_description(
        "The token of a private app. Begins with pat-."
    )
    says = card.locator(".says")
    await expect(says).to_contain_text("to call the CRM")
    link = says.get_by_role("link", name="the console")
    await expect(link).to_have_attribute("href", "https://crm.example.com/keys")
    await expect(says.locator("strong")).to_have_text("old")
    await expect(says.locator("em")).to_have_text("not")
    await expect(says.locator("a")).to_have_count(1)
    await expect(says.locator("img, b, script, iframe")).to_have_count(0)
    scopes = card.get_by_role("radio")
    await expect(scopes).to_have_count(3)
    await expect(card.get_by_label("Everywhere")).to_be_checked()
    await expect(
        card.get_by_text("Type values here, never paste them into chat.", exact=True)
    ).to_be_visible()
    assert [await item.inner_text() for item in await card.locator(".actions button").all()] == [
        "Dismiss",
        "Save & continue",
    ]


@requirement("E4")
async def test_the_card_is_in_the_language_of_its_reader(screen: OpenScreen, team: Team, thread: str) -> None:
    request_of(await team.agent.need(thread, "A_KEY"))
    eva = await screen(place_of(thread), team=team, locale="de-DE")
    for text in ("Gib Werte hier ein, füge sie nie in den Chat ein.", "Speichern & weiter"):
        await expect(eva.card.get_by_text(text, exact=True)).to_be_visible()


@requirement("E6", "E9")
async def test_an_optional_name_is_marked_and_may_stay_empty(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(
        await team.agent.need(thread, "A_KEY", "B_KEY", metadata={"B_KEY": {"optional": True}}),
    )
    eva = await screen(f"/r/{request['id']}", team=team)
    await expect(eva.card.locator("label[for=s-B_KEY]")).to_have_text("B_KEY (optional)")
    await expect(eva.card.locator("label[for=s-A_KEY]")).to_have_text("A_KEY")
    await eva.card.locator("#s-A_KEY").fill("one")
    await eva.card.locator("#s-A_KEY").press("Enter")
    await expect(eva.card).to_contain_text("Saved by Eva")
    assert (await answer_of(team, request))["names"] == ["A_KEY"]
