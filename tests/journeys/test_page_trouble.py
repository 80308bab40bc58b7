"""Slow, failing and lost connections in the real page: nothing is sent twice, nothing typed is lost."""

from __future__ import annotations

import re
import signal
from pathlib import Path
from typing import Any

import anyio
import pytest
from playwright.async_api import expect

from askback import AsyncClient
from tests.journeys.browser import OpenScreen, Posts, Wire, answer_of, form, place_of
from tests.journeys.conftest import start
from tests.journeys.people import Person
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

NAME: dict[str, Any] = form({"type": "text", "label": "Name"}, {"type": "radio", "options": ["A", "B"]})
NOT_SENT = "Couldn't send. Your answer is still here."


@requirement("C17", "J7")
async def test_five_clicks_while_sending_send_once(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(NAME, thread_id=thread)
    posts = Posts()
    eva = await screen(place_of(thread), before=posts.watch)
    await eva.card.get_by_label("Name").fill("tides")
    posts.hold()
    submit = eva.card.locator("[type=submit]")
    for _ in range(5):
        await submit.dispatch_event("click")
    await expect(submit).to_have_text("Sending…")
    await expect(submit).to_be_disabled()
    await expect(eva.card.get_by_label("Name")).to_be_disabled()
    await eva.button("Cancel").dispatch_event("click")
    await eva.page.keyboard.press("Control+Enter")
    posts.let_go()
    assert await answer_of(agent, request) == {"q0": "tides"}
    await expect(eva.card.locator("summary")).to_contain_text("tides")
    await expect(eva.card.locator("form")).to_have_count(0)
    assert len(posts.keys) == 1


@requirement("J7", "C17")
async def test_a_503_gives_the_form_back_as_it_was(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(NAME, thread_id=thread)
    posts = Posts()
    eva = await screen(place_of(thread), before=posts.watch)
    eva.expect_errors("status of 503")
    await eva.card.get_by_label("Name").fill("tides")
    await eva.card.get_by_label("B", exact=True).check()
    posts.refuse = 503
    await eva.button("Submit").click()
    await expect(eva.card.get_by_role("alert")).to_contain_text(NOT_SENT)
    await expect(eva.button("Submit")).to_be_enabled()
    await expect(eva.card.get_by_label("Name")).to_have_value("tides")
    await expect(eva.card.get_by_label("Name")).to_be_editable()
    await expect(eva.card.get_by_label("B", exact=True)).to_be_checked()
    await eva.button("Send now").click()
    await expect(eva.button("Send now")).to_be_visible()
    posts.refuse = None
    assert await answer_of(agent, request) == {"q0": "tides", "q1": "B"}
    await expect(eva.card.locator("summary")).to_be_visible()
    assert len(set(posts.keys)) == 1


@requirement("C17", "J7")
async def test_without_a_network_it_is_kept_and_sent_again_under_the_same_key(
    screen: OpenScreen, agent: AsyncClient, ada: Person, thread: str
) -> None:
    request = await agent.requests.create(NAME, thread_id=thread)
    posts = Posts()
    eva = await screen(place_of(thread), before=posts.watch)
    eva.expect_errors("ERR_INTERNET_DISCONNECTED")
    await eva.card.get_by_label("Name").fill("tides")
    await eva.context.set_offline(True)
    await eva.button("Submit").click()
    await expect(eva.card.get_by_role("alert")).to_contain_text(NOT_SENT)
    await expect(eva.card.get_by_label("Name")).to_have_value("tides")
    await expect(eva.card.get_by_role("alert")).to_contain_text("Waiting to be sent: tides")
    await eva.context.set_offline(False)
    assert await answer_of(agent, request) == {"q0": "tides"}
    await expect(eva.card.locator("summary")).to_contain_text("tides")
    assert len(set(posts.keys)) == 1
    assert [event["type"] async for event in ada.events(thread, until=2)] == [
        "request.created",
        "request.answered",
    ]


@requirement("J7", "M4")
async def test_an_answer_whose_reply_was_lost_is_not_sent_twice(
    screen: OpenScreen, agent: AsyncClient, ada: Person, thread: str
) -> None:
    request = await agent.requests.create(NAME, thread_id=thread)
    posts, wire = Posts(), Wire()

    async def lose_reply(page: Any) -> None:
        await posts.watch(page)
        await wire.watch(page)

    eva = await screen(place_of(thread), before=lose_reply)
    eva.expect_errors("ERR_FAILED")
    await eva.card.get_by_label("Name").fill("tides")
    wire.drops_frames = True
    posts.lose_reply = True
    await eva.button("Submit").click()
    await expect(eva.card.get_by_role("alert")).to_contain_text(NOT_SENT)
    assert await answer_of(agent, request) == {"q0": "tides"}
    posts.lose_reply = False
    await expect(eva.card.locator("summary")).to_contain_text("Answered by Eva")
    await expect(eva.card).not_to_contain_text("Somebody else answered first")
    assert len(posts.keys) > 1
    assert len(set(posts.keys)) == 1
    assert (await agent.threads.get(thread))["seq"] == 2


@requirement("G4", "G7", "H8")
@pytest.mark.parametrize("page", ["/t", "/r"])
async def test_the_page_outlives_the_death_of_the_server(
    screen: OpenScreen, tmp_path: Path, page: str
) -> None:
    process, server = start(tmp_path)
    try:
        async with server.client() as agent:
            request = await agent.requests.create(NAME, thread_id="t1")
            eva = await screen("/t/t1" if page == "/t" else f"/r/{request.id}", target=server)
            eva.expect_errors("ERR_", "WebSocket connection")
            await eva.card.get_by_label("Name").fill("half a na")
            process.send_signal(signal.SIGKILL)
            process.wait()
            await expect(eva.link).to_have_text("Connection lost. Trying again…")
            await eva.card.get_by_label("Name").press_sequentially("me")
            await eva.button("Submit").click()
            await expect(eva.card.get_by_role("alert")).to_contain_text(NOT_SENT)
            process, _ = start(tmp_path, port=int(server.url.rsplit(":", 1)[1]))
            await expect(eva.link).to_have_text("Connected")
            if page == "/t":
                await agent.say("I am back", thread_id="t1")
                await expect(eva.page.get_by_text("I am back")).to_be_visible()
            assert await answer_of(agent, request) == {"q0": "half a name"}
            await expect(eva.card.locator("summary")).to_contain_text("half a name")
    finally:
        process.kill()
        process.wait()


@requirement("G4")
async def test_events_missed_during_a_lost_connection_are_caught_up(
    screen: OpenScreen, agent: AsyncClient, ada: Person, thread: str
) -> None:
    first_request = await agent.requests.create(form({"type": "text"}, title="First"), thread_id=thread)
    wire = Wire()
    eva = await screen(place_of(thread), before=wire.watch)
    await expect(eva.card.locator(".title")).to_have_text("First")
    wire.drops_frames = True
    await ada.answer(first_request.id, {"q0": "meanwhile"})
    await agent.requests.create(form({"type": "text"}, title="Second"), thread_id=thread)
    wire.drops_frames = False
    await wire.cut()
    await expect(eva.card.locator("summary")).to_contain_text("meanwhile")
    await expect(eva.card.locator(".title")).to_have_text("Second")


async def test_a_kind_that_the_page_does_not_know_can_be_dismissed(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(NAME, thread_id=thread)
    wire = Wire(lambda frame: [re.sub(r'"kind": ?"form"', '"kind":"hologram"', frame)])
    eva = await screen(place_of(thread), before=wire.watch)
    await expect(eva.card).to_contain_text("Unknown widget type — update your client")
    await expect(eva.card.locator("input")).to_have_count(0)
    await eva.button("Dismiss").click()
    with anyio.fail_after(120):
        ended_request = await agent.wait(request)
    assert (ended_request.status, ended_request.reason) == ("declined", "dismissed")
    await expect(eva.card).to_contain_text("Dismissed by Eva")


async def test_an_unsent_message_stays_marked_until_it_is_changed_or_sent(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(NAME, thread_id=thread)
    eva = await screen(place_of(thread))
    eva.expect_errors("ERR_INTERNET_DISCONNECTED")
    await eva.composer.fill("hello")
    await eva.context.set_offline(True)
    await eva.page.keyboard.press("Enter")
    failed = eva.page.locator("askback-thread .trouble[role=alert]")
    await expect(failed).to_have_text("Couldn't send. Your message is still here.")
    await eva.context.set_offline(False)
    await agent.requests.cancel(request.id)
    await expect(eva.card).to_contain_text("the agent no longer needs this")
    await expect(failed).to_have_text("Couldn't send. Your message is still here.")
    await eva.page.get_by_role("button", name="Send", exact=True).click()
    await expect(eva.page.locator("askback-thread .text")).to_have_text(["hello"])
    await expect(failed).to_be_empty()


COUNT_LISTENERS = """async () => {
  const listeners = new Set();
  const client = {
    link: "online",
    addEventListener: (_, listener) => listeners.add(listener),
    removeEventListener: (_, listener) => listeners.delete(listener),
  };
  const counts = [];
  const card = Object.assign(document.createElement("askback-request"), { client });
  for (let turn = 0; turn < 2; turn++) {
    document.body.append(card);
    await card.updateComplete;
    counts.push(listeners.size);
    card.remove();
    counts.push(listeners.size);
  }
  return counts;
}"""


@requirement("G4")
async def test_a_card_that_is_taken_off_the_page_no_longer_listens_to_the_connection(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    await agent.requests.create(NAME, thread_id=thread)
    eva = await screen(place_of(thread))
    await expect(eva.card.get_by_label("Name")).to_be_visible()
    assert await eva.page.evaluate(COUNT_LISTENERS) == [1, 0, 1, 0]
