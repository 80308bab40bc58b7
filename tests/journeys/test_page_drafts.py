"""Typed text is never lost: after a reload, a closed tab, a server outage, a dead network."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Locator, Page, Route, expect

from askback import AsyncClient
from tests.journeys.browser import ANSWER, OpenScreen, Posts, Screen, Wire, answer_of, form, place_of
from tests.journeys.conftest import Server
from tests.journeys.people import Team, request_of
from tests.journeys.relay import Relay
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

TRIP: dict[str, Any] = form(
    {"type": "text", "label": "Town"},
    {"type": "radio", "label": "By", "options": ["Train", "Ship"], "allow_other": True},
    {"type": "boolean", "label": "Return"},
    {"type": "textarea", "label": "Wishes"},
)
RESTORED = "Your draft was restored from this device."
STALE = "Connection lost. This may have been answered already."


async def stored_keys(eva: Screen) -> list[str]:
    """The keys of the browser's storage."""
    return await eva.page.evaluate(
        "Object.keys(localStorage).filter((key) => key.startsWith('askback.draft/'))"
    )


@requirement("J8")
@pytest.mark.parametrize("page", ["/t", "/r"])
async def test_a_typed_value_of_a_form_survives_a_reload_and_is_erased_with_the_answer(
    screen: OpenScreen, agent: AsyncClient, thread: str, page: str
) -> None:
    request = await agent.requests.create(TRIP, thread_id=thread)
    eva = await screen(place_of(thread) if page == "/t" else f"/r/{request.id}")
    await eva.card.get_by_label("Town").fill("Oslo, perh")
    await eva.card.get_by_label("Other").check()
    await eva.card.get_by_label("Your own answer").fill("Bicycle")
    await eva.card.get_by_label("Return").check()
    await expect(eva.card.get_by_text(RESTORED)).to_have_count(0)
    await eva.page.reload()
    await expect(eva.card.get_by_label("Town")).to_have_value("Oslo, perh")
    await expect(eva.card.get_by_label("Your own answer")).to_have_value("Bicycle")
    await expect(eva.card.get_by_label("Return")).to_be_checked()
    await expect(eva.card.get_by_text(RESTORED)).to_be_visible()
    assert await eva.violations() == []
    await eva.button("Submit").click()
    assert await answer_of(agent, request) == {"q0": "Oslo, perh", "q1": "Bicycle", "q2": True}
    await expect(eva.card.locator("summary")).to_be_visible()
    assert await stored_keys(eva) == []


@requirement("J8")
async def test_a_typed_message_survives_a_reload_until_it_is_sent(screen: OpenScreen, thread: str) -> None:
    eva = await screen(place_of(thread))
    await eva.composer.fill("Can you explain the opt")
    await eva.page.reload()
    await expect(eva.composer).to_have_value("Can you explain the opt")
    await eva.composer.press("End")
    await eva.composer.press_sequentially("ions?")
    await eva.composer.press("Enter")
    await expect(eva.page.get_by_text("Can you explain the options?")).to_be_visible()
    await expect(eva.composer).to_have_value("")
    await eva.page.reload()
    await expect(eva.page.get_by_text("Can you explain the options?")).to_be_visible()
    await expect(eva.composer).to_have_value("")


@requirement("J8")
async def test_a_note_for_an_approval_survives_a_reload_and_is_erased_with_the_decision(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.bash(thread, "make deploy"))
    eva = await screen(place_of(thread), team=team)
    await eva.button("Add a note").click()
    await eva.card.get_by_label("Note for the agent").fill("Not before noon.")
    await eva.page.reload()
    await expect(eva.card.get_by_label("Note for the agent")).to_have_value("Not before noon.")
    await eva.button("Deny").click()
    await expect(eva.card).to_contain_text("Denied by Eva")
    assert (await team.ada.get(request["id"]))["answer"]["note"] == "Not before noon."
    assert await stored_keys(eva) == []


