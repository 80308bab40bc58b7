"""Every state of a request is shown in words and with an icon."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenGallery
from tests.requirements import requirement

pytestmark = pytest.mark.e2e

ENDED = {
    "declined-skipped": "Skipped by Eva",
    "declined-dismissed": "Dismissed by Eva",
    "declined-refused": "Ask me tomorrow.",
    "cancelled-agent-aborted": "the agent no longer needs this",
    "cancelled-user-message": "a message was sent instead",
    "cancelled-superseded": "replaced by a newer question",
    "cancelled-thread-archived": "the conversation was archived",
    "cancelled-admin": "by an administrator",
    "cancelled-shutdown": "the agent was shut down",
    "cancelled-not-shown": "it could not be shown",
    "cancelled-failed": "something went wrong",
    "expired": "nobody answered in time",
}


@requirement("J6", "M5")
@pytest.mark.parametrize(("example", "text"), ENDED.items())
def test_an_ended_request_says_how(open_gallery: OpenGallery, example: str, text: str) -> None:
    card = open_gallery(example).card
    expect(card).to_contain_text("Which branch?")
    expect(card).to_contain_text(text)
    expect(card.locator("svg")).to_have_count(1)
    expect(card.locator("input, button, textarea")).to_have_count(0)


@requirement("A17", "F26", "J6")
def test_an_answered_request_is_one_line_that_opens_read_only(open_gallery: OpenGallery) -> None:
    card = open_gallery("answered").card
    expect(card.locator("summary")).to_contain_text("A new project")
    expect(card.locator("summary")).to_contain_text("Answered by Eva")
    expect(card.locator("dl")).to_be_hidden()
    card.locator("summary").click()
    assert [" ".join(text.split()) for text in card.locator("li.chosen").all_inner_texts()] == [
        "Python (chosen)",
        "Tests (chosen)",
        "Documentation (chosen)",
        "Other: EUPL-1.2 (chosen)",
    ]
    expect(card.locator("dd").last).to_have_text("When the sea comes and goes.\nFor three harbours.")
    expect(card.locator("input, select, textarea, button")).to_have_count(0)


@requirement("J6")
def test_a_summary_template_takes_the_place_of_the_values(open_gallery: OpenGallery) -> None:
    card = open_gallery("answered-template").card
    expect(card.locator(".a")).to_have_text("Tides, 4 pages")
    expect(card.locator("details")).to_have_count(0)


@requirement("C17", "J6", "J7")
def test_while_it_is_sent_nothing_can_be_sent_again(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("submitting")
    submit = gallery.card.locator("[type=submit]")
    expect(submit).to_have_text("Sending…")
    for _ in range(5):
        submit.dispatch_event("click")
    gallery.card.get_by_role("button", name="Cancel").dispatch_event("click")
    assert len(gallery.sent) == 1
    expect(gallery.card.get_by_label("Name")).to_be_disabled()


@requirement("J6", "J7")
def test_an_unsent_answer_is_kept_and_retried_with_the_same_key(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("failed")
    expect(gallery.card.get_by_role("alert")).to_contain_text("Couldn't send. Your answer is still here.")
    expect(gallery.card.get_by_label("Name")).to_have_value("Tide table")
    gallery.card.get_by_role("button", name="Send now").click()
    gallery.card.get_by_role("button", name="Submit").click()
    gallery.card.get_by_label("Name").fill("Harbour table")
    gallery.card.get_by_role("button", name="Submit").click()
    first, second_submission, same, changed = gallery.sent
    assert first["key"] == second_submission["key"] == same["key"] != changed["key"]
    assert changed["body"]["values"]["name"] == "Harbour table"


@requirement("F11", "J6")
def test_a_refusal_of_the_server_is_shown_at_its_field(open_gallery: OpenGallery) -> None:
    card = open_gallery("refused").card
    expect(card.get_by_role("alert")).to_contain_text("Name: That name is taken.")
    expect(card.get_by_label("Name")).to_have_accessible_description("That name is taken.")
    card.get_by_label("Name").fill("Another")
    expect(card.get_by_role("alert")).to_have_count(0)


@requirement("K2", "J6", "M3")
def test_the_loser_sees_the_winners_answer_and_that_it_came_late(open_gallery: OpenGallery) -> None:
    card = open_gallery("elsewhere").card
    expect(card.locator("summary")).to_contain_text("Answered by Eva")
    expect(card.locator("summary")).to_contain_text("Somebody else answered first. Your answer was not used.")
    expect(card.locator("form")).to_have_count(0)


def test_a_changed_question_keeps_the_entered_values(open_gallery: OpenGallery) -> None:
    card = open_gallery("stale").card
    expect(card.get_by_role("alert")).to_contain_text("The question has changed.")
    expect(card.get_by_label("Name")).to_have_value("Tide table")
    expect(card.get_by_label("Short")).to_be_checked()
    expect(card.get_by_label("Due on")).to_be_visible()


def test_a_reader_who_may_not_answer_sees_why(open_gallery: OpenGallery) -> None:
    card = open_gallery("readonly").card
    expect(card.get_by_text("Interactive mode disabled")).to_be_visible()
    expect(card.get_by_label("Name")).to_be_disabled()
    expect(card.locator("button")).to_have_count(0)


@requirement("K5", "K3")
@pytest.mark.parametrize(
    ("example", "reason"),
    [("assigned", "Waiting for Ada, editors."), ("view", "You can view this request, but not answer it.")],
)
def test_a_reader_who_may_not_answer_sees_the_assignee(
    open_gallery: OpenGallery, example: str, reason: str
) -> None:
    gallery = open_gallery(example)
    expect(gallery.card.get_by_text(reason)).to_be_visible()
    expect(gallery.card.get_by_label("Name")).to_be_disabled()
    expect(gallery.card.locator("button")).to_have_count(0)
    gallery.card.press("Control+Enter")
    assert gallery.sent == []


@requirement("K5")
def test_a_member_of_an_assigned_group_may_answer(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("assigned-group")
    gallery.card.get_by_role("button", name="Submit").click()
    expect(gallery.card).to_contain_text("Answered by You")


def test_an_unknown_kind_can_be_dismissed(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("unknown")
    expect(gallery.card.get_by_text("Unknown widget type — update your client")).to_be_visible()
    gallery.card.get_by_role("button", name="Dismiss").click()
    assert [attempt["body"] for attempt in gallery.sent] == [{"reason": "dismissed"}]
    expect(gallery.card).to_contain_text("Dismissed by You")


@requirement("M9")
def test_a_queued_request_is_one_line_that_names_its_predecessor(open_gallery: OpenGallery) -> None:
    card = open_gallery("queued").card
    expect(card.get_by_text("After “Report”")).to_be_visible()
    expect(card.locator("form")).to_have_count(0)
    thread = open_gallery("thread-held").page.locator("askback-thread")
    expect(thread.locator(".user .who")).to_have_text("Ada · not sent yet")
    expect(thread.locator("askback-request").nth(1)).to_contain_text("After “Report”")


@requirement("H9")
def test_an_archived_conversation_says_so(open_gallery: OpenGallery) -> None:
    thread = open_gallery("thread-archived").page.locator("askback-thread")
    expect(thread.get_by_text("This conversation is archived. You can still read it.")).to_be_visible()
    expect(thread.locator("askback-request")).to_contain_text("Cancelled: the conversation was archived.")


@requirement("J1", "A19")
def test_a_request_is_shown_where_it_was_asked(open_gallery: OpenGallery) -> None:
    thread = open_gallery("thread").page.locator("askback-thread")
    expect(thread.locator(".tool code")).to_have_count(2)
    order = thread.locator(".text, .tool code, askback-request").evaluate_all(
        "(all) => all.map((e) => e.shadowRoot ? 'request' : e.textContent.trim().split(/\\s+/)[0])"
    )
    assert order == ["Set", "Gladly.", "request", "write_files", "I", "git_push", "request"]
