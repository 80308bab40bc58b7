"""Every example of the gallery, in both themes and both languages, is accessible and fits."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.conftest import OpenGallery
from tests.requirements import requirement

pytestmark = [pytest.mark.e2e]

SPACED = """Object.assign(document.documentElement.style,
  { lineHeight: "1.5", letterSpacing: "0.12em", wordSpacing: "0.16em" })"""
"""The spacing of WCAG 1.4.12, which shadow roots inherit."""
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


def violations(result: dict[str, Any]) -> list[tuple[str, str]]:
    return [(broken["id"], node["html"]) for broken in result["violations"] for node in broken["nodes"]]


# Colours come from the theme and words from the language, and neither depends on the other: two of the four pairs.
@requirement("J4", "I6")
@pytest.mark.parametrize(("theme", "locale"), [("light", "en"), ("dark", "de")])
def test_axe_finds_nothing_in_any_example(
    open_gallery: OpenGallery, axe_source: str, theme: str, locale: str
) -> None:
    gallery = open_gallery(theme=theme, locale=locale)
    gallery.page.evaluate(axe_source)
    result = gallery.page.evaluate(
        "(tags) => axe.run(document, {runOnly: tags, resultTypes: ['violations']})", WCAG
    )
    assert violations(result) == []


@requirement("J4", "J11")
def test_axe_finds_nothing_in_any_example_where_the_system_forces_colours(
    open_gallery: OpenGallery, axe_source: str
) -> None:
    gallery = open_gallery()
    gallery.page.emulate_media(forced_colors="active")
    gallery.page.evaluate(axe_source)
    # Which colours the system forces is not axe's to read.
    result = gallery.page.evaluate(
        "(tags) => axe.run(document, {runOnly: tags, resultTypes: ['violations'],"
        " rules: {'color-contrast': {enabled: false}}})",
        WCAG,
    )
    gallery.page.emulate_media(forced_colors="none")
    assert violations(result) == []


def test_axe_sees_a_planted_fault(open_gallery: OpenGallery, axe_source: str) -> None:
    gallery = open_gallery("number")
    gallery.card.locator("label").evaluate("(label) => label.remove()")
    gallery.page.evaluate(axe_source)
    result = gallery.page.evaluate(
        "(tags) => axe.run(document, {runOnly: tags, resultTypes: ['violations']})", WCAG
    )
    assert [rule for rule, _ in violations(result)] == ["label"]


@pytest.mark.parametrize("width", [320, 768, 1280])
def test_nothing_scrolls_sideways(open_gallery: OpenGallery, width: int) -> None:
    gallery = open_gallery(width=width)
    assert gallery.page.evaluate("document.documentElement.scrollWidth") == width
    gallery.page.evaluate(SPACED)
    spaced = gallery.page.evaluate("document.documentElement.scrollWidth")
    gallery.page.evaluate("document.documentElement.removeAttribute('style')")
    assert spaced == width


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
