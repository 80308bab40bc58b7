"""A chat in a real browser: a reply is stopped, a question answered and a command approved on its page."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, expect

from askback.demo.processes import RunningServer
from tests.chat.conftest import Chat
from tests.chat.fake_endpoint import STOP, FakeEndpoint, call
from tests.journeys.browser import chromium

__all__ = ["chromium"]

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]


async def test_a_reply_is_stopped_and_the_next_message_is_answered(
    chromium: Browser, server: RunningServer, chat: Chat, endpoint: FakeEndpoint
) -> None:
    endpoint.play("Write", ["The beginning", STOP, " and the end."])
    endpoint.play(
        "Which licence?",
        [call("ask_user", question="Which?", options=["MIT", "Apache"])],
        [call("Bash", command="echo MIT > LICENSE")],
        ["It is MIT."],
    )
    with chat.running():
        page = await chromium.new_page(locale="en-GB")
        await page.goto(f"{server.login_url}&next=/t/chat")
        box = page.get_by_role("textbox", name="Your message")
        stop = page.get_by_role("button", name="Stop", exact=True)
        await box.fill("Write")
        await box.press("Enter")
        await expect(page.get_by_text("The beginning", exact=True)).to_be_visible()
        await stop.click()
        await expect(page.get_by_role("status").filter(has_text="Stopped.")).to_have_count(1)
        await expect(stop).to_have_count(0)
        await expect(box).to_be_focused()
        await page.keyboard.type("Which licence?")
        await page.keyboard.press("Enter")
        question = page.locator("askback-request").nth(0)
        note = page.get_by_text("A message stops the agent and withdraws the question above.")
        await expect(note).to_be_visible()
        await question.get_by_text("MIT", exact=True).click()
        await question.get_by_role("button", name="Submit").click()
        await expect(question.locator("summary .q")).to_have_text("Which?")
        approval = page.locator("askback-request").nth(1)
        await expect(approval).to_contain_text("echo MIT > LICENSE")
        await expect(stop).to_be_visible()
        await approval.get_by_role("button", name="Allow once").click()
        await approval.get_by_role("button", name="Yes, allow it").click()
        await expect(page.get_by_text("It is MIT.", exact=True)).to_be_visible()
        await expect(stop).to_have_count(0)
        await expect(page.get_by_text("and the end", exact=False)).to_have_count(0)
        await page.context.close()
    assert (chat.folder / "LICENSE").read_text() == "MIT\n"
