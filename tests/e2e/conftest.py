"""A headless Chromium, and the gallery of built pages opened in it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.chromium import ARGUMENTS, AXE, CHROMIUM, PATIENCE_MS
from tests.e2e.gallery import Gallery, Pages
from tests.e2e.static_server import STATIC, pages

_NUMBERS = itertools.count()

OpenGallery = Callable[..., Gallery]


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests here; each test has a page of its own.

    It ends with the package: Playwright's sync API keeps an event loop running in this thread, so no async
    test elsewhere could run.
    """
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine: install Debian's package `chromium`")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=ARGUMENTS,
        )
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def axe_source() -> str:
    """The source of axe-core, to be run inside a page."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed: run `npm ci` in web/")
    return AXE.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def static_url() -> Iterator[str]:
    """The address of the built pages."""
    if not (STATIC / "gallery.html").exists():
        pytest.skip("the pages are not built: run `npm run build` in web/")
    with pages() as url:
        yield url


@pytest.fixture(scope="package")
def gallery_pages(browser: Browser, static_url: str) -> Pages:
    """The pages that the tests here open galleries in."""
    return Pages(browser, static_url)


@pytest.fixture
def open_gallery(gallery_pages: Pages, static_url: str) -> Iterator[OpenGallery]:
    """Open the gallery, or one example of it; afterwards the console must be silent."""
    opened_items: list[tuple[Gallery, dict[str, Any]]] = []

    def open_one(
        example: str = "",
        *,
        theme: str = "light",
        locale: str = "en",
        width: int = 1280,
        zone: str = "Europe/Berlin",
    ) -> Gallery:
        appearances = {"theme": theme, "locale": locale, "width": width, "zone": zone}
        page = gallery_pages.open(**appearances)
        # An address of its own: one that differs only in its fragment would not be loaded.
        gallery = Gallery(page, f"{static_url}/gallery?lang={locale}&{next(_NUMBERS)}#{example}")
        opened_items.append((gallery, appearances))
        return gallery

    yield open_one
    for gallery, looks in opened_items:
        gallery.close()
        gallery_pages.leave(gallery.page, **looks)
    assert [line for gallery, _ in opened_items for line in gallery.console] == []
