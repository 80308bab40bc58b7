"""Text that looks like a secret, typed into an ordinary field: the page asks before it is sent."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from askback import AsyncClient
from tests.journeys.browser import OpenScreen, place_of
from tests.journeys.people import Team, answer_of, request_of

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

KEY = "ghp_" + "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA2bC5"
SEEMS = "This seems to contain a secret (API key)."


@pytest.mark.parametrize(
    "field", [{"type": "textarea"}, {"type": "select", "options": ["One"], "allow_other": True}]
)
async def test_a_value_that_looks_like_a_secret_is_confirmed_before_it_is_sent(
    screen: OpenScreen, team: Team, thread: str, field: dict[str, Any]
) -> None:
    request = request_of(await team.agent.ask(thread, {"fields": [{"id": "how", "label": "How?", **field}]}))
    eva = await screen(place_of(thread), team=team)
    if "options" in field:
        await eva.card.get_by_label("How?").select_option("Other")
    async with eva.page.expect_response("**/assets/warning-*.js"):
        await eva.card.get_by_role("textbox").fill(f"with {KEY}")
    await eva.button("Submit").click()
    question = eva.card.get_by_text("“How?” seems to contain a secret (API key).")
    await expect(question).to_be_visible()
    await expect(eva.button("Go back")).to_be_focused()
    await eva.button("Go back").click()
    await expect(eva.card.get_by_role("textbox")).to_have_value(f"with {KEY}")
    assert (await team.ada.get(request["id"]))["status"] == "pending"
    await eva.button("Submit").click()
    await eva.button("Yes, send it").click()
    assert (await answer_of(team, request))["values"] == {"how": f"with {KEY}"}


async def test_a_value_that_looks_like_no_secret_is_sent_without_confirmation(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(
        await team.agent.ask(thread, {"fields": [{"id": "how", "type": "text", "label": "How?"}]})
    )
    eva = await screen(place_of(thread), team=team)
    async with eva.page.expect_response("**/assets/warning-*.js"):
        await eva.card.get_by_label("How?").fill("with 3 of the 14 keys on the wall")
    await eva.button("Submit").click()
    assert (await answer_of(team, request))["values"] == {"how": "with 3 of the 14 keys on the wall"}


async def test_text_that_looks_like_a_secret_can_be_removed_from_a_message(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    eva = await screen(place_of(thread))
    await eva.composer.fill(f"Take {KEY}, please.")
    await eva.page.keyboard.press("Enter")
    question = eva.page.get_by_role("group", name=SEEMS)
    await expect(question).to_be_visible()
    assert KEY not in await question.inner_text()
    assert await eva.violations() == []
    assert await eva.focused() == "leave"
    await eva.page.keyboard.press("Enter")
    await expect(question).to_be_hidden()
    await expect(eva.composer).to_have_value("Take …, please.")
    await expect(eva.composer).to_be_focused()
    await eva.page.keyboard.press("Enter")
    await expect(eva.composer).to_have_value("")
    assert await messages(agent, thread) == ["Take …, please."]


async def test_a_message_that_looks_like_a_secret_can_be_sent_anyway(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    eva = await screen(place_of(thread))
    await eva.composer.fill(KEY)
    await eva.page.get_by_role("button", name="Send", exact=True).click()
    await eva.page.get_by_role("button", name="Send anyway").click()
    await expect(eva.composer).to_have_value("")
    await expect(eva.page.get_by_role("group", name=SEEMS)).to_be_hidden()
    assert await messages(agent, thread) == [KEY]


async def test_changing_the_message_takes_the_question_back(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    eva = await screen(place_of(thread))
    await eva.composer.fill(KEY)
    await eva.page.keyboard.press("Enter")
    question = eva.page.get_by_role("group", name=SEEMS)
    await expect(question).to_be_visible()
    await eva.composer.fill("never mind")
    await expect(question).to_be_hidden()
    assert await messages(agent, thread) == []


async def test_a_note_that_looks_like_a_secret_is_confirmed_before_it_is_sent(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.bash(thread, "git push"))
    eva = await screen(place_of(thread), team=team)
    await eva.card.get_by_text("Add a note").click()
    note = eva.card.get_by_label("Note for the agent")
    await note.fill(f"with {KEY}")
    await eva.button("Deny").click()
    question = eva.card.get_by_role("group", name=SEEMS)
    await expect(question).to_be_visible()
    assert await eva.violations() == []
    assert (await team.ada.get(request["id"]))["status"] == "pending"
    await eva.button("Leave it out").click()
    await expect(question).to_be_hidden()
    await expect(note).to_have_value("with …")
    await eva.button("Deny").click()
    assert (await answer_of(team, request))["note"] == "with …"


async def messages(agent: AsyncClient, thread: str) -> list[str]:
    """The texts of a conversation."""
    said_messages = (await agent.threads.get(thread))["messages"]
    return [block["text"] for message in said_messages for block in message["content"]]
