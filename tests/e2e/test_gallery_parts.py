"""Forms whose fields depend on each other, forms in steps, and forms that one control answers."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenGallery
from tests.requirements import requirement

pytestmark = pytest.mark.e2e


def test_a_field_appears_with_the_answer_that_it_depends_on(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("conditions")
    expect(gallery.card.get_by_label("Change ticket")).to_have_count(0)
    gallery.card.get_by_label("Production").check()
    gallery.card.get_by_label("Change ticket").fill("CHG-7")
    expect(gallery.card.get_by_label("Announce in")).to_have_count(0)
    gallery.card.get_by_label("Announce the deployment").check()
    expect(gallery.card.get_by_label("Announce in")).to_have_value("#releases")
    gallery.card.get_by_label("Staging").check()
    gallery.card.get_by_role("button", name="Submit").click()
    assert gallery.values == {"target": "staging", "notify": True}


@requirement("F17", "F18")
def test_steps_lead_past_a_hidden_section_to_the_review(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("steps")
    gallery.card.get_by_label("Service name").fill("tides")
    gallery.page.keyboard.press("Enter")
    gallery.card.get_by_label("SQLite").check()
    gallery.page.keyboard.press("Enter")
    expect(gallery.card.get_by_label("Owner")).to_be_visible()
    gallery.card.get_by_role("button", name="Next").click()
    expect(gallery.card.locator("dd")).to_have_text(["tides", "SQLite", "No answer"])
    gallery.card.get_by_role("button", name="Submit").click()
    assert gallery.values == {"name": "tides", "store": "sqlite"}


@pytest.mark.parametrize("example", ["submit-first", "submit-each"])
def test_one_control_answers_the_form(open_gallery: OpenGallery, example: str) -> None:
    gallery = open_gallery(example)
    if example == "submit-first":
        gallery.card.get_by_role("button", name="Tonight").click()
        assert gallery.values == {"when": "tonight"}
    else:
        gallery.card.get_by_role("textbox", name="Job number").fill("7")
        gallery.page.keyboard.press("Enter")
        assert gallery.values == {"job": 7}
    (attempt,) = gallery.sent
    assert attempt["body"]["control"] == {"submit-first": "when", "submit-each": "job"}[example]
