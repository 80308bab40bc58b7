"""The gallery page as a test sees it."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import BrowserContext, Locator

_RECORD = """
    window.sent = [];
    addEventListener("askback-submit", (event) => {
        window.sent.push({action: event.action, body: event.body, key: event.key});
    });
"""
_FIRST = "window.sent.length || new Promise((done) => addEventListener('askback-submit', done, {once: true}))"


class Gallery:
    """One open gallery. `console` is all that the browser had to say, CSP violations included."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.context = context
        self.page = context.new_page()
        self.console: list[str] = []
        self.page.on("console", lambda message: self.console.append(message.text))
        self.page.on("pageerror", lambda error: self.console.append(str(error)))
        self.page.add_init_script(_RECORD)
        self.page.goto(url)
        self.page.locator("#examples[data-ready]").wait_for()

    @property
    def card(self) -> Locator:
        """The only request on the page."""
        return self.page.locator("askback-request")

    @property
    def sent(self) -> list[dict[str, Any]]:
        """What was sent so far: `action`, `body` and `key` of each attempt."""
        return self.page.evaluate("window.sent")

    @property
    def values(self) -> dict[str, Any]:
        """The values of the one answer that was sent."""
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
        self.context.close()