@requirement("J8", "B16")
async def test_an_edited_call_survives_a_reload_and_is_erased_with_the_decision(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.bash(thread, "make deploy", allow_edit=True))
    eva = await screen(place_of(thread), team=team)
    await eva.button("Edit").click()
    await eva.card.get_by_label("Command, as it will run").fill("make deploy TARGET=staging")
    await eva.page.reload()
    await expect(eva.card.get_by_label("Command, as it will run")).to_have_value("make deploy TARGET=staging")
    await eva.button("Discard changes").click()
    await eva.page.reload()
    await expect(eva.button("Edit")).to_be_visible()
    await eva.button("Edit").click()
    await eva.card.get_by_label("Command, as it will run").fill("make deploy TARGET=test")
    await eva.page.reload()
    await eva.button("Allow once").click()
    await expect(eva.card).to_contain_text("make deploy TARGET=test")
    answer = (await team.ada.get(request["id"]))["answer"]
    assert answer["edited_input"] == {"command": "make deploy TARGET=test"}
    assert await stored_keys(eva) == []


@requirement("J8")
async def test_no_draft_of_a_sensitive_field_is_stored(screen: OpenScreen, team: Team, thread: str) -> None:
    fields = [
        {"id": "host", "type": "text", "label": "Host"},
        {"id": "word", "type": "text", "label": "Password", "sensitive": True},
        {"id": "kind", "type": "radio", "label": "Kind", "options": ["Mine", "Yours"], "sensitive": True},
    ]
    request_of(await team.agent.ask(thread, {"fields": fields}))
    eva = await screen(place_of(thread), team=team)
    await eva.card.get_by_label("Password").fill("hunter2")
    await eva.card.get_by_label("Yours").check()
    await eva.card.get_by_label("Host").fill("smtp.example.com")
    stored = await eva.page.evaluate("JSON.stringify({...localStorage, ...sessionStorage})")
    assert "smtp.example.com" in stored
    assert "hunter2" not in stored
    assert "Yours" not in stored
    await eva.page.reload()
    await expect(eva.card.get_by_label("Host")).to_have_value("smtp.example.com")
    await expect(eva.card.get_by_label("Password")).to_have_value("")
    await expect(eva.card.get_by_label("Yours")).not_to_be_checked()


