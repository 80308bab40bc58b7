"""Windows of one browser for many tests: they are cleared after a test, and the same person stays signed in."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from http.cookies import SimpleCookie
from typing import Any

import anyio
from playwright.async_api import Browser, BrowserContext, CDPSession, Page, Route, ViewportSize

from tests.chromium import PATIENCE_MS
from tests.e2e.static_server import STATIC
from tests.journeys.people import Person
from tests.signing_in import HALF, sign_in

PART_S = 0.6
"""How long a part of a page takes to arrive with `--late-parts`."""

_KEEP_HALF = """(half) => new Promise((resolve) => {
  const opening = indexedDB.open("askback-session");
  opening.onupgradeneeded = () => opening.result.createObjectStore("session");
  opening.onsuccess = () => {
    const writing = opening.result.transaction("session", "readwrite");
    writing.objectStore("session").put(half, "half");
    writing.oncomplete = () => { opening.result.close(); resolve(); };
  };
})"""


@dataclass(frozen=True)
class Session:
    """A session at a server: its browser cookie, and its second half."""

    cookies: list[Any]
    browser_secret: str

    async def is_open(self, origin: str) -> bool:
        """Ask the server whether it still knows the session."""
        cookie = "; ".join(f"{item['name']}={item['value']}" for item in self.cookies)
        async with Person(origin, None) as person:
            reply = await person.http.get(
                "/v1/session", headers={"Cookie": cookie, HALF: self.browser_secret}
            )
        return reply.status_code == 200


@dataclass
class Window:
    """A page in a separate context. `origin` is the server of its page, `name` the person of its session."""

    page: Page
    cdp: CDPSession
    size: ViewportSize | None
    origin: str = ""
    name: str | None = None
    session: Session | None = None

    @property
    def context(self) -> BrowserContext:
        """The browser context with the cookies and tabs."""
        return self.page.context

    async def sign_in(self, origin: str, link: str, name: str | None) -> None:
        """Use a link like the sign-in page, without loading it."""
        async with Person(origin, None) as nobody:
            nobody.http.headers["User-Agent"] = await self.page.evaluate("navigator.userAgent")
            reply = await sign_in(nobody.http, link)
        [cookie] = SimpleCookie(reply.headers["set-cookie"]).values()
        storage: Any = {
            "name": cookie.key,
            "value": cookie.value,
            "url": origin,
            "httpOnly": bool(cookie["httponly"]),
            "sameSite": cookie["samesite"],
        }
        await self.context.add_cookies([storage])
        if self.origin != origin:
            await self.go_to_plain_page(origin)
        browser_secret = reply.json()["session"]
        await self.page.evaluate(_KEEP_HALF, browser_secret)
        self.name, self.session = name, Session(await self.context.cookies(), browser_secret)

    async def go_to_plain_page(self, origin: str) -> None:
        """Show an address of a server without scripts."""
        [icon] = STATIC.glob("assets/icon-*.svg")
        await self.page.goto(f"{origin}/static/assets/{icon.name}")
        self.origin = origin

    async def tidy(self, origin: str) -> None:
        """Clear a test's data, except for the session if it is still the original one."""
        for tab in self.context.pages:
            if tab is not self.page:
                await tab.close()
        await self.page.unroute_all(behavior="ignoreErrors")
        if self.size is not None and self.page.viewport_size != self.size:
            await self.page.set_viewport_size(self.size)
        # A running page goes to the login once its session has ended.
        await self.go_to_plain_page(origin)
        if self.session is not None and self.session.cookies == await self.context.cookies():
            await self._clear(origin, "local_storage")
        else:
            await self.sign_out()

    async def sign_out(self) -> None:
        """Clear the session and the storage."""
        self.session = None
        await self.context.clear_cookies()
        await self._clear(self.origin, "all")

    async def _clear(self, origin: str, storage: str) -> None:
        await self.cdp.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": storage})


async def delay_parts(context: BrowserContext) -> None:
    """Let each part that no page names in its HTML arrive after `PART_S`, as over a slow network."""
    pages = "".join(page.read_text() for page in STATIC.glob("*.html"))

    async def delay(route: Route) -> None:
        if route.request.url.rpartition("/")[2] not in pages:
            await anyio.sleep(PART_S)
        await route.continue_()

    await context.route("**/assets/*", delay)


class Windows:
    """Windows of one browser. Opening one and signing in costs as much as most tests.

    So a window is reused, and so is the session of the same person. Windows with a changed clock, or a
    preparation that cannot be undone, are not reused. With `late_parts`, what a page loads on demand takes `PART_S`.
    """

    def __init__(self, browser: Browser, *, late_parts: bool = False) -> None:
        self._browser = browser
        self._late_parts = late_parts
        self._free: dict[str, list[Window]] = defaultdict(list)

    async def open(self, options: dict[str, Any], *, name: str | None) -> Window:
        """Open a window with these options, or take a free one; with a name, preferably one in which they are signed in."""
        free = self._free[repr(options)]
        for window in free:
            if window.session is not None and name is not None and window.name == name:
                free.remove(window)
                if not await window.session.is_open(window.origin):
                    await window.sign_out()
                return window
        if free:
            window = free.pop()
            await window.sign_out()
            return window
        context = await self._browser.new_context(**options)
        context.set_default_timeout(PATIENCE_MS)
        if self._late_parts:
            await delay_parts(context)
        page = await context.new_page()
        return Window(page, await context.new_cdp_session(page), page.viewport_size)

    async def give_back(self, window: Window, options: dict[str, Any], origin: str) -> None:
        """Clear a window for the next test, or close it."""
        if window.page.is_closed() or await window.page.evaluate("'__pwClock' in globalThis"):
            await window.context.close()
            return
        await window.tidy(origin)
        self._free[repr(options)].append(window)
