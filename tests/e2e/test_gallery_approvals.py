"""Every state of an approval shows the call, the choices, and the outcome."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenGallery
from tests.e2e.gallery import Gallery
from tests.requirements import requirement

pytestmark = pytest.mark.e2e

RECEIPTS = {
    "once": "Allowed once by Eva · Run: git push origin main",
    "always": "Always allowed by Eva",
    "denied": "“Wait for the review.”",
    "edited": "Allowed once by Eva",
    "revoked": "Revoked by Ada, did not run · Run: git push origin main",
    "policy-yes": "Allowed by rule bash(ls:*) · bash: ls -la src",
    "policy-no": "Denied by the policy · bash: rm -rf /",
    "plan-approved": "Plan approved by Eva, edits without asking",
}
ENDED = {"expired": "nobody answered in time", "declined": "Refused by Eva"}
SILENT = {
    "voted": "You approved this.",
    "assigned": "Waiting for Ada, Bob.",
    "readonly": "Interactive mode disabled",
}


def decision(gallery: Gallery) -> dict[str, Any]:
    """The only sent decision, without the members that every decision has."""
    (attempt,) = gallery.sent
    assert attempt["action"] == "answer"
    body = {name: value for name, value in attempt["body"].items() if value is not None}
    assert (body.pop("revision"), body.pop("digest")) == (1, "0" * 64)
    return body


@requirement("J6")
@pytest.mark.parametrize(("example", "text"), RECEIPTS.items())
def test_a_decided_approval_is_one_line_that_opens_to_the_call(
    open_gallery: OpenGallery, example: str, text: str
) -> None:
    card = open_gallery(f"approval-{example}").card
    expect(card.locator("summary")).to_contain_text(text)
    expect(card.locator(".given")).to_be_hidden()
    card.locator("summary").click()
    expect(card.locator(".given")).to_be_visible()
    expect(card.get_by_role("button")).to_have_count(0)


@requirement("J6")
@pytest.mark.parametrize(("example", "text"), ENDED.items())
def test_an_approval_that_nobody_decided_says_how_it_ended(
    open_gallery: OpenGallery, example: str, text: str
) -> None:
    card = open_gallery(f"approval-{example}").card
    expect(card).to_contain_text("git push origin main")
    expect(card).to_contain_text(text)


@pytest.mark.parametrize(("example", "text"), SILENT.items())
def test_a_person_without_a_choice_sees_the_call_and_the_reason(
    open_gallery: OpenGallery, example: str, text: str
) -> None:
    card = open_gallery(f"approval-{example}").card
    expect(card.locator("pre")).to_be_visible()
    expect(card).to_contain_text(text)
    expect(card.get_by_role("button")).to_have_count(0)


def test_texts_of_the_agent_are_separated_from_texts_of_the_server(open_gallery: OpenGallery) -> None:
    card = open_gallery("approval-folder").card
    expect(card.locator(".kicker")).to_have_text("Run this command? The agent says:")
    expect(card.get_by_role("heading")).to_have_text("Publish version 4.2")
    expect(card.locator(".box")).to_contain_text("It deletes folders and everything in them.")
    expect(card.locator(".risk")).to_have_text("rm -rf")
    expect(card.locator(".says")).to_contain_text("The agent says")
    expect(card.locator(".says")).to_contain_text("Tests passed on commit 3f9c2ab.")
    expect(card.locator(".why li")).to_have_text(
        ['No rule allows rm -rf build && make deploy ENV=prod # "today".']
    )
    card = open_gallery("approval-danger").card
    expect(card.get_by_role("heading")).to_have_text("Run this command?")
    expect(card.locator(".box")).to_contain_text("The agent says: The folders cannot be restored.")


@requirement("B16")
def test_an_input_of_another_type_is_not_sent(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("approval-json")
    gallery.card.get_by_role("button", name="Edit").click()
    box = gallery.card.get_by_label("Input, as JSON")
    expect(box).to_be_focused()
    box.fill('{"title": ')
    gallery.card.get_by_role("button", name="Allow once").click()
    wrong = "Enter JSON of the same type as the current input."
    expect(box).to_have_accessible_description(wrong)
    box.fill('[{"title": "Off by two"}]')
    expect(box).not_to_have_accessible_description(wrong)
    gallery.card.get_by_role("button", name="Allow once").click()
    expect(box).to_have_accessible_description(wrong)
    assert gallery.sent == []
    box.fill('{"title": "Off by two"}')
    gallery.card.get_by_role("button", name="Allow once").click()
    expect(gallery.card.locator("summary")).to_be_visible()
    sent = decision(gallery)
    assert sent == {"decision": "approve", "scope": "once", "edited_input": {"title": "Off by two"}}


@requirement("B14", "B16")
def test_the_editor_shows_hidden_characters(open_gallery: OpenGallery) -> None:
    card = open_gallery("approval-edit").card
    card.get_by_role("button", name="Edit").click()
    card.get_by_label("Command, as it will run").fill("cat notes\u202etxt.exe")
    expect(card.locator("pre .esc")).to_have_text("\\u202e")
    card.get_by_role("button", name="Discard changes").click()
    expect(card.locator("pre")).to_have_text("npm install left-pad\n")


def test_unchanged_values_are_not_sent(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("approval-command")
    gallery.card.get_by_role("button", name="More choices").click()
    gallery.card.get_by_role("button", name="Always allow…").click()
    gallery.card.get_by_role("button", name="Always allow", exact=True).click()
    expect(gallery.card.locator("summary")).to_contain_text("Always allowed by You")
    assert decision(gallery) == {"decision": "approve", "scope": "always"}


@requirement("J7")
def test_a_decision_is_sent_once_however_often_it_is_pressed(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("approval-sending")
    allow_button = gallery.card.get_by_role("button", name="Allow once")
    expect(allow_button).not_to_have_attribute("aria-disabled", "true")
    for _ in range(5):
        allow_button.dispatch_event("click")
    gallery.card.get_by_role("button", name="Deny").dispatch_event("click")
    expect(allow_button).to_have_attribute("aria-disabled", "true")
    assert len(gallery.sent) == 1


@requirement("J2")
def test_a_dialog_opens_on_deny_and_escape_leaves_it_open(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("approval-modal")
    expect(gallery.card.locator("dialog:modal")).to_contain_text("1 of 3")
    assert gallery.focused() == "deny"
    for _ in range(3):
        gallery.page.keyboard.press("Escape")
    expect(gallery.card.locator("dialog:modal")).to_be_visible()
    assert gallery.sent == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_the_dialog(open_gallery: OpenGallery, axe_source: str, theme: str) -> None:
    gallery = open_gallery("approval-modal", theme=theme, width=320)
    expect(gallery.card.locator("dialog:modal")).to_be_visible()
    gallery.page.evaluate(axe_source)
    result = gallery.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    assert [broken["id"] for broken in result["violations"]] == []
    assert gallery.page.evaluate("document.documentElement.scrollWidth") == 320
