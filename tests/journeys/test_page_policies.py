"""The page explains how the policies of a thread handle messages and queued requests."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from tests.journeys.browser import OpenScreen, Screen, form, place_of
from tests.journeys.people import Team, request_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

FIRST = "Please answer the question above to continue"
NOT_SENT_TEXT = "not sent yet"
ARCHIVED = "This conversation is archived. You can still read it."
SIZES = form(
    {
        "type": "select",
        "label": "Size",
        "allow_other": True,
        "options": [{"value": "s", "label": "Small"}, {"value": "l", "label": "Large"}, "XL", "xl"],
    },
    title="Which size?",
)


def form_with_title(title: str) -> dict[str, Any]:
    return form({"type": "text", "max_length": 9}, title=title)


async def open_guided_page(
    screen: OpenScreen, team: Team, thread: str, free_text: str, **extra: Any
) -> Screen:
    """Somebody at the page of a thread with a policy for what people write."""
    await team.admin.set_policy(thread_id=thread, free_text=free_text)
    return await screen(place_of(thread), team=team, **extra)


def composer_note(shown_screen: Screen) -> Any:
    """The text above the composer, or in its place."""
    return shown_screen.page.locator("askback-thread #note")


def announcements(shown_screen: Screen) -> Any:
    """The announcements for screen readers."""
    return shown_screen.page.locator("askback-thread [role=status]")


def texts(shown_screen: Screen) -> Any:
    """What was said in the conversation."""
    return shown_screen.page.locator("askback-thread .text")


async def send(shown_screen: Screen, text: str) -> None:
    await shown_screen.composer.fill(text)
    await shown_screen.page.keyboard.press("Enter")


@requirement("M9")
async def test_a_queued_request_names_its_predecessor_and_becomes_active_in_turn(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    line = {"exclusive_key": "plan", "on_conflict": "queue"}
    first_request = request_of(await team.agent.ask(thread, form_with_title("First"), **line))
    second_request = request_of(await team.agent.ask(thread, form_with_title("Second"), **line))
    eva = await screen(place_of(thread), team=team)
    third_request = request_of(await team.agent.ask(thread, form_with_title("Third"), **line))
    single_screen = await screen(f"/r/{second_request['id']}", team=team)
    await expect(eva.card.nth(1)).to_contain_text("After “First”")
    await expect(eva.card.nth(2)).to_contain_text("After “Second”")
    await expect(single_screen.card).to_contain_text("After the question before it")
    await expect(eva.card.get_by_role("textbox")).to_have_count(1)
    assert await eva.violations() == []
    await team.ada.answer(first_request["id"], {"q0": "one"})
    await expect(announcements(eva)).to_have_text("New question: Second")
    for item in (eva.card.nth(1), single_screen.card):
        await expect(item.get_by_role("textbox")).to_be_enabled()
    await eva.card.nth(1).get_by_role("textbox").fill("two")
    await eva.page.keyboard.press("Enter")
    await expect(single_screen.card.locator("summary")).to_contain_text("two")
    await expect(eva.card.nth(2).get_by_role("textbox")).to_be_enabled()
    assert "queued_behind" not in await team.agent.get(third_request["id"])


@requirement("D21")
async def test_if_the_question_has_priority_the_composer_says_so_and_keeps_its_text(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.ask(thread, form_with_title("First?")))
    eva = await open_guided_page(screen, team, thread, "block_input")
    eva.expect_errors("status of 409")
    await expect(composer_note(eva)).to_contain_text(FIRST)
    await send(eva, "hello")
    await expect(eva.page.locator("askback-thread .trouble")).to_have_text(FIRST)
    await expect(eva.composer).to_have_value("hello")
    assert await eva.violations() == []
    await eva.page.reload()
    await expect(composer_note(eva)).to_contain_text(FIRST)
    await eva.composer.fill("hello")
    await eva.card.get_by_role("textbox").fill("yes")
    await eva.button("Submit").click()
    await expect(composer_note(eva)).to_have_count(0)
    await expect(eva.composer).to_have_value("hello")
    await eva.composer.press("Enter")
    await expect(texts(eva)).to_have_text(["hello"])
    assert (await team.agent.get(request["id"]))["status"] == "answered"


async def test_a_held_message_says_when_it_will_be_sent_and_moves_to_its_position(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.ask(thread, form_with_title("First?")))
    eva = await open_guided_page(screen, team, thread, "queue")
    bob = await screen(place_of(thread), name="Bob", team=team)
    await expect(composer_note(eva)).to_have_text(
        "Your message will be sent once everything above is answered."
    )
    await send(eva, "later")
    for item in (eva, bob):
        await expect(item.page.locator("askback-thread .user .who")).to_contain_text(NOT_SENT_TEXT)
    await expect(eva.composer).to_have_value("")
    await expect(announcements(eva)).to_have_text(
        "Your message will be sent once everything above is answered."
    )
    message = {"content": [{"type": "text", "text": "meanwhile"}]}
    await team.agent.http.post(f"/v1/threads/{thread}/messages", json=message)
    await expect(texts(eva)).to_have_text(["meanwhile", "later"])
    await eva.page.reload()
    await expect(texts(eva)).to_have_text(["meanwhile", "later"])
    assert await eva.violations() == []
    await team.ada.answer(request["id"], {"q0": "yes"})
    for item in (eva, bob):
        await expect(item.page.locator("askback-thread .waits")).to_have_count(0)
        await expect(announcements(item)).to_have_text("Held messages have been sent.")
        await expect(texts(item)).to_have_text(["meanwhile", "later"])
    await expect(composer_note(eva)).to_have_count(0)
    await eva.page.reload()
    await expect(texts(eva)).to_have_text(["meanwhile", "later"])


async def test_the_composer_names_the_requests_that_a_message_cancels(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request_of(await team.agent.ask(thread, form_with_title("First?")))
    request_of(await team.agent.ask(thread, form_with_title("Second?")))
    eva = await open_guided_page(screen, team, thread, "cancel_pending")
    await expect(composer_note(eva)).to_have_text(
        "If you send a message, the 2 questions above are closed without an answer."
    )
    await eva.card.nth(0).get_by_role("textbox").fill("half")
    await send(eva, "do something else")
    await expect(eva.card.get_by_text("Cancelled: a message was sent instead.")).to_have_count(2)
    await expect(eva.card.nth(0)).to_contain_text("You had entered: half")
    await expect(composer_note(eva)).to_have_count(0)


@requirement("J14")
async def test_a_text_that_is_no_answer_stays_in_the_composer_and_says_why(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.ask(thread, SIZES))
    eva = await open_guided_page(screen, team, thread, "answer")
    await expect(composer_note(eva)).to_have_text("Name one of the options to answer the question above.")
    trouble = eva.page.locator("askback-thread .trouble")
    for text, reason in (
        ("Xl", "matches more than one option"),
        ("maybe later", "does not match any option"),
    ):
        await send(eva, text)
        await expect(trouble).to_contain_text(reason)
        await expect(eva.composer).to_have_value(text)
    assert await eva.violations() == []
    await expect(texts(eva)).to_have_count(0)
    await trouble.get_by_role("button", name="Send as a message").click()
    await expect(texts(eva)).to_have_text(["maybe later"])
    await expect(eva.card.get_by_role("group").first).to_be_visible()
    await send(eva, "small")
    await expect(eva.card.locator("summary")).to_contain_text("Small")
    assert (await team.agent.get(request["id"]))["answer"]["values"] == {"q0": "s"}
    short = request_of(await team.agent.ask(thread, form_with_title("In short?")))
    await expect(composer_note(eva)).to_have_text("Your message answers the question above.")
    await send(eva, "far too long")
    await expect(trouble).to_contain_text("Must be at most 9 characters.")
    await send(eva, "fine")
    await expect(eva.card.nth(1).locator("summary")).to_contain_text("fine")
    assert (await team.agent.get(short["id"]))["status"] == "answered"


@requirement("H9")
async def test_an_archived_thread_is_closed_on_every_page_and_keeps_the_typed_text(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request_of(await team.agent.ask(thread, form_with_title("First?")))
    eva = await screen(place_of(thread), team=team)
    bob = await screen(place_of(thread), name="Bob", team=team)
    await expect(bob.composer).to_be_visible()
    await eva.composer.fill("half a sentence")
    await team.admin.http.post(f"/v1/threads/{thread}/archive")
    await expect(composer_note(eva)).to_contain_text(ARCHIVED)
    await expect(composer_note(eva)).to_be_focused()
    await expect(announcements(bob)).to_have_text(ARCHIVED)
    await expect(composer_note(eva).get_by_label("Your unsent message")).to_have_value("half a sentence")
    await expect(eva.composer).to_have_count(0)
    await expect(eva.card).to_contain_text("Cancelled: the conversation was archived.")
    assert await eva.violations() == []
    await team.admin.http.post(f"/v1/threads/{thread}/unarchive")
    await expect(eva.composer).to_have_value("half a sentence")
    await team.admin.http.post(f"/v1/threads/{thread}/archive")
    await eva.page.reload()
    await expect(composer_note(eva)).to_contain_text(ARCHIVED)
    await expect(eva.composer).to_have_count(0)


async def test_on_a_small_german_screen_all_of_it_has_room(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    line = {"exclusive_key": "plan", "on_conflict": "queue"}
    long = "Donaudampfschifffahrtsgesellschaftskapitän"
    for title in (long, "Und dann?"):
        request_of(await team.agent.ask(thread, form_with_title(title), **line))
    small = {"viewport": {"width": 320, "height": 640}, "color_scheme": "dark", "locale": "de-DE"}
    eva = await open_guided_page(screen, team, thread, "queue", **small)
    await send(eva, "Später " + long)
    await expect(eva.page.locator("askback-thread .user .who")).to_contain_text("noch nicht gesendet")
    await expect(eva.card.nth(1)).to_contain_text(f"Nach „{long}“")
    assert (await eva.width(), await eva.violations()) == (320, [])
    await eva.composer.fill("Noch etwas")
    await team.admin.http.post(f"/v1/threads/{thread}/archive")
    await expect(composer_note(eva)).to_contain_text("Diese Unterhaltung ist archiviert")
    assert (await eva.width(), await eva.violations()) == (320, [])
