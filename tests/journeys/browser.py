"""Real browsers at the real server: each person has a window, signed in by a one-time link."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol
from urllib.parse import quote

import anyio
import pytest
from playwright.async_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Locator,
    Page,
    Request,
    Route,
    WebSocketRoute,
    async_playwright,
    expect,
)

from askback import AsyncClient, InputRequest
from tests.chromium import ALL, ARGUMENTS, AXE, CHROMIUM, CONTRAST, PATIENCE_MS
from tests.journeys.windows import Windows

if TYPE_CHECKING:
    from tests.journeys.conftest import Server
    from tests.journeys.people import Team

ANSWER = re.compile(r"/v1/requests/[^/]+/(answer|decline)$")

_FOCUSED = (
    "(() => { let at = document.activeElement;"
    " while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;"
    " return at?.id || at?.localName || ''; })()"
)

_HALF = """new Promise((resolve) => {
  const opening = indexedDB.open("askback-session");
  opening.onsuccess = () => {
    const reading = opening.result.transaction("session").objectStore("session").get("half");
    reading.onsuccess = () => { opening.result.close(); resolve(reading.result); };
  };
})"""

Look = Literal["light", "dark"]


@dataclass
class Screen:
    """One window of one person.

    `console_errors` has the browser's console messages, `fetched` each requested address.
    """

    page: Page
    context: BrowserContext
    origin: str
    console_errors: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    expected_errors: list[str] = field(default_factory=list)

    def listen(self) -> None:
        """Record console messages and requested addresses from now on."""
        self.page.on("console", self._hear)
        self.page.on("pageerror", self._fail)
        self.page.on("request", self._fetch)

    def unlisten(self) -> None:
        """Stop recording."""
        self.page.remove_listener("console", self._hear)
        self.page.remove_listener("pageerror", self._fail)
        self.page.remove_listener("request", self._fetch)

    def _hear(self, message: ConsoleMessage) -> None:
        self.console_errors.append(message.text)

    def _fail(self, error: Error) -> None:
        self.console_errors.append(str(error))

    def _fetch(self, request: Request) -> None:
        # A part is fetched, and then imported from the browser's cache.
        if request.resource_type != "script" or request.url not in self.fetched:
            self.fetched.append(request.url)

    @property
    def calls(self) -> list[str]:
        """The requested paths of the API, without the parts of the page."""
        paths = [address.removeprefix(self.origin) for address in self.fetched]
        return [path for path in paths if path.startswith("/v1/")]

    @property
    def card(self) -> Locator:
        """The requests on the page."""
        return self.page.locator("askback-request")

    @property
    def link(self) -> Locator:
        """The indicator of the connection's state."""
        return self.page.locator("#link")

    @property
    def composer(self) -> Locator:
        """The box for messages."""
        return self.page.locator("askback-thread .composer textarea")

    def button(self, name: str) -> Locator:
        """A button of the card, by its full name."""
        return self.card.get_by_role("button", name=name, exact=True)

    async def press_more(self, name: str) -> None:
        """Open the further choices of a card, and press one of them."""
        await self.button("More choices").click()
        await self.button(name).click()

    def expect_errors(self, *texts: str) -> None:
        """Expect console messages with `texts`, such as the status of a refusal."""
        self.expected_errors += texts

    @property
    def complaints(self) -> list[str]:
        """The unexpected console messages of the browser."""
        return [
            line for line in self.console_errors if not any(text in line for text in self.expected_errors)
        ]

    async def go(self, path: str) -> None:
        """Open a page of the same server in this window."""
        await self.page.goto(self.origin + path)

    async def lose_session(self) -> None:
        """Leave the page, which would go to the sign-in page by itself at any time, and forget the session."""
        await self.page.goto("about:blank")
        await self.context.clear_cookies()

    async def visit(self, path: str) -> None:
        """Open an address in the loaded application, as its links do; wait only if that shows another place."""
        name = path.split("/")[1] or "inbox"
        await self.page.locator("askback-app:defined").evaluate("(app, path) => app.go(path)", path)
        await expect(self.page.locator(f"askback-place-{name}")).to_be_attached()

    async def browser_secret(self) -> str:
        """The second half of the session, which only this origin can read."""
        return await self.page.evaluate(_HALF)

    async def focused(self) -> str:
        """The id of the element with the focus, in shadow roots too."""
        return await self.page.evaluate(_FOCUSED)

    async def tab_to(self, selector: str) -> None:
        """Press Tab until the focus is on the element with this id."""
        for _ in range(40):
            if await self.focused() == selector:
                return
            await self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab never came to #{selector}; it is on #{await self.focused()}")

    async def width(self) -> int:
        """The width of the page, including overflow."""
        return await self.page.evaluate("document.documentElement.scrollWidth")

    async def violations(self, *appearances: Look) -> list[tuple[str, str]]:
        """What axe finds on the page by WCAG 2.2 AA, as it is drawn now or in each of some looks.

        A theme changes only colours, so only their contrast is checked in the second one. A language changes only
        texts, and forced colours cannot be read.
        """
        if not appearances:
            return await self._violations(ALL)
        findings: list[tuple[str, str]] = []
        for number, look in enumerate(appearances):
            await self.page.emulate_media(color_scheme=look)
            rules = CONTRAST if number else ALL
            findings += [(f"{look}: {rule}", html) for rule, html in await self._violations(rules)]
        await self.page.emulate_media(color_scheme="null")
        return findings

    async def _violations(self, options: Mapping[str, Any]) -> list[tuple[str, str]]:
        if not await self.page.evaluate("'axe' in window"):
            await self.page.evaluate(AXE.read_text(encoding="utf-8"))
        result = await self.page.evaluate(
            "(options) => axe.run(document, {resultTypes: ['violations'], preload: false, ...options})",
            options,
        )
        return [(broken["id"], node["html"]) for broken in result["violations"] for node in broken["nodes"]]


