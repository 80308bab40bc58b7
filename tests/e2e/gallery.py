"""Test access to the gallery page."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Error, Locator, Page

_RECORD = """
    window.sent = [];
    addEventListener("askback-submit", (event) => {
        window.sent.push({action: event.action, body: event.body, key: event.key});
    });
"""
_FIRST = "window.sent.length || new Promise((done) => addEventListener('askback-submit', done, {once: true}))"


class Gallery:
    """One open gallery. `console` has all messages of the browser, including CSP violations."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.console: list[str] = []
        page.on("console", self._hear)
        page.on("pageerror", self._fail)
        self.page.goto(url)
        self.page.locator("#examples[data-ready]").wait_for()

    @property
    def card(self) -> Locator:
        """The only request on the page."""
        return self.page.locator("askback-request")

    @property
    def sent(self) -> list[dict[str, Any]]:
        """The attempts so far, each with `action`, `body` and `key`."""
        return self.page.evaluate("window.sent")

    @property
    def values(self) -> dict[str, Any]:
        """The values of the only sent answer."""
        self.page.evaluate(_FIRST)
        (attempt,) = self.sent
        assert attempt["action"] == "answer"
        return attempt["body"]["values"]

    def focused(self) -> str:
        """The id of the element with the focus, inside the request's shadow root too."""
        return self.page.evaluate(
            "(() => { let at = document.activeElement;"
            " while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;"
            " return at?.id || at?.localName || ''; })()"
        )

    def close(self) -> None:
        """Release the page; another gallery may use it."""
        self.page.remove_listener("console", self._hear)
        self.page.remove_listener("pageerror", self._fail)

    def _hear(self, message: ConsoleMessage) -> None:
        self.console.append(message.text)

    def _fail(self, error: Error) -> None:
        self.console.append(str(error))


class Pages:
    """Pages of one browser, by their look; a released page is cleared and used again."""

    def __init__(self, browser: Browser, origin: str) -> None:
        self._browser = browser
        self._origin = origin
        self._left: dict[tuple[object, ...], Page] = {}

    def open(self, *, theme: str, locale: str, width: int, zone: str) -> Page:
        """Open a page, or reuse a released one."""
        if page := self._left.pop((theme, locale, width, zone), None):
            return page
        context = self._browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if theme == "dark" else "light",
            reduced_motion="reduce",
            locale=locale,
            timezone_id=zone,
        )
        page = context.new_page()
        page.add_init_script(_RECORD)
        return page

    def leave(self, page: Page, **appearances: object) -> None:
        """Clear a page and keep it for the next test with this look."""
        session = page.context.new_cdp_session(page)
        session.send("Storage.clearDataForOrigin", {"origin": self._origin, "storageTypes": "all"})
        session.detach()
        if before := self._left.pop(key := tuple(appearances.values()), None):
            before.context.close()
        self._left[key] = page
