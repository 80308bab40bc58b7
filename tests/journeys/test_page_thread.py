"""The conversation in the real page: order, place, streaming, arrivals, the inbox."""

from __future__ import annotations

import json
import random
from typing import Any

import anyio
import pytest
from playwright.async_api import Route, expect

from askback import AsyncClient
from tests.journeys.browser import OpenScreen, Screen, Wire, answer_of, form, place_of
from tests.journeys.people import Person, Team, request_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]


def form_with_title(title: str) -> dict[str, Any]:
    return form({"type": "text"}, title=title)


async def shown_order(shown_screen: Screen) -> list[str]:
    """What the conversation shows, from top to bottom: texts, names of tools, titles of questions."""
    return await shown_screen.page.locator(
        "askback-thread .text, askback-thread .tool code, askback-request .title"
    ).all_inner_texts()


def tool(name: str) -> dict[str, Any]:
    return {"type": "tool", "tool_call_id": f"call-{name}", "name": name}


@requirement("A19", "J1")
async def test_two_forms_stand_at_the_tool_calls_that_asked(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    eva = await screen(place_of(thread))
    await agent.threads.create_message(
        [{"type": "text", "text": "First"}, tool("one")], thread_id=thread, run_id="r1"
    )
    await agent.threads.create_message(
        [{"type": "text", "text": "Second"}, tool("two")], thread_id=thread, run_id="r2"
    )
    await agent.requests.create(
        form_with_title("For two"), thread_id=thread, run_id="r2", tool_call_id="call-two"
    )
    await agent.requests.create(
        form_with_title("For one"), thread_id=thread, run_id="r1", tool_call_id="call-one"
    )
    await agent.say("Last", thread_id=thread)
    await expect(eva.page.get_by_text("Last", exact=True)).to_be_visible()
    expected = ["First", "one", "For one", "Second", "two", "For two", "Last"]
    assert await shown_order(eva) == expected
    await eva.page.reload()
    await expect(eva.page.get_by_text("Last", exact=True)).to_be_visible()
    assert await shown_order(eva) == expected


@requirement("A19", "F29", "J1")
async def test_two_forms_of_one_tool_call_keep_their_order(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    eva = await screen(place_of(thread))
    await agent.threads.create_message([tool("ask")], thread_id=thread)
    first_request = await agent.requests.create(
        form_with_title("One"), thread_id=thread, tool_call_id="call-ask"
    )
    await agent.requests.create(form_with_title("Two"), thread_id=thread, tool_call_id="call-ask")
    await agent.say("Last", thread_id=thread)
    await expect(eva.page.get_by_text("Last", exact=True)).to_be_visible()
    assert await shown_order(eva) == ["ask", "One", "Two", "Last"]
    await eva.card.nth(0).get_by_role("textbox").fill("1")
    await eva.page.keyboard.press("Enter")
    assert await answer_of(agent, first_request) == {"q0": "1"}
    for _ in ("live", "reloaded"):
        await expect(eva.card.nth(0).locator("summary .q")).to_have_text("One")
        await expect(eva.card.nth(1).locator(".title")).to_have_text("Two")
        await eva.page.reload()


async def test_a_message_appears_while_it_is_written(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    eva = await screen(place_of(thread))
    await expect(eva.page.get_by_text("There is no conversation")).to_be_visible()
    text_locator = eva.page.locator("askback-thread .text")
    async with agent.stream(thread) as out:
        await out.write("The sea ")
        await expect(text_locator).to_have_text("The sea ")
        await out.write("comes and ")
        await expect(text_locator).to_have_text("The sea comes and ")
        await out.write("goes.")
        await expect(text_locator).to_have_text("The sea comes and goes.")
    await eva.page.reload()
    await expect(text_locator).to_have_text("The sea comes and goes.")


async def test_a_message_of_a_person_reaches_the_agent(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    eva = await screen(place_of(thread))
    await eva.composer.fill("one")
    await eva.page.keyboard.press("Shift+Enter")
    await eva.page.keyboard.type("two")
    await eva.page.keyboard.press("Enter")
    await expect(eva.page.locator("askback-thread .text")).to_have_text("one\ntwo")
    await expect(eva.composer).to_have_value("")
    [message] = (await agent.threads.get(thread))["messages"]
    assert (message["role"], message["author"]["name"]) == ("user", "Eva")
    assert message["content"] == [{"type": "text", "text": "one\ntwo"}]


async def test_messages_sent_in_quick_succession_keep_their_order(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    eva = await screen(place_of(thread))
    on_its_way, received_event = anyio.Event(), anyio.Event()

    async def hold_first_message(route: Route) -> None:
        on_its_way.set()
        await received_event.wait()
        await route.continue_()

    await eva.page.route("**/messages", hold_first_message)
    for text in ("first", "second"):
        await eva.composer.fill(text)
        await eva.page.keyboard.press("Enter")
        await on_its_way.wait()
    received_event.set()
    await expect(eva.page.locator("askback-thread .text")).to_have_text(["first", "second"])
    await expect(eva.composer).to_have_value("")


async def test_a_question_that_arrives_leaves_the_caret_where_it_is(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    eva = await screen(place_of(thread))
    await eva.composer.click()
    await eva.page.keyboard.type("half a ")
    await agent.requests.create(form_with_title("Something else"), thread_id=thread)
    await expect(eva.card).to_be_visible()
    await expect(eva.page.locator("askback-thread [role=status]")).to_have_text(
        "New question: Something else"
    )
    await eva.page.keyboard.type("sentence")
    await expect(eva.composer).to_have_value("half a sentence")


@requirement("G4")
@pytest.mark.parametrize("page", ["/t", "/r"])
async def test_a_page_reloaded_in_the_middle_is_live_and_can_answer(
    screen: OpenScreen, agent: AsyncClient, thread: str, page: str
) -> None:
    request = await agent.requests.create(form_with_title("Still there?"), thread_id=thread)
    eva = await screen(place_of(thread) if page == "/t" else f"/r/{request.id}")
    await expect(eva.card.get_by_role("textbox")).to_be_visible()
    await eva.page.reload()
    await eva.card.get_by_role("textbox").fill("yes")
    await eva.button("Submit").click()
    assert await answer_of(agent, request) == {"q0": "yes"}
    await expect(eva.card.locator("summary")).to_contain_text("Answered by Eva")


@requirement("G5")
async def test_events_doubled_and_out_of_order_draw_the_same_page(
    screen: OpenScreen, agent: AsyncClient, ada: Person, thread: str
) -> None:
    chance, held_frames = random.Random(3), list[str]()

    def shuffle(frame: str) -> list[str]:
        """Hold three events, or up to the last, then let them go twice each and in any order.

        The page requests missing events, so that there may be more events than happened.
        """
        if "event" not in json.loads(frame):
            return [frame]
        held_frames.append(frame)
        if len(held_frames) < 3 and "End" not in frame:
            return []
        out = held_frames * 2
        held_frames.clear()
        chance.shuffle(out)
        return out

    eva = await screen(place_of(thread), before=Wire(shuffle).watch)
    await expect(eva.page.get_by_text("There is no conversation")).to_be_visible()
    async with agent.stream(thread) as out:
        for word in ("a ", "b ", "c "):
            await out.write(word)
    requests = [
        await agent.requests.create(form_with_title(f"Question {index}"), thread_id=thread)
        for index in range(3)
    ]
    for request in requests[:2]:
        await ada.answer(request.id, {"q0": "done"})
    await agent.say("End", thread_id=thread)
    await expect(eva.page.get_by_text("End", exact=True)).to_be_visible()
    await expect(eva.page.locator("askback-thread .text")).to_have_text(["a b c ", "End"])
    await expect(eva.card.locator("summary .q")).to_have_text(["Question 0", "Question 1"])
    await expect(eva.card.locator(".title")).to_have_text(["Question 2"])


async def test_the_inbox_counts_open_requests_and_links_to_them(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    eva = await screen("/", team=team)
    await expect(eva.link).to_have_text("Connected")
    await team.agent.ask(thread, form_with_title("The first"))
    request = (await team.agent.ask(thread, form_with_title("The second"))).json()
    await expect(eva.page.locator("askback-place-inbox .about")).to_have_text("2 open")
    await expect(eva.page).to_have_title("(2) Inbox – askback")
    row = eva.page.get_by_role("link", name="The second")
    await row.click()
    await expect(eva.page).to_have_url(f"{eva.origin}/inbox/{request['id']}")
    await eva.card.get_by_role("textbox").fill("done")
    await eva.page.keyboard.press("Enter")
    await expect(row).to_have_count(0)
    await expect(eva.page).to_have_title("(1) The first – askback")
    assert (await team.ada.get(request["id"]))["answer"]["values"] == {"q0": "done"}
    await eva.go(f"/r/{request['id']}")
    await eva.page.get_by_role("link", name="Inbox", exact=True).click()
    await expect(eva.page.get_by_role("heading", name="Inbox")).to_be_visible()
    await expect(row).to_have_count(0)


async def test_the_page_shows_the_title_of_the_conversation_and_follows_it(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    eva = await screen(place_of(thread))
    heading = eva.page.get_by_role("heading", level=1)
    await expect(heading).to_have_text(f"Conversation {thread}")
    await agent.threads.update(thread, title="Größe & <b>Farbe</b>")
    await expect(heading).to_have_text("Größe & <b>Farbe</b>")
    await expect(eva.page).to_have_title("Größe & <b>Farbe</b> – askback")
    await eva.page.reload()
    await expect(heading).to_have_text("Größe & <b>Farbe</b>")
    await agent.threads.update(thread, title=None)
    await expect(heading).to_have_text(f"Conversation {thread}")


async def test_the_page_of_a_request_names_its_conversation_as_the_inbox_does(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    unknown = f"chat-{'0123abcd' * 4}"
    requests = {
        item: request_of(await team.agent.ask(item, form_with_title("Which one?")))
        for item in (thread, unknown)
    }
    page_path = f"/r/{requests[thread]['id']}"
    eva = await screen(page_path, team=team)
    link = eva.page.locator("main > p > #thread")
    await expect(link).to_have_text(thread)
    await team.agent.http.patch(f"/v1/threads/{thread}", json={"title": "Größe & <b>Farbe</b>"})
    await eva.page.reload()
    await expect(link).to_have_text("Größe & <b>Farbe</b>")
    await expect(link).to_have_attribute("href", place_of(thread))
    await expect(eva.card.locator("#asker")).not_to_contain_text(thread)
    await eva.go(f"/r/{requests[unknown]['id']}")
    await expect(link).to_have_text(f"Conversation with {requests[unknown]['requester']['name']}")
    await eva.go(f"/r/{requests[unknown]['id']}?lang=de")
    await expect(link).to_have_text(f"Unterhaltung mit {requests[unknown]['requester']['name']}")


async def test_a_tool_call_that_a_person_denied_is_shown_as_denied_and_not_as_failed(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    call = {**tool("deploy"), "status": "calling"}
    written = await agent.threads.create_message([call], thread_id=thread, agent="Researcher")
    eva = await screen(place_of(thread))
    async with anyio.create_task_group() as tasks:

        async def ask() -> None:
            decision = await agent.approve(
                "deploy", {"to": "live"}, thread_id=thread, tool_call_id=call["tool_call_id"]
            )
            await agent.threads.update_tool_call(
                written, call["tool_call_id"], thread_id=thread, status="failed", result=decision.text
            )

        tasks.start_soon(ask)
        summary = eva.page.locator("askback-thread .tool summary")
        await expect(summary).to_have_text("deploywaiting for a person")
        await eva.card.get_by_role("button", name="Deny", exact=True).click()
    await expect(summary).to_have_text("deploydenied")


async def test_a_tool_call_whose_approval_was_cancelled_is_shown_as_not_run(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    call = {**tool("deploy"), "status": "calling"}
    call_id = call["tool_call_id"]
    written = await agent.threads.create_message([call], thread_id=thread, agent="Researcher")
    eva = await screen(place_of(thread))
    asked = await agent.approve("deploy", {"to": "live"}, thread_id=thread, tool_call_id=call_id, wait=False)
    summary = eva.page.locator("askback-thread .tool summary")
    await expect(summary).to_have_text("deploywaiting for a person")
    assert asked.request is not None
    await agent.requests.cancel(asked.request)
    await agent.threads.update_tool_call(written, call_id, thread_id=thread, status="failed")
    await expect(summary).to_have_text("deploynot run")


@requirement("A19")
async def test_a_message_grows_in_order_and_its_tool_call_changes_in_place(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    eva = await screen(place_of(thread))
    written = await agent.threads.create_message(
        [{"type": "text", "text": "Before. "}], thread_id=thread, agent="Researcher"
    )
    call = {**tool("search"), "status": "calling", "input": {"q": "tides"}}
    await agent.threads.append_parts(written, [call], thread_id=thread)
    shown_element = eva.page.locator("askback-thread .tool")
    await expect(shown_element.locator("summary")).to_have_text("searchrunning")
    await agent.threads.update_tool_call(written, "call-search", thread_id=thread, status="waiting")
    await expect(shown_element.locator("summary")).to_have_text("searchwaiting for a person")
    request = await agent.requests.create(form_with_title("Which tides?"), thread_id=thread)
    await agent.threads.append_parts(
        written, [{"type": "request", "request_id": request.id}], thread_id=thread
    )
    await agent.threads.append_to_message(written, "After.", thread_id=thread)
    await eva.card.get_by_role("textbox").fill("Spring tides")
    await agent.threads.update_tool_call(
        written, "call-search", thread_id=thread, status="done", result={"found": 3}, duration_ms=1_240
    )
    await expect(shown_element.locator("summary")).to_have_text("searchdone1.2 s")
    await expect(eva.card.get_by_role("textbox")).to_have_value("Spring tides")
    expected = ["Before. ", "search", "Which tides?", "After."]
    assert await shown_order(eva) == expected
    await expect(eva.page.locator(".who").first).to_contain_text("Researcher")
    assert await eva.violations() == []
    await eva.page.reload()
    await expect(shown_element.locator("summary")).to_have_text("searchdone1.2 s")
    assert await shown_order(eva) == expected
    await shown_element.locator("summary").click()
    await expect(shown_element.get_by_label("Result")).to_contain_text("found")


@requirement("D7")
async def test_an_answer_and_a_skip_are_shown_as_messages_after_their_cards(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    await agent.threads.update(thread, answers_as_messages=True)
    eva = await screen(place_of(thread))
    await agent.requests.create(form_with_title("One"), thread_id=thread)
    await agent.requests.create(form({"type": "text"}, title="Two", allow_skip=True), thread_id=thread)
    await eva.card.nth(0).get_by_role("textbox").fill("Blue")
    await eva.page.keyboard.press("Enter")
    await eva.card.nth(1).get_by_role("button", name="Skip").click()
    messages = eva.page.locator("askback-thread .text")
    for _ in ("live", "reloaded"):
        await expect(messages).to_have_text(["Blue", "[Skipped]"])
        await eva.page.reload()
