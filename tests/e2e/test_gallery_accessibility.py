"""Every example of the gallery, in both themes and both languages, is accessible and fits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.chromium import ALL, CONTRAST, WITHOUT_CONTRAST
from tests.e2e.conftest import OpenGallery
from tests.requirements import requirement

pytestmark = [pytest.mark.e2e]

APPLY_TEXT_SPACING = """Object.assign(document.documentElement.style,
  { lineHeight: "1.5", letterSpacing: "0.12em", wordSpacing: "0.16em" })"""
"""The spacing of WCAG 1.4.12, which shadow roots inherit."""


def violations(page: Page, options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What axe finds, with these options."""
    result = page.evaluate(
        "(options) => axe.run(document, {resultTypes: ['violations'], preload: false, ...options})", options
    )
    return [(broken["id"], node["html"]) for broken in result["violations"] for node in broken["nodes"]]


# Colours come from the theme and words from the language, and neither depends on the other.
@requirement("J4", "I6", "J11")
def test_axe_finds_nothing_in_any_example(open_gallery: OpenGallery, axe_source: str) -> None:
    page = open_gallery().page
    page.evaluate(axe_source)
    found = {"light": violations(page, ALL)}
    page.emulate_media(color_scheme="dark")
    found["dark"] = violations(page, CONTRAST)
    # axe cannot read colours that the system forces.
    page.emulate_media(color_scheme="light", forced_colors="active")
    found["forced"] = violations(page, WITHOUT_CONTRAST)
    page.emulate_media(forced_colors="none")
    assert found == dict.fromkeys(found, [])


@requirement("J4")
def test_axe_finds_nothing_in_any_german_example(open_gallery: OpenGallery, axe_source: str) -> None:
    page = open_gallery(locale="de").page
    page.evaluate(axe_source)
    assert violations(page, WITHOUT_CONTRAST) == []


def test_axe_sees_a_planted_fault(open_gallery: OpenGallery, axe_source: str) -> None:
    gallery = open_gallery("number")
    gallery.card.locator("label").evaluate("(label) => label.remove()")
    gallery.page.evaluate(axe_source)
    assert [rule for rule, _ in violations(gallery.page, ALL)] == ["label"]


def test_nothing_scrolls_sideways(open_gallery: OpenGallery) -> None:
    page = open_gallery().page
    widths = [320, 768, 1280]

    def scrolled(width: int) -> int:
        page.set_viewport_size({"width": width, "height": 900})
        return page.evaluate("document.documentElement.scrollWidth")

    assert [scrolled(width) for width in widths] == widths
    page.evaluate(APPLY_TEXT_SPACING)
    spaced_widths = [scrolled(width) for width in widths]
    page.evaluate("document.documentElement.removeAttribute('style')")
    assert spaced_widths == widths


@pytest.mark.parametrize("locale", ["en", "de"])
def test_every_target_is_at_least_24_px(open_gallery: OpenGallery, locale: str) -> None:
    gallery = open_gallery(locale=locale, width=320)
    small = gallery.page.locator(
        "askback-request button, askback-request input:not([hidden]), askback-request select, askback-request summary"
    ).evaluate_all(
        "(all) => all.filter((e) => { const target = e.closest('label') ?? e, b = target.getBoundingClientRect();"
        " return target.checkVisibility() && (b.width < 24 || b.height < 24); }).map((e) => e.outerHTML)"
    )
    assert small == []
