"""Every page with live content: accessible, quiet, narrow, dark, and silent about secrets."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.async_api import expect

from askback import AsyncClient
from tests.journeys.browser import OpenScreen, form, login_link, place_of
from tests.journeys.conftest import TOKENS, Server
from tests.journeys.people import Person, Team
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

ABC = ["Alpha", "Beta", "Gamma"]
QUESTIONS: list[dict[str, Any]] = [
    form({"type": "text", "required": True}, {"type": "radio", "options": ABC, "allow_other": True}),
    form({"type": "select", "widget": "buttons", "options": ABC}, allow_skip=True),
    form({"type": "multiselect", "options": ABC}, {"type": "datetime"}, description="**Bold** and `code`"),
    form({"type": "select", "options": [f"Option {n}" for n in range(12)]}),
]


@pytest.fixture
async def live_page(server: Server, team: Team, thread: str) -> AsyncIterator[str]:
    """A thread with messages, open questions, and one of each outcome."""
    async with AsyncClient(server.url, team.agent.token) as agent:
        await fill(agent, team.ada, thread)
        yield thread


async def fill(agent: AsyncClient, ada: Person, thread: str) -> None:
    tool = {"type": "tool", "tool_call_id": "c1", "name": "write_files", "input": {"path": "a" * 200}}
    await agent.threads.create_message(
        [{"type": "text", "text": "Let me see. " * 20}, tool], thread_id=thread
    )
    for question in QUESTIONS:
        await agent.requests.create(question, thread_id=thread, agent="scaffolder")
    answered_request = await agent.requests.create(QUESTIONS[0], thread_id=thread, tool_call_id="c1")
    await ada.answer(answered_request.id, {"q0": "W" * 300, "q1": "Beta"})
    declined_request = await agent.requests.create(QUESTIONS[1], thread_id=thread)
    await ada.decline(declined_request.id, "skipped", note="Not now")
    await agent.requests.cancel(await agent.requests.create(QUESTIONS[2], thread_id=thread), "superseded")
    await agent.say("https://example.org/" + "long/" * 40, thread_id=thread)


async def first_open_id(team: Team, thread: str) -> str:
    return (await team.ada.pending(thread))[0]["id"]


@requirement("J4", "I6")
async def test_axe_finds_nothing_on_any_page(screen: OpenScreen, team: Team, live_page: str) -> None:
    eva = await screen(place_of(live_page), team=team)
    await expect(eva.card).to_have_count(7)
    await expect(eva.card.locator(".title")).to_have_count(4)
    await eva.card.nth(1).get_by_role("button", name="Submit").click()
    await expect(eva.card.get_by_role("alert")).to_be_visible()
    violations = {"thread": await eva.violations("light", "dark")}
    pages = {
        "request": f"/r/{await first_open_id(team, live_page)}",
        "inbox": "/",
        "missing": "/r/req_00000000000000000000000000",
        "empty": "/t/nothing-here",
        "login": "/login",
    }
    for name, path in pages.items():
        await eva.go(path)
        if name != "login":
            await expect(eva.link).to_have_text("Connected")
        violations[name] = await eva.violations("light", "dark")
    assert violations == dict.fromkeys(violations, [])


@requirement("J4", "I6")
async def test_axe_sees_a_planted_fault_in_the_real_page(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    await agent.requests.create(form({"type": "text"}), thread_id=thread)
    eva = await screen(place_of(thread))
    await eva.card.locator("label").evaluate("(label) => label.remove()")
    assert [rule for rule, _ in await eva.violations()] == ["label"]
    await eva.card.locator(".title").evaluate("(title) => title.style.color = 'light-dark(#000, #333)'")
    assert {rule for rule, _ in await eva.violations("light", "dark")} == {
        "light: label",
        "dark: color-contrast",
    }


@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
async def test_nothing_hangs_over_at_320_pixels(
    screen: OpenScreen, team: Team, live_page: str, locale: str
) -> None:
    eva = await screen(place_of(live_page), team=team, locale=locale, viewport={"width": 320, "height": 640})
    await expect(eva.card.locator(".title")).to_have_count(4)
    await eva.card.locator("summary").click()
    await expect(eva.card.locator("dl")).to_be_visible()
    widths = {"thread": await eva.width()}
    for name, path in {
        "request": f"/r/{await first_open_id(team, live_page)}",
        "inbox": "/",
        "login": "/login",
    }.items():
        await eva.go(path)
        if name != "login":
            await expect(eva.link).to_have_text(("Connected", "Verbunden")[locale == "de-DE"])
        widths[name] = await eva.width()
    assert widths == dict.fromkeys(widths, 320)


@requirement("J11")
async def test_every_page_fits_in_the_dark_and_from_right_to_left_without_motion(
    screen: OpenScreen, team: Team, live_page: str
) -> None:
    eva = await screen(place_of(live_page), team=team, color_scheme="dark", reduced_motion="reduce")
    await expect(eva.card.locator(".title")).to_have_count(4)
    request = await first_open_id(team, live_page)
    widths = (320, 768, 1280)
    results_by_page = {}
    for path in (
        place_of(live_page),
        f"/r/{request}",
        "/",
        f"/inbox/{request}",
        "/history",
        "/rules",
        "/agents",
    ):
        await eva.go(path)
        await eva.page.evaluate("document.documentElement.dir = 'rtl'")
        await expect(eva.link).to_have_text("Connected")
        results_by_page[path] = [await eva.page.evaluate("document.getAnimations().length")]
        for width in widths:
            await eva.page.set_viewport_size({"width": width, "height": 800})
            results_by_page[path].append(await eva.width())
    assert results_by_page == dict.fromkeys(results_by_page, [0, *widths])


@requirement("I6", "I3")
async def test_after_signing_in_no_address_and_no_script_holds_a_secret(
    screen: OpenScreen, server: Server, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(form({"type": "text"}), thread_id=thread)
    eva = await screen(place_of(thread))
    await eva.card.get_by_role("textbox").fill("my answer")
    await eva.button("Submit").click()
    await expect(eva.card.locator("summary")).to_be_visible()
    [cookie] = [c["value"] for c in await eva.context.cookies()]  # type: ignore[typeddict-item]  # ours has a value
    browser_secret = await eva.browser_secret()
    secrets = [cookie, browser_secret, "my answer", *TOKENS.values()]
    assert len(browser_secret) >= 43
    assert eva.page.url == f"{server.url}{place_of(thread)}"
    # The code of the link is a fragment, which is in no request and removed from the address.
    assert [address for address in eva.fetched if "#" in address or "code=" in address] == []
    assert [address for address in eva.fetched if any(secret in address for secret in secrets)] == []
    stored = await eva.page.evaluate(
        "JSON.stringify([document.cookie, document.referrer, {...localStorage}, {...sessionStorage}])"
    )
    assert stored == '["","",{},{}]'
    assert {urlsplit(address).netloc for address in eva.fetched} == {urlsplit(server.url).netloc}
    assert (await agent.requests.get(request.id)).settled_by is not None


@requirement("I1", "I3")
async def test_a_link_works_once_and_signing_out_ends_it(
    screen: OpenScreen, server: Server, agent: AsyncClient, thread: str
) -> None:
    await agent.requests.create(form({"type": "text"}), thread_id=thread)
    link = await login_link(server, "Eva")
    eva = await screen(place_of(thread))
    await eva.page.goto(f"{link}&next=/")
    await eva.page.get_by_role("button", name="Use this link").click()
    await expect(eva.page.get_by_role("heading", name="Inbox")).to_be_visible()
    await eva.page.get_by_role("button", name="Sign out").click()
    await expect(eva.page.get_by_role("heading", name="Sign in")).to_be_visible()
    eva.expect_errors("status of 401", "status of 403", "status of 404", "status of 410")
    await eva.page.goto(f"{link}&next={place_of(thread)}")
    await expect(eva.card).to_have_count(0)
    await eva.go(place_of(thread))
    await expect(eva.page.get_by_role("heading", name="Sign in")).to_be_visible()


@requirement("J4")
async def test_news_is_announced_once_and_politely(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    eva = await screen(place_of(thread))
    news = eva.page.locator("askback-thread [role=status]:not(.hint)")
    await expect(eva.page.get_by_text("There is no conversation")).to_be_visible()
    request = await agent.requests.create(form({"type": "text"}, title="A name?"), thread_id=thread)
    await expect(news).to_have_text(["New question: A name?"])
    await agent.requests.cancel(request)
    await expect(news).to_have_text(["Closed: A name?"])
