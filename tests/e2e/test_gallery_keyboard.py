"""Everything works without a mouse, and the focus moves to a useful place."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenGallery
from tests.requirements import requirement

pytestmark = pytest.mark.e2e


@requirement("J3")
@pytest.mark.parametrize("keys", ["Control+Enter", "Meta+Enter"])
def test_enter_in_a_text_area_is_a_line_and_with_control_it_submits(
    open_gallery: OpenGallery, keys: str
) -> None:
    gallery = open_gallery("textarea")
    gallery.card.get_by_label("What is it for?").click()
    gallery.page.keyboard.type("one")
    gallery.page.keyboard.press("Enter")
    gallery.page.keyboard.type("two")
    gallery.page.keyboard.press(keys)
    assert gallery.values == {"about": "one\ntwo"}


@requirement("J4")
def test_a_refused_form_moves_to_the_summary_and_from_there_to_the_field(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("form")
    gallery.card.get_by_label("Name", exact=True).fill("")
    gallery.page.keyboard.press("Enter")
    expect(gallery.card.get_by_role("alert")).to_be_visible()
    assert gallery.focused() == "problems"
    gallery.page.keyboard.press("Tab")
    gallery.page.keyboard.press("Enter")
    assert gallery.focused() == "f0"
    name = gallery.card.locator("#f0")
    expect(name).to_have_attribute("aria-invalid", "true")
    expect(name).to_have_accessible_description("This field is required.")


def test_nothing_takes_the_focus_when_it_arrives(open_gallery: OpenGallery) -> None:
    assert open_gallery("form").focused() == "body"


@requirement("J4")
def test_an_answer_leaves_the_focus_on_the_receipt(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("text")
    gallery.card.get_by_label("Project name").fill("tides")
    gallery.page.keyboard.press("Enter")
    expect(gallery.card.locator("summary")).to_be_focused()
    gallery.page.keyboard.press("Enter")
    expect(gallery.card.locator("dl")).to_be_visible()
