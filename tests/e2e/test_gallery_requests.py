"""A request shows the type of a call, keeps its actions in view, and can be decided by single keys."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.conftest import OpenGallery
from tests.e2e.gallery import Gallery
from tests.requirements import requirement

pytestmark = pytest.mark.e2e

PRIMARY = ("form", "secret", "action", "approval-mail", "approval-plan", "approval-edit")


def ready(gallery: Gallery) -> Locator:
    """Give the card the focus once its buttons take clicks and letters; returns Allow once."""
    allow_button = gallery.card.get_by_role("button", name="Allow once")
    expect(allow_button).not_to_have_attribute("aria-disabled", "true")
    gallery.card.locator(".title").click()
    return allow_button


def box_of(part_locator: Locator) -> dict[str, float]:
    """Where an element is."""
    box = part_locator.bounding_box()
    assert box is not None
    return {
        "left": box["x"],
        "right": box["x"] + box["width"],
        "top": box["y"],
        "end": box["y"] + box["height"],
    }


@requirement("B13")
def test_a_mail_is_a_letter_and_a_request_has_its_lines(open_gallery: OpenGallery) -> None:
    rows = open_gallery("approval-mail").card.locator(".rows > div")
    expect(rows.locator("dt")).to_have_text(["To", "Cc", "Subject", "Content", "attachments"])
    expect(rows.nth(3).locator("dd")).to_contain_text(
        "here is the invoice for November.\nPlease pay it by 15 December."
    )
    rows = open_gallery("approval-http", locale="de").card.locator(".rows > div")
    expect(rows.locator("dt")).to_have_text(["Methode", "URL", "Kopfzeilen", "Inhalt"])
    card = open_gallery("approval-query").card
    expect(card.locator(".rows")).to_contain_text("shop")
    expect(card.locator(".risk")).to_have_text("DELETE")


@requirement("B13")
def test_the_lines_of_a_change_have_the_numbers_of_their_file(open_gallery: OpenGallery) -> None:
    lines = open_gallery("approval-replace").card.locator("pre > span[data-n]")
    numbers = lines.evaluate_all(
        "(all) => all.map((line) => (line.className[0] || '') + line.dataset.n).join(' ')"
    )
    assert numbers == "h 1 2 d3 a3 a4 a5 6 7 8"
    expect(open_gallery("approval-replace").card.locator(".head")).to_contain_text("+3 −1")


@requirement("B14")
def test_a_title_of_the_agent_is_a_quotation_below_our_text(open_gallery: OpenGallery) -> None:
    card = open_gallery("approval-query").card
    expect(card.locator(".kicker")).to_have_text("Run this database query? The agent says:")
    assert (
        card.get_by_role("heading").locator("q").evaluate("(quote) => getComputedStyle(quote).quotes")
        == '"“" "”"'
    )


@pytest.mark.parametrize("width", [320, 1280])
def test_the_buttons_stay_visible_below_a_long_command(open_gallery: OpenGallery, width: int) -> None:
    gallery = open_gallery("approval-long", width=width)
    gallery.card.get_by_role("button", name="Show all 40 lines").click()
    gallery.card.locator("pre").get_by_text("echo 'step 05").scroll_into_view_if_needed()
    for name in ("Deny", "Allow once"):
        expect(gallery.card.get_by_role("button", name=name)).to_be_in_viewport(ratio=1)
    assert gallery.card.evaluate("(card) => card.getBoundingClientRect().bottom > innerHeight")


def test_the_main_action_is_at_the_same_place_for_every_kind(open_gallery: OpenGallery) -> None:
    gallery = open_gallery()
    places = {name: gallery.page.locator(f"#example-{name} askback-request") for name in PRIMARY}
    rights = {
        name: box_of(part_locator.locator("button.primary"))["right"] for name, part_locator in places.items()
    }
    assert set(rights.values()) == {rights["form"]}, rights


@pytest.mark.parametrize(("width", "locale"), [(320, "en"), (320, "de"), (1280, "en"), (1280, "de")])
def test_the_safe_and_the_main_action_never_touch(open_gallery: OpenGallery, width: int, locale: str) -> None:
    card = open_gallery("approval-mail", width=width, locale=locale).card
    deny, allow_button = box_of(card.locator("#deny")), box_of(card.locator("#once"))
    assert allow_button["left"] - deny["right"] >= 12 or allow_button["top"] - deny["end"] >= 12, (
        deny,
        allow_button,
    )


@requirement("J3")
def test_letters_press_the_buttons_that_show_them(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("approval-json")
    ready(gallery)
    gallery.page.keyboard.press("n")
    expect(gallery.card.get_by_label("Note for the agent")).to_be_focused()
    gallery.page.keyboard.type("a sad end")
    assert gallery.sent == [], "letters in a box are letters"
    gallery.card.locator(".title").click()
    gallery.page.keyboard.press("Control+d")
    gallery.page.keyboard.press("e")
    expect(gallery.card.get_by_label("Input, as JSON")).to_be_focused()
    gallery.card.locator(".title").click()
    gallery.page.keyboard.press("d")
    expect(gallery.card.locator(".card > summary")).to_contain_text("Denied by You")
    (attempt,) = gallery.sent
    assert (attempt["body"]["decision"], attempt["body"]["note"]) == ("deny", "a sad end")


@requirement("J3", "B26")
def test_a_dangerous_call_takes_a_letter_and_enter_and_escape_decides_nothing(
    open_gallery: OpenGallery,
) -> None:
    gallery = open_gallery("approval-danger")
    ready(gallery)
    gallery.page.keyboard.press("a")
    yes = gallery.card.get_by_role("button", name="Yes, allow it")
    expect(yes).to_be_focused()
    gallery.page.keyboard.press("Escape")
    expect(gallery.card.get_by_role("button", name="Allow once")).to_be_focused()
    assert gallery.sent == []
    ready(gallery)
    gallery.page.keyboard.press("a")
    expect(yes).not_to_have_attribute("aria-disabled", "true")
    gallery.page.keyboard.press("Enter")
    (attempt,) = gallery.sent
    assert attempt["body"]["decision"] == "approve"


@requirement("J3")
def test_letters_can_be_turned_off(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("approval-command")
    locator = ready(gallery)
    gallery.page.evaluate("document.documentElement.dataset.keys = 'off'")
    gallery.card.evaluate("(card) => card.redraw()")
    expect(locator.locator("kbd")).to_be_hidden()
    gallery.page.keyboard.press("a")
    gallery.page.keyboard.press("d")
    assert gallery.sent == []


@requirement("J10")
def test_a_card_says_what_happens_without_an_answer(open_gallery: OpenGallery) -> None:
    card = open_gallery("approval-command").card
    expect(card.locator(".deadline")).to_contain_text(
        "Without an answer, this does not run: the request ends Nov 20, 2036"
    )
    expect(card.locator(".due")).to_be_hidden()


@requirement("B10")
def test_rules_are_offered_in_words_and_the_exact_one_is_folded(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("approval-mail-one")
    ready(gallery)
    gallery.card.get_by_role("button", name="More choices").click()
    gallery.card.get_by_role("button", name="Always allow…").click()
    offered = gallery.card.get_by_role("radiogroup").first.get_by_role("radio")
    expect(offered).to_have_count(3)
    gallery.card.get_by_role("radio", name="Every call to user48@example.com, whatever else is in it").check()
    exact_rule = gallery.card.locator(".rule pre")
    expect(exact_rule).to_be_hidden()
    gallery.card.get_by_text("The exact rule, and what a rule does").click()
    expect(exact_rule).to_have_text("send_mail(to=user48@example.com)")
    gallery.card.get_by_role("button", name="Always allow", exact=True).click()
    (attempt,) = gallery.sent
    assert attempt["body"]["rule"] == "send_mail(to=user48@example.com)"
