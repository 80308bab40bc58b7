"""Redrawing changes only the differences, and never draws markup from a request."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenGallery

pytestmark = pytest.mark.e2e

FORGED = """card => {
    const template = {strings: ['<img src="x" class="forged">'], values: []};
    const form = {...card.request.form, title: template, description: [template]};
    card.request = {...card.request, id: "req_forged", form};
    return card.updateComplete;
}"""
DRAW_AGAIN = """card => {
    const [first, ...rest] = card.request.form.fields;
    const more = {...first, id: "more", label: "One more"};
    card.request = {...card.request, revision: 2, form: {...card.request.form, fields: [first, more, ...rest]}};
    return card.updateComplete;
}"""


def test_template_syntax_in_a_request_is_shown_as_text(open_gallery: OpenGallery) -> None:
    card = open_gallery("text").card
    card.evaluate(FORGED)
    expect(card.locator(".title")).to_have_text("[object Object]")
    expect(card.locator(".forged")).to_have_count(0)


def test_a_form_that_gains_a_field_keeps_the_typed_values(open_gallery: OpenGallery) -> None:
    card = open_gallery("text").card
    card.get_by_label("Project name").fill("half a na")
    card.evaluate(DRAW_AGAIN)
    expect(card.get_by_label("Project name")).to_have_value("half a na")
    expect(card.get_by_label("One more")).to_have_value("")


def test_drawing_again_leaves_the_caret_where_it_is(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("text")
    field = gallery.card.get_by_label("Project name")
    field.fill("tide")
    field.evaluate("input => input.setSelectionRange(1, 2)")
    gallery.card.evaluate("card => { card.redraw(); return card.updateComplete; }")
    assert field.evaluate("input => [input.selectionStart, input.selectionEnd]") == [1, 2]
    assert gallery.focused() == "f0"


def test_a_removed_card_is_not_kept_in_memory(open_gallery: OpenGallery) -> None:
    gallery = open_gallery("text")
    tools = gallery.page.context.new_cdp_session(gallery.page)
    gallery.page.evaluate(
        "() => { const shown = document.querySelector('askback-request');"
        " const card = document.createElement('askback-request'); card.request = { ...shown.request, id: 'other' };"
        " document.body.append(card); card.remove(); window.left = new WeakRef(card); }"
    )
    tools.send("HeapProfiler.collectGarbage")
    tools.detach()
    assert gallery.page.evaluate("window.left.deref() === undefined")
