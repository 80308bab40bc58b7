"""The elements on a page with its own styles: a call is shown unchanged, and nothing is cut off."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.journeys.browser import OpenScreen, form, place_of
from tests.journeys.people import Team
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

ADD = "(text) => { const sheet = new CSSStyleSheet(); sheet.replaceSync(text); document.adoptedStyleSheets.push(sheet); }"


@requirement("B13", "J11")
async def test_the_styles_of_a_page_change_neither_the_shown_call_nor_the_width(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    await team.agent.ask(thread, form({"type": "select", "options": ["One", "Two"]}))
    await team.agent.bash(thread, "make Deploy")
    eva = await screen(place_of(thread), team=team, viewport={"width": 390, "height": 780})
    await expect(eva.button("Allow once")).to_be_visible()
    await eva.page.evaluate(ADD, "* { all: unset } body { text-transform: uppercase; word-spacing: 2em }")
    select = await eva.card.get_by_role("combobox").bounding_box()
    assert select is not None
    assert select["x"] + select["width"] < 390
    command = eva.card.locator("pre").first
    assert "make Deploy" in await command.inner_text()
    await eva.page.evaluate(
        ADD, "askback-request { text-transform: uppercase; letter-spacing: 1em; text-indent: 9em }"
    )
    assert "make Deploy" in await command.inner_text()