class OpenScreen(Protocol):
    """Opens windows; see the fixture."""

    def __call__(
        self,
        path: str,
        *,
        name: str = ...,
        target: Server | None = ...,
        team: Team | None = ...,
        who: Mapping[str, Any] | None = ...,
        before: Callable[[Page], Awaitable[Any]] | None = ...,
        **options: Any,
    ) -> Awaitable[Screen]: ...


@pytest.fixture(scope="session")
async def chromium() -> AsyncIterator[Browser]:
    """One Chromium for all journeys; each window is a separate context."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine: install Debian's package `chromium`")
    expect.set_options(timeout=PATIENCE_MS)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=ARGUMENTS,
        )
        yield browser
        await browser.close()


@pytest.fixture(scope="session")
async def windows(chromium: Browser, pytestconfig: pytest.Config) -> Windows:
    """The windows of that Chromium."""
    return Windows(chromium, late_parts=bool(pytestconfig.getoption("late_parts")))


@pytest.fixture
async def screen(windows: Windows, server: Server) -> AsyncIterator[OpenScreen]:
    """Sign somebody in by a new one-time link that leads to `path`; afterwards the console must be empty.

    `name` is the person and `who` the host's other data about them, `target` another server than the shared one,
    `team` a separate tenant there, `before` prepares the page, and everything else is an option of
    Playwright's `new_context`.
    """
    opened_screens: list[tuple[Screen, Callable[[], Awaitable[None]]]] = []

    async def open_one(
        path: str,
        *,
        name: str = "Eva",
        target: Server | None = None,
        team: Team | None = None,
        who: Mapping[str, Any] | None = None,
        before: Callable[[Page], Awaitable[Any]] | None = None,
        **options: Any,
    ) -> Screen:
        target_server = target or server
        settings = {"locale": "en-GB", "timezone_id": "Europe/Berlin", "reduced_motion": "reduce", **options}
        known = name if target is None and team is None and who is None else None
        window = await windows.open(settings, name=known)
        shown_screen = Screen(window.page, window.context, target_server.url)
        if target is None and can_be_cleared(before):
            opened_screens.append(
                (shown_screen, lambda: windows.give_back(window, settings, target_server.url))
            )
        else:
            opened_screens.append((shown_screen, window.context.close))
        if before is not None:
            await before(window.page)
        if window.session is None:
            admin = target_server.person("admin") if team is None else nullcontext(team.admin)
            async with admin as host:
                link = await host.login_link(name, **(who or {}))
            await window.sign_in(target_server.url, link, known)
        shown_screen.listen()
        await shown_screen.go(path)
        return shown_screen

    yield open_one
    for screen_, close in opened_screens:
        screen_.unlisten()
        await close()
    complaints = [line for shown, _ in opened_screens for line in shown.complaints]
    assert complaints == [], complaints


def can_be_cleared(before: Callable[[Page], Awaitable[Any]] | None) -> bool:
    """Return whether a page with this preparation can be cleared: routes can be removed, scripts and sockets cannot."""
    return before is None or isinstance(getattr(before, "__self__", None), Posts)


async def login_link(server: Server, name: str) -> str:
    """A new one-time link for somebody."""
    async with server.person("admin") as admin:
        return await admin.login_link(name)


class Posts:
    """The answers that pages send: their keys and bodies, and a gate that holds, drops or refuses them."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.bodies: list[str] = []
        self._arrival = anyio.Event()
        self.passing = anyio.Event()
        self.passing.set()
        self.lose_reply = False
        self.refuse: int | None = None

    async def watch(self, page: Page) -> None:
        """Intercept this page's traffic."""
        await page.route(ANSWER, self._take)

    def hold(self) -> None:
        """Hold answers until `let_go`."""
        self.passing = anyio.Event()

    def let_go(self) -> None:
        """Release the held answers."""
        self.passing.set()

    async def wait_for(self, count: int) -> None:
        """Wait until so many answers have come to the gate."""
        while len(self.keys) < count:
            await self._arrival.wait()

    async def _take(self, route: Route) -> None:
        self.keys.append(route.request.headers["idempotency-key"])
        self.bodies.append(route.request.post_data or "")
        passing = self.passing
        self._arrival.set()
        self._arrival = anyio.Event()
        await passing.wait()
        if self.refuse is not None:
            await route.fulfill(status=self.refuse, json={"error": {"code": "unavailable", "message": ""}})
        elif self.lose_reply:
            await route.fetch()
            await route.abort()
        else:
            await route.continue_()


