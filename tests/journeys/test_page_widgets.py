"""Each widget in the real page: the agent gets the person's choice."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from askback import AsyncClient
from tests.journeys.browser import OpenScreen, Posts, answer_of, form, place_of
from tests.journeys.people import Person
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

THREE = ["Alpha", "Beta", "Gamma"]


@requirement("A1", "A5")
async def test_a_double_click_on_a_button_answers_once(
    screen: OpenScreen, agent: AsyncClient, ada: Person, thread: str
) -> None:
    request = await agent.requests.create(
        form({"type": "select", "widget": "buttons", "options": THREE}), thread_id=thread
    )
    posts = Posts()
    eva = await screen(place_of(thread), before=posts.watch)
    await eva.button("Beta").dblclick(delay=5)
    assert await answer_of(agent, request) == {"q0": "Beta"}
    await expect(eva.card.locator("summary")).to_contain_text("Beta")
    assert len(posts.keys) == 1
    assert [event["type"] async for event in ada.events(thread, until=2)] == [
        "request.created",
        "request.answered",
    ]


@requirement("A1", "A3", "A5")
async def test_two_buttons_pressed_together_send_one_answer(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(
        form({"type": "select", "widget": "confirm", "options": ["Ship", "Hold"]}), thread_id=thread
    )
    posts = Posts()
    eva = await screen(place_of(thread), before=posts.watch)
    await expect(eva.card.locator(".answers button")).to_have_text(["Ship", "Hold"])
    await eva.card.locator(".answers").evaluate("(all) => { for (const b of all.children) b.click(); }")
    assert await answer_of(agent, request) == {"q0": "Ship"}
    await expect(eva.card.locator("summary")).to_contain_text("Ship")
    assert len(posts.keys) == 1


@requirement("A1", "A6")
async def test_a_select_opens_on_its_placeholder_and_waits(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(
        form({"type": "select", "options": THREE, "required": True}), thread_id=thread
    )
    posts = Posts()
    eva = await screen(place_of(thread), before=posts.watch)
    submit = eva.button("Submit")
    await expect(eva.card.locator("option:checked")).to_have_text("Choose…")
    await expect(submit).to_be_disabled()
    await expect(eva.card.get_by_text("Choose an answer first.")).to_be_visible()
    await expect(submit).to_have_accessible_description("Choose an answer first.")
    await submit.dispatch_event("click")
    await eva.card.locator("select").select_option("Gamma")
    await expect(submit).to_be_enabled()
    await expect(eva.card.get_by_text("Choose an answer first.")).to_have_count(0)
    assert posts.keys == []
    await submit.click()
    assert await answer_of(agent, request) == {"q0": "Gamma"}


@requirement("A1", "A7")
async def test_a_radio_list_works_by_arrows_and_enter(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(
        form({"type": "radio", "options": THREE, "required": True}), thread_id=thread
    )
    eva = await screen(place_of(thread))
    await expect(eva.button("Submit")).to_be_disabled()
    tops = await eva.card.get_by_role("radio").evaluate_all(
        "(all) => all.map((e) => e.getBoundingClientRect().y)"
    )
    assert tops == sorted(set(tops)), "the list is vertical"
    await eva.tab_to("f0-0")
    await eva.page.keyboard.press("ArrowDown")
    await eva.page.keyboard.press("ArrowDown")
    await expect(eva.card.get_by_label("Gamma")).to_be_checked()
    await expect(eva.button("Submit")).to_be_enabled()
    await eva.page.keyboard.press("ArrowUp")
    await eva.page.keyboard.press("Enter")
    assert await answer_of(agent, request) == {"q0": "Beta"}


@requirement("A9", "F12")
@pytest.mark.parametrize("kind", ["radio", "select", "buttons"])
async def test_a_default_is_chosen_and_not_answered(
    screen: OpenScreen, agent: AsyncClient, ada: Person, thread: str, kind: str
) -> None:
    field: dict[str, Any] = {"type": "radio", "options": THREE, "default": "Beta"}
    if kind != "radio":
        field |= {"type": "select", "widget": "dropdown" if kind == "select" else "buttons"}
    asked_request = await agent.requests.create(form(field), thread_id=thread)
    posts = Posts()
    eva = await screen(place_of(thread), before=posts.watch)
    chosen_values = {
        "radio": eva.card.locator("input:checked + .what"),
        "select": eva.card.locator("option:checked"),
        "buttons": eva.card.locator(".choice.primary > span"),
    }[kind]
    await expect(chosen_values).to_have_text("Beta")
    assert [request["id"] for request in await ada.pending(thread)] == [asked_request.id]
    assert posts.keys == []
    await (eva.button("Beta") if kind == "buttons" else eva.button("Submit")).click()
    assert await answer_of(agent, asked_request) == {"q0": "Beta"}


@requirement("A10", "C9")
@pytest.mark.parametrize("kind", ["radio", "select", "buttons"])
async def test_own_words_are_sent_and_marked(
    screen: OpenScreen, agent: AsyncClient, ada: Person, thread: str, kind: str
) -> None:
    field: dict[str, Any] = {"type": "radio", "options": THREE, "allow_other": True}
    if kind != "radio":
        field |= {"type": "select", "widget": "dropdown" if kind == "select" else "buttons"}
    request = await agent.requests.create(form(field), thread_id=thread)
    eva = await screen(place_of(thread))
    if kind == "radio":
        await eva.card.get_by_label("Other", exact=True).check()
    elif kind == "select":
        await eva.card.locator("select").select_option("Other")
    else:
        await eva.button("Other").click()
    await expect(eva.button("Submit")).to_be_disabled()
    await eva.card.get_by_label("Your own answer").fill("maybe")
    await eva.button("Submit").click()
    assert await answer_of(agent, request) == {"q0": "maybe"}
    assert (await ada.get(request.id))["answer"]["other"] == {"q0": True}
    await expect(eva.card.locator("summary")).to_contain_text("maybe")


@requirement("C8", "C9", "A8")
async def test_other_adds_to_the_ticks_and_is_never_blank(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(
        form({"type": "multiselect", "options": THREE, "allow_other": True}), thread_id=thread
    )
    posts = Posts()
    eva = await screen(place_of(thread), before=posts.watch)
    for label in ("Gamma", "Beta", "Alpha"):
        await eva.card.get_by_label(label).check()
    await eva.card.get_by_label("Beta").uncheck()
    await eva.card.get_by_label("Other", exact=True).check()
    await expect(eva.button("Submit")).to_be_disabled()
    await expect(eva.button("Submit")).to_have_accessible_description("Write your own answer first.")
    await eva.card.get_by_label("Your own answer").fill("   ")
    await eva.card.locator("form").evaluate("(form) => form.requestSubmit()")
    await expect(eva.card.get_by_role("alert")).to_contain_text("Enter your own answer or select an option.")
    assert posts.keys == []
    await eva.card.get_by_label("Your own answer").fill("x")
    await eva.button("Submit").click()
    assert await answer_of(agent, request) == {"q0": ["Alpha", "Gamma", "x"]}


@requirement("C7")
async def test_a_new_choice_replaces_the_old_one(screen: OpenScreen, agent: AsyncClient, thread: str) -> None:
    request = await agent.requests.create(form({"type": "radio", "options": THREE}), thread_id=thread)
    eva = await screen(place_of(thread))
    await eva.card.get_by_label("Alpha").check()
    await eva.card.get_by_label("Beta").check()
    await expect(eva.card.locator("input:checked")).to_have_count(1)
    await eva.button("Submit").click()
    assert await answer_of(agent, request) == {"q0": "Beta"}


@requirement("C10")
async def test_a_form_of_questions_waits_until_each_is_answered(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    question = {"type": "radio", "options": THREE, "required": True}
    request = await agent.requests.create(form(question, question), thread_id=thread)
    eva = await screen(place_of(thread))
    submit = eva.button("Submit")
    await eva.card.get_by_role("group", name="Question 0").get_by_label("Alpha").check()
    await expect(submit).to_be_disabled()
    await expect(submit).to_have_accessible_description("1 of 2 answered.")
    await eva.card.get_by_role("group", name="Question 1").get_by_label("Beta").check()
    await expect(submit).to_be_enabled()
    await submit.click()
    assert await answer_of(agent, request) == {"q0": "Alpha", "q1": "Beta"}


@requirement("A16", "D17")
async def test_skip_is_there_only_where_it_is_allowed(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    may = await agent.requests.create(form({"type": "text"}, title="May", allow_skip=True), thread_id=thread)
    must = await agent.requests.create(form({"type": "text"}, title="Must"), thread_id=thread)
    eva = await screen(place_of(thread))
    await expect(eva.button("Submit")).to_have_count(2)
    await expect(eva.button("Skip")).to_have_count(1)
    await eva.button("Skip").click()
    ended_request = await agent.wait(may, timeout=120)
    assert (ended_request.status, ended_request.reason, ended_request.answer) == ("declined", "skipped", None)
    await expect(eva.card.first).to_contain_text("Skipped by Eva")
    assert (await agent.requests.get(must.id)).status == "pending"


@requirement("I5", "F19")
async def test_markup_in_texts_of_the_agent_is_shown_as_text(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    markup = "<img src=x onerror=alert(1)>"
    await agent.requests.create(
        form(
            {"label": f"{markup} label", "type": "radio", "options": [f"{markup} option"], "required": True},
            title=f"{markup} title",
            submit_label=f"{markup} send",
            cancel_label="<b>Cancel</b>",
        ),
        thread_id=thread,
        agent=f"{markup} agent",
    )
    eva = await screen(place_of(thread))
    for text in ("label", "option", "title", "send", "agent"):
        await expect(eva.card.get_by_text(f"{markup} {text}", exact=True)).to_be_visible()
    await eva.card.get_by_label(f"{markup} option").check()
    await eva.button(f"{markup} send").click()
    await expect(eva.card.locator("summary")).to_contain_text(f"{markup} option")
    await expect(eva.card.locator("img, b:not(.asker b)")).to_have_count(0)
    assert [address for address in eva.fetched if address.endswith("/x")] == []
