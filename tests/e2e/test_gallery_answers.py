"""The value that each kind of field sends when a person uses it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenGallery
from tests.requirements import requirement

pytestmark = pytest.mark.e2e


@requirement("A1", "A3")
def test_confirm_answers_with_one_click(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("confirm")
    assert gallery.card.locator(".answers button").all_inner_texts() == ["Yes", "No"]
    gallery.card.get_by_role("button", name="No").click()
    assert gallery.values == {"ok": "No"}


@requirement("F1")
def test_a_yes_no_question_answers_false_with_one_click(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("boolean-confirm")
    gallery.card.get_by_role("button", name="No").click()
    assert gallery.values == {"go": False}


@requirement("A15")
def test_a_dangerous_option_asks_a_second_time(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("buttons")
    gallery.card.get_by_role("button", name="Delete the branch").click()
    expect(gallery.card.get_by_text("Really choose “Delete the branch”?")).to_be_visible()
    assert gallery.sent == []
    assert gallery.focused() == "back"
    gallery.card.get_by_role("button", name="Go back").click()
    assert gallery.sent == []
    gallery.card.get_by_role("button", name="Delete the branch").click()
    gallery.card.get_by_role("button", name="Yes, send it").click()
    assert gallery.values == {"next": "drop"}


@requirement("A15")
def test_a_dangerous_tick_in_a_form_asks_a_second_time(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("cards")
    gallery.card.get_by_label("SQLite").check()
    gallery.card.get_by_label("production").check()
    gallery.card.get_by_role("button", name="Submit").click()
    assert gallery.sent == []
    gallery.card.get_by_role("button", name="Yes, send it").click()
    assert gallery.values == {"store": "SQLite", "envs": ["production"]}


@requirement("C10")
def test_submit_counts_the_questions_still_open(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("cards")
    submit = gallery.card.get_by_role("button", name="Submit")
    gallery.card.get_by_label("SQLite").check()
    expect(submit).to_be_disabled()
    expect(submit).to_have_accessible_description("1 of 2 answered.")
    gallery.card.get_by_label("dev").check()
    expect(submit).to_be_enabled()


def test_a_long_list_is_filtered_and_keeps_the_choice(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("select-long")
    gallery.card.get_by_label("Filter the options").fill("land")
    expect(gallery.card.get_by_role("radio")).to_have_count(4)
    gallery.card.get_by_label("Ireland").check()
    gallery.card.get_by_label("Filter the options").fill("spa")
    expect(gallery.card.get_by_role("radio")).to_have_count(2)
    gallery.card.get_by_role("button", name="Submit").click()
    assert gallery.values == {"country": "Ireland"}


@requirement("F1")
@pytest.mark.parametrize(
    ("locale", "typed", "sent"), [("en", "7", 7), ("en", "2,0", 2), ("de", "2,0", 2), ("de", "12", 12)]
)
def test_a_number_is_sent_as_a_number(
    open_gallery: OpenGallery, locale: str, typed: str, sent: float
) -> None:
    gallery = open_gallery("number", locale=locale)
    gallery.card.get_by_label("Pages").fill(typed)
    gallery.card.locator("[type=submit]").click()
    assert gallery.values == {"pages": sent}


@pytest.mark.parametrize(("locale", "typed"), [("en", "1,000"), ("de", "1.000"), ("en", "seven")])
def test_an_ambiguous_thousands_separator_is_refused(
    open_gallery: OpenGallery, locale: str, typed: str
) -> None:
    gallery = open_gallery("number", locale=locale)
    gallery.card.get_by_label("Pages").fill(typed)
    gallery.card.locator("[type=submit]").click()
    expect(gallery.card.locator("#f0-error")).to_be_visible()
    assert gallery.sent == []


@requirement("F1", "D18")
def test_date_and_time_keep_their_wire_form(open_gallery: OpenGallery) -> None:
    date = open_gallery("date", locale="de")
    date.card.get_by_label("Start date").fill("2026-12-24")
    date.card.get_by_role("button", name="Absenden").click()
    assert date.values == {"start": "2026-12-24"}
    expect(date.card.locator("summary")).to_contain_text("24. Dezember 2026")
    time = open_gallery("time")
    time.card.get_by_label("At what time?").fill("18:05")
    time.card.get_by_role("button", name="Submit").click()
    assert time.values == {"at": "18:05"}


@requirement("F8")
def test_a_date_out_of_its_bounds_is_refused_at_its_field(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("date")
    start = gallery.card.get_by_label("Start date")
    start.fill("2025-12-31")
    gallery.card.get_by_role("button", name="Submit").click()
    expect(start).to_have_accessible_description("Must be on or after 2026-01-01.")
    assert gallery.sent == []
    start.fill("2026-01-01")
    gallery.card.get_by_role("button", name="Submit").click()
    assert gallery.values == {"start": "2026-01-01"}


@requirement("F1", "F8")
@pytest.mark.parametrize(
    ("zone", "typed", "sent"),
    [
        ("Europe/Berlin", "2026-11-20T09:00", "2026-11-20T09:00:00+01:00[Europe/Berlin]"),
        ("Europe/Berlin", "2026-07-20T09:00", "2026-07-20T09:00:00+02:00[Europe/Berlin]"),
        ("America/St_Johns", "2026-11-20T09:00", "2026-11-20T09:00:00-03:30[America/St_Johns]"),
    ],
)
def test_a_datetime_names_its_offset_and_zone(
    open_gallery: OpenGallery, zone: str, typed: str, sent: str
) -> None:
    gallery = open_gallery("datetime", zone=zone)
    expect(gallery.card.get_by_label("When shall it run?")).to_have_accessible_description(
        f"Time zone: {zone}"
    )
    gallery.card.get_by_label("When shall it run?").fill(typed)
    gallery.card.get_by_role("button", name="Submit").click()
    assert gallery.values == {"when": sent}


@requirement("F8")
def test_a_time_that_the_clocks_leave_out_is_refused(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("datetime", zone="Europe/Berlin")
    gallery.card.get_by_label("When shall it run?").fill("2026-03-29T02:30")
    gallery.card.get_by_role("button", name="Submit").click()
    expect(gallery.card.locator("#f0-error")).to_be_visible()
    assert gallery.sent == []


@requirement("F4")
def test_a_required_tick_must_be_ticked(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("checkbox")
    gallery.card.get_by_role("button", name="Agree").click()
    expect(gallery.card.locator("#f0-error")).to_contain_text("This field is required.")
    assert gallery.sent == []
    gallery.card.get_by_label("I have read the licence").check()
    gallery.card.get_by_role("button", name="Agree").click()
    assert gallery.values == {"ok": True}


@requirement("F1", "F5")
def test_a_form_sends_typed_values_and_leaves_empty_ones_out(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("form")
    gallery.card.get_by_label("MIT").check()
    gallery.card.get_by_label("Short description").fill("Line one\nline two")
    gallery.card.get_by_role("button", name="Create it").click()
    assert gallery.values == {
        "name": "tide-table",
        "lang": "py",
        "features": ["tests", "ci"],
        "licence": "mit",
        "about": "Line one\nline two",
    }


@requirement("F19")
def test_labels_have_defaults_in_the_readers_language(open_gallery: OpenGallery) -> None:
    german = open_gallery("text", locale="de")
    assert german.card.locator("form button").all_inner_texts() == ["Abbrechen", "Absenden"]
    named_open_gallery = open_gallery("cards")
    assert named_open_gallery.card.locator("form button").all_inner_texts() == ["Skip", "Not now", "Submit"]


@requirement("I5")
def test_labels_are_shown_unchanged(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("plain-labels")
    expect(gallery.card.get_by_role("heading")).to_have_text("<script>alert(1)</script>")
    expect(gallery.card.locator("fieldset")).to_have_accessible_name("<img src=x onerror=alert(1)>")
    expect(gallery.card.get_by_role("button", name="Approve")).to_have_count(0)
    expect(gallery.card.get_by_role("link")).to_have_count(0)


def test_links_of_the_agent_open_in_a_new_tab_without_a_referrer(open_gallery: OpenGallery) -> None:
    link = open_gallery("form").card.get_by_role("link", name="conventions")
    expect(link).to_have_attribute("target", "_blank")
    expect(link).to_have_attribute("rel", re.compile("noopener noreferrer nofollow ugc"))