class Wire:
    """The page's WebSocket with a proxy that may hold or change the server's frames."""

    def __init__(self, change: Callable[[str], list[str]] = lambda frame: [frame]) -> None:
        self.change = change
        self.drops_frames = False
        """Whether all frames are lost, as on a dead network: after 33 seconds the page connects again."""
        self.losing_events = False
        """Whether events are lost while replies arrive, so that the page keeps its connection."""
        self.holding = False
        self._held: list[str] = []
        self._open_now: WebSocketRoute | None = None

    async def watch(self, page: Page) -> None:
        """Intercept this page's traffic."""
        await page.route_web_socket(re.compile(r"/v1/ws$"), self._open)

    def let_go(self) -> None:
        """Release the frames that arrived while this was `holding`."""
        assert self._open_now is not None
        self.holding = False
        for frame in self._held:
            self._open_now.send(frame)

    async def cut(self) -> None:
        """End the connection, like a network failure."""
        assert self._open_now is not None
        await self._open_now.close(code=3000)

    def _open(self, browser: WebSocketRoute) -> None:
        self._open_now = browser
        server = browser.connect_to_server()

        def hear(message: str | bytes) -> None:
            lost = self.drops_frames or (self.losing_events and "event" in json.loads(message))
            frames = [] if lost else self.change(str(message))
            if self.holding:
                self._held += frames
            else:
                for frame in frames:
                    browser.send(frame)

        server.on_message(hear)


def place_of(thread: str) -> str:
    """The path of a thread's page."""
    return f"/t/{quote(thread, safe='')}"


async def answer_of(agent: AsyncClient, request: InputRequest) -> dict[str, Any]:
    """The result of the waiting agent."""
    with anyio.fail_after(120):
        ended_request = await agent.wait(request)
    assert ended_request.answer is not None, ended_request.status
    return ended_request.answer.values


def form(*fields: dict[str, Any], **extra: Any) -> dict[str, Any]:
    """A form of these fields; a field without an id or a label gets one."""
    named = [{"id": f"q{index}", "label": f"Question {index}", **item} for index, item in enumerate(fields)]
    return {"title": "A question", "fields": named, **extra}
