"""Sessions in a real browser: sign-in by a link, a server on another port, and the end of a session."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, quote, urlsplit

import anyio
import anyio.abc
import httpx2
import pytest
import websockets
from playwright.async_api import Browser, Route, expect

from askback import AsyncClient
from tests.journeys.browser import OpenScreen, form, login_link, place_of
from tests.journeys.conftest import TOKENS, Server
from tests.journeys.neighbours import neighbour
from tests.requirements import requirement
from tests.signing_in import HALF

pytestmark = pytest.mark.anyio


@requirement("N8")
async def test_a_listener_on_another_port_gets_a_cookie_that_opens_nothing(
    server: Server, screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(form({"type": "text"}), thread_id=thread)
    eva = await screen(place_of(thread))
    await expect(eva.link).to_have_text("Connected")
    async with neighbour() as next_door:
        await eva.page.goto(next_door.url)
        [stolen_cookie] = next_door.cookies
        assert "askback_session_" in stolen_cookie
        address = server.url.replace("http", "ws", 1) + "/v1/ws"
        for origin in (server.url, next_door.url):
            sent = {"Cookie": stolen_cookie, "Origin": origin}
            async with httpx2.AsyncClient(base_url=server.url, headers=sent) as thief:
                for method, path in (
                    ("GET", "/v1/session"),
                    ("GET", "/v1/events"),
                    ("GET", f"/v1/threads/{thread}/events"),
                    ("POST", f"/v1/requests/{request.id}/answer"),
                    ("DELETE", "/v1/sessions"),
                ):
                    refusal = await thief.request(method, path, json={"revision": 1, "values": {"q0": "x"}})
                    assert refusal.status_code == (401 if origin == server.url else 403), (method, path)
        own = {"Cookie": stolen_cookie, "Origin": server.url}
        async with websockets.connect(
            address, subprotocols=[websockets.Subprotocol("askback.v1")], additional_headers=own
        ) as socket:
            with pytest.raises(websockets.ConnectionClosed) as exc_info, anyio.fail_after(120):
                await socket.recv()
        assert exc_info.value.rcvd is not None
        assert exc_info.value.rcvd.code == 4401
        # What it plants under an old or another server's name, or for a narrower path, changes nothing.
        name = stolen_cookie.partition("=")[0]
        next_door.plants += ["askback_session=evil; Path=/", "askback_session_0=evil; Path=/"]
        next_door.plants += [f"{name}=evil; Path=/v1; SameSite=Strict"]
        await eva.page.goto(next_door.url)
    await eva.go(place_of(thread))
    await eva.card.get_by_role("textbox").fill("mine")
    await eva.button("Submit").click()
    await expect(eva.card.locator("summary")).to_be_visible()
    settled_by = (await agent.requests.get(request.id)).settled_by
    assert settled_by is not None
    assert settled_by.name == "Eva"


@requirement("N8")
@pytest.mark.parametrize(
    ("locale", "label"),
    [
        ("en-GB", "preview (opens a program on your own computer: 127.0.0.1:18999)"),
        ("de-DE", "preview (öffnet ein Programm auf deinem eigenen Rechner: 127.0.0.1:18999)"),
    ],
)
async def test_a_link_of_an_agent_to_this_computer_says_where_it_leads(
    screen: OpenScreen, agent: AsyncClient, thread: str, locale: str, label: str
) -> None:
    text = "Open the [preview](http://2130706433:18999/x), see [the manual](https://example.com/)."
    await agent.requests.create(
        form({"type": "text", "description": text}, description=text), thread_id=thread
    )
    eva = await screen(place_of(thread), locale=locale)
    await expect(eva.card.get_by_role("link", name=label, exact=True)).to_have_count(2)
    await expect(eva.card.get_by_role("link", name="the manual", exact=True)).to_have_count(2)


@requirement("N8")
async def test_a_planted_session_of_somebody_else_signs_nobody_in_as_them(
    server: Server, screen: OpenScreen, thread: str
) -> None:
    eva, mallory = await screen(place_of(thread)), await screen(place_of(thread), name="Mallory")
    eva.expect_errors("401")
    [own] = await mallory.context.cookies()
    async with neighbour() as next_door:
        # HttpOnly as ours: the browser lets a neighbour replace it, and then it fits no second half.
        next_door.plants.append(f"{own.get('name')}={own.get('value')}; Path=/; HttpOnly; SameSite=Strict")
        await eva.page.goto(next_door.url)
    await eva.go(place_of(thread))
    await eva.page.wait_for_url("**/login?next=*")
    await expect(eva.page.get_by_role("heading", name="Sign in")).to_be_visible()


@requirement("N8", "I1")
async def test_a_link_signs_in_once_and_its_code_leaves_the_address(
    chromium: Browser, server: Server, screen: OpenScreen, thread: str
) -> None:
    link = await login_link(server, "Eva")
    async with httpx2.AsyncClient() as preview:
        for method in ("GET", "HEAD"):
            assert "set-cookie" not in (await preview.request(method, link)).headers
    context = await chromium.new_context(locale="en-GB")
    page = await context.new_page()
    await page.goto(f"{link}&next={place_of(thread)}")
    await page.wait_for_url(f"{server.url}{place_of(thread)}")
    await expect(page.locator("#me")).to_have_text("Eva")
    await page.go_back()
    assert "#" not in page.url
    foreign_screen = await screen("/")
    foreign_screen.expect_errors("401")
    await foreign_screen.lose_session()
    await foreign_screen.page.goto(link)
    await expect(foreign_screen.page.get_by_role("status")).to_contain_text(
        "unknown, expired or already used"
    )
    assert urlsplit(foreign_screen.page.url).fragment == ""
    # A new link, opened in the same tab, changes only the fragment of the address.
    await foreign_screen.page.goto(await login_link(server, "Eva"))
    await expect(foreign_screen.page.locator("#me")).to_have_text("Eva")
    await foreign_screen.lose_session()
    await foreign_screen.go("/login")
    # Pasted into the field, as somebody does who gets the link on another device.
    await foreign_screen.page.get_by_label("Sign-in link, code or token").fill(
        await login_link(server, "Eva")
    )
    await foreign_screen.page.get_by_role("button", name="Sign in").click()
    await expect(foreign_screen.page.locator("#me")).to_have_text("Eva")
    await foreign_screen.go("/login")
    await foreign_screen.page.get_by_label("Sign-in link, code or token").fill(TOKENS["responder/bob"])
    await foreign_screen.page.get_by_role("button", name="Sign in").click()
    await expect(foreign_screen.page.locator("#me")).to_have_text("bob")
    await context.close()


LEADS_TO = {
    "/r/req_1": "/r/req_1",
    "/t/a%2Fb": "/t/a%2Fb",
    "//evil.example": "/",
    "https://evil.example": "/",
    "/t/../../x": "/",
    "javascript:alert(1)": "/",
    "/t/x?y=//z": "/",
    "/login": "/",
    "/t/a?lang=de": "/t/a",
}


async def test_a_login_leads_only_to_our_own_pages(server: Server, screen: OpenScreen) -> None:
    eva = await screen("/")
    eva.expect_errors("404")
    findings: dict[str, str] = {}
    for wanted in LEADS_TO:
        await eva.page.goto(f"{await login_link(server, 'Eva')}&next={quote(wanted, safe='')}")
        await eva.page.get_by_role("button", name="Use this link").click()
        await eva.page.wait_for_url(lambda url: "/login" not in url)
        findings[wanted] = urlsplit(eva.page.url).path
    assert findings == LEADS_TO


async def test_a_login_keeps_the_language_and_the_rest_of_the_address_that_it_was_asked_for_on(
    screen: OpenScreen, thread: str
) -> None:
    eva = await screen(f"/t/{thread}?lang=de")
    await expect(eva.page.get_by_role("button", name="Senden")).to_be_visible()
    await eva.lose_session()
    eva.expect_errors("401")
    for path in (f"/t/{thread}?lang=de", "/r/req_0?private"):
        await eva.page.goto(eva.origin + path, wait_until="commit")
        await eva.page.wait_for_url("**/login?next=*")
        assert parse_qs(urlsplit(eva.page.url).query)["next"] == [path]


async def test_the_sign_in_page_takes_a_code_once_it_can_use_it_in_any_language(
    server: Server, screen: OpenScreen
) -> None:
    event = anyio.Event()

    async def lose(route: Route) -> None:
        await event.wait()
        await route.abort()

    eva = await screen("/", locale="de-DE")
    eva.expect_errors("ERR_FAILED")
    await eva.lose_session()
    await eva.page.route("**/assets/de-*.js", lose)
    await eva.go("/login")
    await expect(eva.page.get_by_role("heading")).to_be_visible()
    await expect(eva.page.locator("#enter")).to_be_hidden()
    event.set()
    await eva.page.locator("#code").fill(await login_link(server, "Eva"))
    await eva.page.keyboard.press("Enter")
    await eva.page.wait_for_url(lambda url: "/login" not in url)


async def test_the_title_of_a_page_follows_its_language(screen: OpenScreen) -> None:
    eva = await screen("/no/such/page")
    eva.expect_errors("404")
    await expect(eva.page).to_have_title("Page not found – askback")
    await eva.page.evaluate("() => void (document.documentElement.lang = 'de')")
    await expect(eva.page).to_have_title("Seite nicht gefunden – askback")


async def test_the_sign_in_page_says_that_a_token_belongs_to_an_agent(screen: OpenScreen) -> None:
    eva = await screen("/")
    eva.expect_errors("401", "403")
    await eva.lose_session()
    await eva.go("/login")
    await eva.page.locator("#code").fill(TOKENS["requester"])
    await eva.page.keyboard.press("Enter")
    await expect(eva.page.get_by_role("status")).to_contain_text("This is the token of an agent")


@requirement("N15")
async def test_ending_a_session_closes_its_page_in_every_tab(
    server: Server, screen: OpenScreen, thread: str
) -> None:
    eva = await screen(place_of(thread), who={"user": "eva-on-two-devices"})
    eva.expect_errors("401")
    second = await eva.context.new_page()
    await second.goto(f"{server.url}{place_of(thread)}")
    for page in (eva.page, second):
        await expect(page.locator("#link")).to_have_text("Connected")
    await eva.composer.fill("half a sentence")
    async with server.person("admin") as admin:
        [session] = (await admin.http.get("/v1/sessions", params={"user": "eva-on-two-devices"})).json()[
            "sessions"
        ]
        assert (session["name"], "Chrom" in session["device"]) == ("Eva", True)
        assert (await admin.http.delete(f"/v1/sessions/{session['id']}")).status_code == 204
    for page in (eva.page, second):
        await page.wait_for_url("**/login?next=*")
        await expect(page.get_by_role("status")).to_contain_text("Your session has ended.")
        await expect(page.get_by_text("What you typed is kept in this browser for a day")).to_be_visible()
    await eva.page.locator("#code").fill(await login_link(server, "Eva"))
    await eva.page.keyboard.press("Enter")
    await expect(eva.page.locator("#link")).to_have_text("Connected")
    await second.evaluate("localStorage.clear()")
    await second.reload()
    await expect(second.get_by_text("Your session has ended.")).to_be_visible()
    await expect(second.get_by_text("What you typed is kept")).to_be_hidden()
    await second.goto(f"{server.url}/login")
    await expect(second.get_by_text("Your session has ended.")).to_be_hidden()


@requirement("N8")
async def test_tabs_share_a_new_login(server: Server, screen: OpenScreen, thread: str) -> None:
    eva = await screen(place_of(thread))
    first = await eva.browser_secret()
    second = await eva.context.new_page()
    await second.goto(f"{await login_link(server, 'Bo')}&next={place_of(thread)}")
    await second.get_by_role("button", name="Use this link").click()
    await expect(second.locator("#me")).to_have_text("Bo")
    assert await eva.browser_secret() != first
    assert await eva.page.evaluate("fetch('/v1/session').then((reply) => reply.status)") == 401
    eva.expect_errors("401")
    await eva.page.reload()
    await expect(eva.page.locator("#me")).to_have_text("Bo")
    headers = {HALF: await eva.browser_secret()}
    storage = await eva.page.evaluate(
        "(headers) => fetch('/v1/session', {headers}).then((reply) => reply.text())", headers
    )
    assert json.loads(storage)["principal"]["name"] == "Bo"


@requirement("N8")
async def test_a_link_of_somebody_else_replaces_no_session_without_a_click(
    server: Server, screen: OpenScreen, thread: str
) -> None:
    eva = await screen(place_of(thread))
    await expect(eva.link).to_have_text("Connected")
    first = await eva.browser_secret()
    tab = await eva.context.new_page()
    link = await login_link(server, "Mallory")
    await tab.goto(f"{link}&next=/secrets", referer="https://evil.example/")
    await expect(tab.get_by_role("status")).to_contain_text("You are signed in as Eva.")
    await expect(tab.get_by_role("status")).to_contain_text("This link may sign you in as somebody else.")
    assert urlsplit(tab.url).fragment == ""
    await tab.get_by_role("link", name="Stay signed in").click()
    await tab.wait_for_url(f"{server.url}/secrets")
    await expect(tab.locator("#me")).to_have_text("Eva")
    assert await eva.browser_secret() == first
    await tab.goto(link)
    await tab.get_by_role("button", name="Use this link").click()
    await expect(tab.locator("#me")).to_have_text("Mallory")
    # Its code is used up: the session stays.
    await tab.goto(link)
    await expect(tab.get_by_role("status")).to_contain_text("You are signed in as Mallory.")
    await tab.get_by_role("button", name="Use this link").click()
    await expect(tab.locator("#me")).to_have_text("Mallory")


@requirement("N8")
async def test_a_link_that_another_site_opens_signs_nobody_in_without_a_click(
    chromium: Browser, server: Server
) -> None:
    context = await chromium.new_context(locale="en-GB")
    page = await context.new_page()
    link = await login_link(server, "Eva")
    await page.goto(link, referer="https://evil.example/")
    await expect(page.get_by_role("status")).to_contain_text("Another site opened this sign-in link.")
    assert await context.cookies() == []
    await page.get_by_role("button", name="Use this link").click()
    await expect(page.locator("#me")).to_have_text("Eva")
    await context.close()


SLOW_WRITES = """
  const put = IDBObjectStore.prototype.put;
  IDBObjectStore.prototype.put = function (...args) {
    let left = 3000;
    const more = () => { if (left-- > 0) this.get("half").onsuccess = more; };
    const asked = put.apply(this, args);
    asked.addEventListener("success", more);
    return asked;
  };
"""
"""A write is put down at once, and committed only after many reads."""


@requirement("N8")
async def test_the_page_after_a_login_opens_once_the_session_is_written(
    screen: OpenScreen, thread: str
) -> None:
    eva = await screen(place_of(thread), before=lambda page: page.add_init_script(SLOW_WRITES))
    await expect(eva.page.locator("#me")).to_have_text("Eva")