@requirement("J8")
async def test_not_on_this_device_erases_everything_and_keeps_nothing_more(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    await agent.requests.create(TRIP, thread_id=thread)
    eva = await screen(place_of(thread))
    await eva.composer.fill("a message")
    await eva.card.get_by_label("Town").fill("Oslo")
    await eva.page.reload()
    await eva.button("Not on this device").click()
    await expect(eva.card.get_by_text("What you type is no longer kept on this device.")).to_be_visible()
    await expect(eva.card.get_by_label("Town")).to_have_value("Oslo")
    assert await stored_keys(eva) == []
    await eva.card.get_by_label("Town").fill("Bergen")
    assert await stored_keys(eva) == []
    await eva.page.reload()
    await expect(eva.card.get_by_label("Town")).to_have_value("")


@requirement("J8")
async def test_drafts_are_erased_at_sign_out_and_private_to_their_person(
    screen: OpenScreen, agent: AsyncClient, thread: str, server: Server
) -> None:
    await agent.requests.create(TRIP, thread_id=thread)
    eva = await screen(place_of(thread))
    await eva.card.get_by_label("Town").fill("Oslo")
    async with server.person("admin") as admin:
        link = await admin.login_link("Bob")
    await eva.page.goto(f"{link}&next={place_of(thread)}")
    await eva.page.get_by_role("button", name="Use this link").click()
    await expect(eva.page.locator("#me")).to_have_text("Bob")
    await expect(eva.card.get_by_label("Town")).to_have_value("")
    assert len(await stored_keys(eva)) == 1
    await eva.page.get_by_role("button", name="Sign out").click()
    await eva.page.wait_for_url("**/login**")
    assert await stored_keys(eva) == []


@requirement("J8")
async def test_tabs_keep_the_last_entry_of_each_field_and_do_not_change_the_typed_values_of_another(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    await agent.requests.create(TRIP, thread_id=thread)
    eva = await screen(place_of(thread))
    page = await eva.context.new_page()
    await page.goto(eva.origin + place_of(thread))
    other = page.locator("askback-request")
    await eva.card.get_by_label("Town").fill("Oslo")
    await eva.card.get_by_label("Wishes").fill("A window")
    await other.get_by_label("Town").fill("Bergen")
    await expect(eva.card.get_by_label("Town")).to_have_value("Oslo")
    await eva.page.reload()
    await expect(eva.card.get_by_label("Town")).to_have_value("Bergen")
    await expect(eva.card.get_by_label("Wishes")).to_have_value("A window")


@requirement("J8")
async def test_a_message_that_one_tab_sends_leaves_the_box_of_another_with_the_same_text(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    await agent.say("Hello", thread_id=thread)
    eva = await screen(place_of(thread))
    await eva.composer.fill("Go on")
    tab = await eva.context.new_page()
    await tab.goto(eva.origin + place_of(thread))
    other_composer = tab.locator("askback-thread .composer textarea")
    await expect(other_composer).to_have_value("Go on")
    await other_composer.press("Enter")
    await eva.page.bring_to_front()
    await expect(eva.composer).to_have_value("")
    await eva.composer.fill("And hurry")
    await other_composer.fill("Slowly")
    await eva.composer.fill("And then stop")
    await other_composer.press("Enter")
    await expect(other_composer).to_have_value("")
    await expect(eva.composer).to_have_value("And then stop")
    await eva.page.reload()
    await expect(eva.composer).to_have_value("And then stop")


@requirement("J8", "C18")
async def test_a_message_whose_reply_was_lost_leaves_the_box_when_it_is_shown(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    await agent.say("Hello", thread_id=thread)
    wire = Wire()
    wire.losing_events = True

    async def lose_reply(route: Route) -> None:
        await route.fetch()
        await route.abort()

    async def before(page: Page) -> None:
        await page.route("**/messages", lose_reply)
        await wire.watch(page)

    eva = await screen(place_of(thread), before=before)
    eva.expect_errors("ERR_FAILED")
    await eva.composer.fill("Go on")
    await eva.composer.press("Enter")
    await expect(eva.page.get_by_text("Couldn't send. Your message is still here.")).to_be_visible()
    wire.losing_events = False
    await wire.cut()
    await expect(eva.page.get_by_text("Go on", exact=True)).to_be_visible()
    await expect(eva.composer).to_have_value("")
    await expect(eva.page.get_by_text("Couldn't send. Your message is still here.")).to_have_count(0)
    assert await stored_keys(eva) == []


@requirement("J8", "F14")
async def test_a_draft_typed_after_a_second_question_survives_a_reload(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(TRIP, thread_id=thread, validator="requester")
    eva = await screen(place_of(thread))
    await eva.card.get_by_label("Town").fill("Oslo")
    await eva.button("Submit").click()
    await expect(eva.card.locator("[type=submit]")).to_have_text("Checking…")
    await agent.requests.reprompt(request.id, field_errors={"q0": "Not in winter."})
    await expect(eva.card.get_by_role("alert")).to_contain_text("Not in winter.")
    await eva.card.get_by_label("Town").fill("Rome")
    await eva.page.reload()
    await expect(eva.card.get_by_label("Town")).to_have_value("Rome")


@requirement("J8", "C18")
async def test_an_unsent_answer_can_be_discarded_or_changed(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(TRIP, thread_id=thread)
    posts = Posts()
    posts.refuse = 503
    eva = await screen(place_of(thread), before=posts.watch)
    eva.expect_errors("status of 503")
    await eva.card.get_by_label("Town").fill("Oslo")
    await eva.button("Submit").click()
    await expect(eva.card.get_by_role("alert")).to_contain_text("Waiting to be sent: Oslo")
    assert await eva.violations() == []
    await eva.button("Discard").click()
    await expect(eva.card.get_by_role("alert")).to_have_count(0)
    assert [name for name in await stored_keys(eva) if "unsent" in name] == []
    await expect(eva.card.get_by_label("Town")).to_have_value("Oslo")
    await eva.button("Submit").click()
    await expect(eva.button("Discard")).to_be_visible()
    await eva.card.get_by_label("Town").fill("Rome")
    await expect(eva.button("Discard")).to_have_count(0)
    posts.refuse = None
    await eva.button("Submit").click()
    assert await answer_of(agent, request) == {"q0": "Rome", "q2": False}


@requirement("J8", "C18")
async def test_an_unsent_answer_is_sent_by_the_next_page_and_a_decision_is_not(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    question = request_of(await team.agent.ask(thread, TRIP))
    call = request_of(await team.agent.bash(thread, "make test"))
    posts = Posts()
    posts.refuse = 503
    eva = await screen(f"/inbox/{call['id']}", team=team, before=posts.watch)
    eva.expect_errors("status of 503")
    await eva.button("Allow once").click()
    await expect(eva.card.get_by_role("alert")).to_contain_text("Waiting to be sent: Allow once")
    await eva.go(f"/inbox/{question['id']}")
    await eva.card.get_by_label("Town").fill("Oslo")
    await eva.button("Submit").click()
    await expect(eva.card.get_by_role("alert")).to_contain_text("Waiting to be sent: Oslo")
    sent_stored_secret = set(posts.keys)
    posts.refuse = None
    await eva.go("/history")
    await expect(eva.page.get_by_role("link", name="A question")).to_be_visible()
    assert (await team.ada.get(question["id"]))["answer"]["values"] == {"q0": "Oslo", "q2": False}
    assert (await team.ada.get(call["id"]))["status"] == "pending"
    assert set(posts.keys) == sent_stored_secret
    await expect(eva.page.locator("#link")).to_have_text("Connected")
    assert await stored_keys(eva) == []


def stale_notice(eva: Screen) -> Locator:
    return eva.card.get_by_text(STALE)


@requirement("G4", "C18")
async def test_a_silent_network_failure_is_detected_in_35_seconds_and_the_form_is_sent_afterwards(
    screen: OpenScreen, agent: AsyncClient, thread: str, server: Server
) -> None:
    request = await agent.requests.create(TRIP, thread_id=thread)
    relay = Relay(server.url)
    url = await relay.open()
    try:
        eva = await screen("/t/empty", target=Server(url, server.login_url, server.data))
        eva.expect_errors("ERR_", "WebSocket")
        await eva.page.clock.install()
        await eva.go(place_of(thread))
        await expect(eva.link).to_have_text("Connected")
        await eva.card.get_by_label("Town").fill("Oslo")
        relay.freeze()
        await eva.page.clock.run_for(35_000)
        await expect(eva.link).to_have_text("Connection lost. Trying again…")
        await expect(stale_notice(eva)).to_be_visible()
        await expect(eva.page.get_by_text("Connection lost. Trying again…")).to_have_count(1)
        await expect(eva.link).to_be_in_viewport()
        assert await eva.violations() == []
        # The clock of the timeout starts with the request, after the key was read from IndexedDB.
        async with eva.page.expect_request(ANSWER):
            await eva.button("Submit").click()
        await eva.page.clock.run_for(20_000)
        await expect(eva.card.get_by_role("alert")).to_contain_text("Waiting to be sent: Oslo")
        relay.thaw()
        await eva.page.clock.resume()
        assert await answer_of(agent, request) == {"q0": "Oslo", "q2": False}
        await expect(eva.card.locator("summary")).to_contain_text("Oslo")
        await expect(eva.card).not_to_contain_text("not used")
        await expect(stale_notice(eva)).to_have_count(0)
    finally:
        relay.thaw()
        await relay.close()
