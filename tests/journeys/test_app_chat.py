"""A conversation as a chat, in the application and on its light page."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from playwright.async_api import Page, expect

from askback import AsyncClient
from tests.journeys.browser import OpenScreen, answer_of, form, place_of
from tests.journeys.people import Team
from tests.journeys.talking import MARKDOWN, ask, message_texts, say, text, tool
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]


@requirement("J1")
async def test_messages_are_grouped_and_the_own_stand_on_the_other_side(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    for words in ("One", "Two"):
        await say(team.agent, thread, text(words), agent={"name": "planner"})
    await say(team.bob, thread, text("I am Bob"))
    eva = await screen(f"/conversations/{thread}", team=team)
    await eva.composer.fill("I am *Eva*")
    await eva.page.keyboard.press("Enter")
    await expect(message_texts(eva)).to_have_text(["One", "Two", "I am Bob", "I am *Eva*"])
    heads = eva.page.locator("askback-thread .who")
    await expect(heads).to_have_count(3)
    await expect(heads.nth(0)).to_contain_text("planner")
    await expect(heads.nth(1)).to_have_text("bob")
    await expect(eva.page.locator("askback-thread .own .text")).to_have_text("I am *Eva*")
    await expect(eva.page.locator("askback-thread .head time").first).to_be_visible()


@requirement("A19")
async def test_tool_calls_of_a_step_are_one_line_that_shows_each_with_its_result(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    message = await say(team.agent, thread, text("Working"), tool("read", "c1", status="calling"))
    eva = await screen(f"/conversations/{thread}", team=team)
    await expect(eva.page.locator("askback-thread .tool summary")).to_have_text("readrunning")
    more = [
        tool("edit", "c2", status="calling"),
        tool("read", "c3", status="calling", input={"path": "a.py"}),
    ]
    address = f"/v1/threads/{thread}/messages"
    await team.agent.http.post(address, json={"append_to": message, "content": more})
    step = eva.page.locator("askback-thread .tools")
    await expect(step.locator("> summary")).to_have_text("Running 3 tool calls: read, edit")
    for call_id, state in (("c1", "done"), ("c2", "failed"), ("c3", "done")):
        change = {"tool_call_id": call_id, "status": state, "duration_ms": 400, "result": {"call": call_id}}
        await team.agent.http.patch(f"{address}/{message}", json=change)
    await expect(step.locator("> summary")).to_have_text("3 tool calls: read, edit1 failed1.2 s")
    await expect(step.locator(".tool")).to_have_count(3)
    await expect(step.locator(".tool").nth(0)).not_to_be_visible()
    await step.locator("> summary").click()
    await step.locator(".tool").nth(2).locator("summary").click()
    await expect(step.locator(".tool").nth(2).get_by_label("Result")).to_contain_text("c3")
    await expect(step.locator(".tool").nth(1).locator("summary")).to_have_text("editfailed0.4 s")


@requirement("I4")
async def test_markdown_is_drawn_from_the_tree_of_the_server_and_code_is_copied(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    await say(team.agent, thread, text(MARKDOWN))
    permissions = ["clipboard-read", "clipboard-write"]
    eva = await screen(f"/conversations/{thread}", team=team, permissions=permissions)
    texts = message_texts(eva)
    await expect(texts.locator("strong")).to_have_text("care")
    await expect(texts.locator("td")).to_have_text(["a.py", "12"])
    await expect(texts.locator("pre .keyword").first).to_have_text("def")
    await expect(texts.get_by_role("link", name="Docs")).to_have_attribute("href", "https://example.org")
    await expect(texts.locator("img")).to_have_count(0)
    await say(team.agent, thread, text("3. three\n4. four"))
    await expect(eva.page.locator("askback-thread ol[start='3'] li")).to_have_text(["three", "four"])
    await texts.get_by_role("button", name="Copy").click()
    await expect(texts.get_by_role("button", name="Copied")).to_be_visible()
    copied = await eva.page.evaluate("navigator.clipboard.readText()")
    assert copied == 'def main() -> None:  # hello\n    print("x")'


@requirement("I4")
async def test_an_image_of_another_server_is_a_link_and_is_not_loaded(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    remote = {"type": "image", "url": "https://pictures.example/x.png?data=secret", "alt": "Sales"}
    pixel = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="
    own = {"type": "image", "url": pixel, "alt": "Own"}
    await say(team.agent, thread, remote, own)
    requested = list[str]()

    async def record_requests(page: Page) -> None:
        page.on("request", lambda request: requested.append(request.url))

    eva = await screen(f"/conversations/{thread}", team=team, before=record_requests)
    link = eva.page.get_by_role("link", name="Open the image on pictures.example: Sales")
    await expect(link).to_have_attribute("href", remote["url"])
    await expect(link).to_have_attribute("rel", "noopener noreferrer")
    await expect(eva.page.locator("askback-thread img")).to_have_attribute("src", pixel)
    assert [url for url in requested if "pictures.example" in url] == []


@requirement("G5")
async def test_a_streamed_text_never_loses_its_shown_part(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    eva = await screen(place_of(thread))
    await expect(eva.page.get_by_text("There is no conversation")).to_be_visible()
    await eva.page.evaluate(
        """() => {
          window.lengths = [];
          const root = document.querySelector("askback-thread").shadowRoot;
          new MutationObserver(() => {
            window.raw ||= root.querySelector(".text")?.textContent.match(/[*|]/);
            const words = root.querySelector(".text")?.textContent.replace(/[*\\s]/g, "") ?? "";
            window.lengths.push(words.length);
          }).observe(root, {childList: true, characterData: true, subtree: true});
        }"""
    )
    async with agent.stream(thread) as out:
        for index in range(12):
            await out.write(f"This is **sentence {index}")
            await out.write("** of it.\n\n")
        await out.write("| a | b |\n|---")
        await out.write("|---|\n| 1 | 2")
        await out.write(" |")
    await expect(message_texts(eva).locator("td")).to_have_text(["1", "2"])
    await expect(message_texts(eva).locator("strong")).to_have_count(12)
    lengths: Sequence[int] = await eva.page.evaluate("window.lengths")
    assert list(lengths) == sorted(lengths)
    assert await eva.page.evaluate("window.raw") is None


PANE = """document.querySelector("askback-app").shadowRoot
  .querySelector("askback-place-conversations").shadowRoot.querySelector(".detail")"""
SCROLL_UP = f"""() => {{
  const pane = {PANE};
  pane.scrollTop = (pane.scrollHeight - pane.clientHeight) / 2;
  visualViewport.dispatchEvent(new Event("resize"));
}}"""
"""Scroll while the window changes: then `resize` comes before `scroll`."""
SCROLL_UP_A_LITTLE = f"{PANE}.scrollBy(0, -60)"
SCROLL_TO_ABOVE_THE_CARD = f"""() => {{
  const pane = {PANE};
  const card = pane.querySelector("askback-thread").shadowRoot.querySelector("askback-request");
  pane.scrollTop += card.getBoundingClientRect().top - innerHeight;
}}"""


async def position_of(page: Page, words: str) -> float:
    """Return the position of a message in the window."""
    box = await page.get_by_text(words, exact=True).bounding_box()
    assert box is not None
    return box["y"]


@requirement("G4")
async def test_a_reader_above_keeps_the_position_and_sees_a_count_of_new_messages(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    for index in range(40):
        await say(team.agent, thread, text(f"Message {index}"))
    eva = await screen(f"/conversations/{thread}", team=team)
    await expect(eva.page.get_by_text("Message 39", exact=True)).to_be_in_viewport()
    await say(team.agent, thread, text("Message 40"))
    await expect(eva.page.get_by_text("Message 40", exact=True)).to_be_in_viewport()
    await eva.page.evaluate(SCROLL_UP_A_LITTLE)
    await say(team.agent, thread, text("Message 41"))
    await eva.page.get_by_role("button", name="1 new message").click()
    await eva.page.evaluate(SCROLL_UP)
    middle = eva.page.get_by_text("Message 20", exact=True)
    await expect(middle).to_be_in_viewport()
    before = await position_of(eva.page, "Message 20")
    for index in (42, 43, 44):
        await say(team.agent, thread, text(f"Message {index}"))
    await expect(eva.page.get_by_role("button", name="3 new messages")).to_be_visible()
    assert await position_of(eva.page, "Message 20") == pytest.approx(before, abs=1)
    await eva.page.get_by_role("button", name="3 new messages").click()
    await expect(eva.page.get_by_text("Message 44", exact=True)).to_be_in_viewport()
    await expect(eva.page.get_by_role("button", name="3 new messages")).to_have_count(0)


@requirement("J5")
async def test_a_button_jumps_to_the_open_question(screen: OpenScreen, team: Team, thread: str) -> None:
    request = await ask(team.agent, thread, "Which tides?")
    for index in range(40):
        await say(team.agent, thread, text(f"Message {index}"))
    eva = await screen(f"/conversations/{thread}", team=team)
    await expect(eva.card.get_by_role("textbox")).to_have_count(1)
    await eva.composer.focus()
    await eva.page.evaluate(SCROLL_UP)
    button = eva.page.get_by_role("button", name="1 question is waiting")
    await button.click()
    await expect(eva.card.get_by_role("textbox")).to_be_in_viewport()
    await expect(button).to_have_count(0)
    bar = await eva.page.locator(".detail > .bar").bounding_box()
    who = await eva.page.locator("li:has(askback-request) .who").bounding_box()
    assert bar is not None
    assert who is not None
    assert who["y"] >= bar["y"] + bar["height"]
    await eva.card.get_by_role("textbox").fill("Spring tides")
    await eva.page.keyboard.press("Enter")
    await expect(eva.card.locator("summary .q")).to_have_text("Which tides?")
    assert (await team.ada.get(request))["status"] == "answered"


@requirement("J5")
async def test_no_button_for_a_question_that_is_visible_or_for_others(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    for _ in range(2):
        for index in range(30):
            await say(team.agent, thread, text(f"Message {index}"))
        await ask(team.agent, thread, "Which tides?")
    eva = await screen(f"/conversations/{thread}", team=team)
    button = eva.page.get_by_role("button", name="2 questions are waiting")
    await expect(eva.card.nth(1)).to_be_in_viewport()
    await expect(button).to_have_count(0)
    await eva.page.evaluate(SCROLL_TO_ABOVE_THE_CARD)
    await expect(button).to_be_visible()
    await eva.page.set_viewport_size({"width": 1280, "height": 1000})
    await expect(eva.card.first).to_be_in_viewport(ratio=0.1)
    await expect(button).to_have_count(0)
    await eva.page.evaluate(SCROLL_TO_ABOVE_THE_CARD)
    await expect(button).to_be_visible()
    access = {"owner": team.bob.id, "others": "view"}
    await team.agent.http.put(f"/v1/threads/{thread}/access", json=access)
    await expect(button).to_have_count(0)


async def test_earlier_messages_load_without_moving_the_read_text(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    for index in range(80):
        await say(team.agent, thread, text(f"Message {index}"))
    eva = await screen(f"/conversations/{thread}", team=team)
    await expect(eva.page.get_by_text("Message 79", exact=True)).to_be_in_viewport()
    await expect(message_texts(eva)).to_have_count(60)
    await eva.page.get_by_text("Message 22", exact=True).scroll_into_view_if_needed()
    await expect(message_texts(eva)).to_have_count(80)
    await expect(eva.page.get_by_text("Message 22", exact=True)).to_be_in_viewport()
    await expect(eva.page.get_by_role("button", name="Show earlier messages")).to_have_count(0)


@requirement("J8")
async def test_the_composer_stays_visible_explains_its_effect_and_keeps_its_draft(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    for index in range(30):
        await say(team.agent, thread, text(f"Message {index}"))
    await ask(team.agent, thread, "Which tides?")
    await say(team.agent, f"{thread}-other", text("Elsewhere"))
    eva = await screen(f"/conversations/{thread}", team=team)
    await expect(eva.page.get_by_text("A message does not answer the question above.")).to_be_visible()
    await eva.page.evaluate(SCROLL_UP)
    await expect(eva.composer).to_be_in_viewport()
    await eva.composer.fill("half a\nsentence")
    await eva.page.goto(f"{eva.origin}/conversations/{thread}-other")
    await expect(message_texts(eva)).to_have_text("Elsewhere")
    await eva.page.go_back()
    await expect(eva.composer).to_have_value("half a\nsentence")


@requirement("A19", "J1")
async def test_the_same_conversation_is_on_the_light_page(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    await agent.threads.create_message([text("**Bold** words")], thread_id=thread, agent="planner")
    request = await agent.requests.create(form({"type": "text"}, title="Which tides?"), thread_id=thread)
    eva = await screen(place_of(thread))
    await expect(message_texts(eva).locator("strong")).to_have_text("Bold")
    await eva.card.get_by_role("textbox").fill("Neap tides")
    await eva.page.keyboard.press("Enter")
    assert await answer_of(agent, request) == {"q0": "Neap tides"}
    await expect(eva.card.locator("summary .q")).to_have_text("Which tides?")
