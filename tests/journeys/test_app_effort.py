"""How many clicks and keys the most frequent tasks take: the figures of docs/explanation/clicks-and-keys.md."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from tests.journeys.browser import OpenScreen, Screen
from tests.journeys.people import Team, request_of
from tests.journeys.test_app_inbox import press, stop_the_clock
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

CHOICE = {"fields": [{"type": "select", "id": "flight", "label": "Which flight?", "widget": "buttons", "options": ["Early", "Late"]}]}  # fmt: skip
FIVE = {"title": "Details", "fields": [{"type": "text", "id": f"f{index}", "label": f"Field {index}"} for index in range(5)]}  # fmt: skip


async def ask_four(team: Team, thread: str) -> list[dict[str, Any]]:
    """Ask for a choice, two approvals and a form, in the order in which they are due."""
    agent = team.agent
    return [
        request_of(await agent.ask(thread, CHOICE, timeout_s=3000)),
        request_of(await agent.bash(thread, "make one", timeout_s=3010)),
        request_of(await agent.bash(thread, "make two", timeout_s=3020)),
        request_of(await agent.ask(thread, FIVE, timeout_s=3030)),
    ]


async def fill_five_fields(eva: Screen) -> None:
    """Fill in the fields of the form, without sending it."""
    for index in range(5):
        await eva.card.get_by_label(f"Field {index}").fill(str(index))


async def check(team: Team, requests: list[dict[str, Any]]) -> None:
    """See that each request was answered as intended."""
    choice, answer, two, five = [(await team.ada.get(request["id"]))["answer"] for request in requests]
    assert choice["values"] == {"flight": "Early"}
    assert (answer["decision"], two["decision"], two["note"]) == ("approve", "deny", "Not now")
    assert five["values"] == {f"f{index}": str(index) for index in range(5)}


@requirement("J3")
async def test_each_task_takes_as_many_keys_as_documented(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    requests = await ask_four(team, thread)
    eva = await screen("/", team=team, before=stop_the_clock)
    await expect(eva.page.locator("askback-place-inbox .row")).to_have_count(4)
    await eva.page.keyboard.press("j")
    await expect(eva.card.locator("[aria-keyshortcuts='1']")).to_be_visible()
    await press(eva, "1")
    await expect(eva.card).to_contain_text("make one")
    await press(eva, "a")
    await expect(eva.card).to_contain_text("make two")
    await press(eva, "n")
    await eva.page.keyboard.type("Not now")
    await press(eva, "Tab", "Enter")
    await fill_five_fields(eva)
    await press(eva, "Enter")
    await expect(eva.page.get_by_text("Answered: Details")).to_be_visible()
    await press(eva, "g", "h")
    await expect(eva.page.get_by_role("heading", name="History", level=1)).to_be_focused()
    await press(eva, "/")
    await expect(eva.page.get_by_label("Search by title, agent or conversation")).to_be_focused()
    await check(team, requests)


async def test_each_task_takes_as_many_clicks_as_documented(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    requests = await ask_four(team, thread)
    eva = await screen(f"/inbox/{requests[0]['id']}", team=team, before=stop_the_clock)
    await eva.button("Early").click()
    await expect(eva.card).to_contain_text("make one")
    await press(eva)
    await eva.button("Allow once").click()
    await expect(eva.card).to_contain_text("make two")
    await press(eva)
    await eva.card.get_by_role("button", name="Add a note").click()
    await eva.page.keyboard.type("Not now")
    await eva.button("Deny").click()
    await fill_five_fields(eva)
    await eva.button("Submit").click()
    await expect(eva.page.get_by_text("Answered: Details")).to_be_visible()
    await eva.page.get_by_role("link", name="History").click()
    await eva.page.get_by_label("Search by title, agent or conversation").click()
    await check(team, requests)
