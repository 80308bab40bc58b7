"""Incoming events do not change the person's text, focus or scroll position."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from askback import AsyncClient, InputRequest
from tests.journeys.browser import OpenScreen, answer_of, form, place_of
from tests.journeys.people import Team, request_of

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

_MESSAGES = "**/v1/threads/*/messages"
_TOP = """(card) => new Promise((resolve) =>
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(card.getBoundingClientRect().top))))"""
"""The place of a card once the page is painted."""


def tool(name: str) -> dict[str, str]:
    return {"type": "tool", "tool_call_id": f"call-{name}", "name": name}


async def test_a_question_keeps_the_typed_values_when_its_tool_call_comes_later(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(form({"type": "text"}), thread_id=thread, tool_call_id="call-late")
    await agent.say("Meanwhile", thread_id=thread)
    eva = await screen(place_of(thread))
    box = eva.card.get_by_role("textbox")
    await box.press_sequentially("half a sentence")
    await box.press("ArrowLeft")
    await agent.threads.create_message([tool("late")], thread_id=thread)
    await expect(eva.page.locator("li .parts > [data-id^=tool] + div askback-request")).to_be_visible()
    await expect(box).to_have_value("half a sentence")
    assert await eva.focused() == "f0"
    await box.press_sequentially("!")
    await box.press("Enter")
    assert await answer_of(agent, request) == {"q0": "half a sentenc!e"}


async def test_text_typed_while_a_message_is_being_sent_is_sent_only_when_it_is_submitted(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    eva = await screen(place_of(thread))
    await eva.composer.fill("One")
    async with eva.page.expect_request(_MESSAGES):
        await eva.page.evaluate(
            """() => {
                const box = document.querySelector("askback-thread").shadowRoot.querySelector("textarea");
                const press = () =>
                  box.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", cancelable: true}));
                const type = (text) => {
                  box.value += text;
                  box.dispatchEvent(new Event("input"));
                };
                press();
                press();
                type(" and two");
                press();
                type(" and three");
            }"""
        )
    await expect(eva.page.locator("askback-thread .text")).to_have_text(["One", "and two"])
    await expect(eva.composer).to_have_value(" and three")


async def test_a_card_stays_where_somebody_types_or_points_while_others_end_and_arrive(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    asked_requests = [
        await agent.requests.create(form({"type": "text"}, title=f"Card {index}"), thread_id=thread)
        for index in range(8)
    ]
    eva = await screen(place_of(thread))
    card, receipts = eva.card.nth(6), eva.card.locator(".plain, summary")

    async def ends_elsewhere(*requests: InputRequest) -> None:
        so_far = await receipts.count()
        for request in requests:
            await agent.requests.cancel(request)
        await expect(receipts).to_have_count(so_far + len(requests))

    await card.get_by_role("textbox").fill("typed")
    before = await card.evaluate(_TOP)
    await ends_elsewhere(*asked_requests[:2])
    assert await card.evaluate(_TOP) == pytest.approx(before, abs=1)
    await eva.composer.focus()
    await card.get_by_role("button", name="Submit").hover()
    before = await card.evaluate(_TOP)
    await agent.requests.create(form({"type": "text"}), thread_id=thread)
    await expect(eva.card).to_have_count(9)
    await ends_elsewhere(asked_requests[2], asked_requests[5])
    assert await card.evaluate(_TOP) == pytest.approx(before, abs=1)


async def test_a_long_form_is_shown_from_its_beginning(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    for line in range(30):
        await agent.say(f"Line {line}", thread_id=thread)
    eva = await screen(place_of(thread))
    await expect(eva.composer).to_be_in_viewport()
    await agent.requests.create(form(*[{"type": "text"}] * 40), thread_id=thread)
    for _ in ("live", "reloaded"):
        await expect(eva.card.get_by_role("heading")).to_be_in_viewport()
        await expect(eva.card.get_by_label("Question 0", exact=True)).to_be_in_viewport()
        await eva.page.reload()


async def test_an_answer_leaves_the_focus_on_its_receipt_and_the_page_reads_along(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    await agent.requests.create(form({"type": "text"}), thread_id=thread)
    eva = await screen(place_of(thread))
    await eva.card.get_by_role("textbox").fill("Done")
    await eva.page.keyboard.press("Enter")
    await expect(eva.card.locator("summary")).to_be_focused()
    for line in range(40):
        await agent.say(f"Line {line}", thread_id=thread)
    await expect(eva.page.get_by_text("Line 39")).to_be_in_viewport()


async def test_the_other_button_focuses_its_text_box(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    field = {"type": "select", "widget": "buttons", "options": ["A", "B"], "allow_other": True}
    request = await agent.requests.create(form(field), thread_id=thread)
    eva = await screen(place_of(thread))
    await eva.button("Other").click()
    await expect(eva.card.get_by_role("textbox")).to_be_focused()
    await eva.page.keyboard.type("C")
    await eva.page.keyboard.press("Enter")
    assert await answer_of(agent, request) == {"q0": "C"}


async def test_an_option_unticked_under_a_filter_keeps_its_position(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    options = [f"Option {index}" for index in range(30)]
    await agent.requests.create(form({"type": "multiselect", "options": options}), thread_id=thread)
    eva = await screen(place_of(thread))
    await eva.card.get_by_label("Option 7", exact=True).check()
    await eva.card.get_by_role("searchbox").fill("Option 29")
    await eva.card.get_by_label("Option 7", exact=True).focus()
    await eva.page.keyboard.press("Space")
    await expect(eva.card.get_by_label("Option 7", exact=True)).not_to_be_checked()
    assert await eva.focused() == "f0-7"


async def test_the_focus_in_the_inbox_stays_when_others_leave_and_come(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    async def ask(name: str) -> str:
        fields = [{"id": "q", "type": "text", "label": "Q"}]
        return request_of(await team.agent.ask(thread, {"title": f"{thread} {name}", "fields": fields}))["id"]

    requests = [await ask(name) for name in ("low", "middle", "top")]
    eva = await screen("/", team=team)
    link = eva.page.get_by_role("link", name=f"{thread} low")
    await link.focus()
    await team.ada.decline(requests[1], "dismissed")
    await expect(eva.page.get_by_role("link", name=f"{thread} middle")).to_have_count(0)
    await expect(link).to_be_focused()
    await ask("new")
    await expect(eva.page.get_by_role("link", name=f"{thread} new")).to_be_visible()
    await expect(link).to_be_focused()
