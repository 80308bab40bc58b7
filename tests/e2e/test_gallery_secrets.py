"""Every state of a request for secrets, and of a form with some, shows its status and no value."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenGallery
from tests.requirements import requirement

pytestmark = pytest.mark.e2e

CANARY = "canary-7f3a9c51e2"


@pytest.mark.parametrize(
    ("example", "text"),
    {
        "secret-answered": "HUBSPOT_API_KEY · everywhere",
        "secret-unverified": "Couldn't verify this value.",
        "secret-existing": "✓ already configured",
        "secret-dismissed": "Dismissed by Eva",
        "secret-expired": "nobody answered in time",
        "secret-resolving": "Checking…",
        "secret-reprompted": "REGION: The service does not know this region.",
    }.items(),
)
def test_each_state_names_itself(open_gallery: OpenGallery, example: str, text: str) -> None:
    expect(open_gallery(example).card).to_contain_text(text)


@pytest.mark.parametrize(
    "example",
    ["secret-answered", "secret-existing", "secret-dismissed", "secret-expired", "secret-resolving"],
)
def test_a_request_that_takes_no_values_has_no_inputs(open_gallery: OpenGallery, example: str) -> None:
    card = open_gallery(example).card
    expect(card.get_by_text("HUBSPOT_API_KEY", exact=True)).to_be_visible()
    expect(card.locator("input, textarea")).to_have_count(0)
    # A request that waits for its check can still be dismissed.
    expect(card.get_by_role("button")).to_have_text(["Dismiss"] if example == "secret-resolving" else [])


def test_a_reader_who_may_not_answer_gets_no_inputs(open_gallery: OpenGallery) -> None:
    card = open_gallery("secret-readonly").card
    expect(card.get_by_text("Interactive mode disabled")).to_be_visible()
    expect(card.get_by_text("HUBSPOT_API_KEY", exact=True)).to_be_visible()
    expect(card.locator("input, textarea, button")).to_have_count(0)


@requirement("E20")
def test_a_reader_who_may_not_see_the_names_sees_their_number(open_gallery: OpenGallery) -> None:
    card = open_gallery("secret-hidden").card
    expect(card.get_by_role("heading")).to_have_text("The agent needs 2 secrets")
    expect(card.get_by_text("2 secrets", exact=True)).to_be_visible()
    expect(card.get_by_text("You can view this request, but not answer it.")).to_be_visible()
    expect(card.locator("input, textarea, button")).to_have_count(0)
    expect(open_gallery("secret-hidden-answered").card).to_contain_text("1 secret · this conversation")


@requirement("E20")
def test_the_form_explains_who_sees_the_names(open_gallery: OpenGallery) -> None:
    card = open_gallery("secret").card
    expect(card.get_by_text("The names are visible in the conversation")).to_be_visible()
    card.evaluate(
        "(card) => { const {id, secret, ...rest} = card.request;"
        " card.request = {...rest, id: 'req_next', secret: {...secret, hide_names: true}}; }"
    )
    expect(card.get_by_text("see how many secrets are needed, not their names")).to_be_visible()


@requirement("E5")
def test_the_host_page_gets_the_sent_names_and_no_value(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("secret-many")
    card = gallery.card
    card.get_by_label("REGION").fill(CANARY)
    card.get_by_label("This conversation").check()
    card.get_by_role("button", name="Save & continue").click()
    expect(card).to_contain_text("HUBSPOT_API_KEY, REGION · this conversation")
    assert [attempt["body"] for attempt in gallery.sent] == [
        {"revision": 1, "names": ["REGION"], "use_existing": ["HUBSPOT_API_KEY"], "scope": "session"}
    ]


@requirement("E5")
def test_a_value_typed_for_one_request_is_not_offered_to_the_next(open_gallery: OpenGallery) -> None:
    card = open_gallery("secret").card
    value = card.get_by_label("HUBSPOT_API_KEY")
    value.fill(CANARY)
    card.evaluate("(card) => { card.request = {...card.request, id: 'req_next', thread_id: 'next'}; }")
    expect(card).to_contain_text("next")
    expect(value).to_have_value("")


@requirement("E22")
def test_the_host_page_learns_only_that_a_sensitive_field_is_set(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("sensitive")
    gallery.card.get_by_label("Host").fill("smtp.example.com")
    gallery.card.get_by_label("Password").fill(CANARY)
    gallery.card.get_by_role("button", name="Submit").click()
    expect(gallery.card.locator("summary")).to_contain_text("smtp.example.com · set")
    assert gallery.values == {"host": "smtp.example.com", "password": {"set": True}}


@requirement("E5")
def test_an_unsent_secret_is_resent_with_the_same_key_unless_it_changed(
    open_gallery: OpenGallery,
) -> None:
    gallery = open_gallery("secret-failed")
    retry_button = gallery.card.get_by_role("button", name="Send now")
    save = gallery.card.get_by_role("button", name="Save & continue")
    retry_button.click()
    gallery.card.get_by_label("HUBSPOT_API_KEY").fill("one")
    expect(retry_button).to_have_count(0)
    save.click()
    gallery.card.get_by_label("HUBSPOT_API_KEY").fill("two")
    save.click()
    first_key, same_key, typed_key, changed_key = (attempt["key"] for attempt in gallery.sent)
    assert first_key == same_key
    assert len({first_key, typed_key, changed_key}) == 3


@requirement("E22")
def test_a_receipt_says_set_and_shows_no_reference(open_gallery: OpenGallery) -> None:
    card = open_gallery("sensitive-answered").card
    card.locator("summary").click()
    assert card.locator("dd").all_inner_texts() == ["smtp.example.com", "set", "set"]
