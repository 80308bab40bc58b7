"""The parts for receipts, Markdown and the rules of fields: when they are fetched, and what happens without them."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

import anyio
import pytest
from playwright.async_api import Page, Route, expect

from askback import AsyncClient
from tests.e2e.static_server import STATIC
from tests.journeys.browser import OpenScreen, Posts, Screen, Wire, answer_of, form, place_of
from tests.journeys.people import Team, request_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

MARKDOWN = "**/assets/rich-*"
RULES = "**/assets/rules-*"
LUNCH: dict[str, Any] = form({"type": "text", "label": "Dish"}, title="Lunch")
AGE: dict[str, Any] = form(
    {"type": "number", "label": "Years", "min": 18, "required": True},
    {"type": "text", "label": "Name"},
    title="Guest",
)
RICH: dict[str, Any] = {**LUNCH, "description": "Eat **well**."}


def fetch_count(shown_screen: Screen, part: str) -> int:
    """How often a part was fetched."""
    return len([address for address in shown_screen.fetched if f"/assets/{part}-" in address])


def lose(part: str, wire: Wire | None = None) -> Callable[[Page], Awaitable[None]]:
    """Return what prepares a page so that every request for a part fails; `wire` watches its connection."""

    async def prepare(page: Page) -> None:
        if wire is not None:
            await wire.watch(page)
        await page.route(part, lambda route: route.abort())

    return prepare


async def bring_back(shown_screen: Screen, part: str, wire: Wire) -> None:
    """Let requests for a part pass, and have the page connect again."""
    await shown_screen.page.unroute(part)
    await wire.cut()


@pytest.mark.parametrize(("page", "rich"), [("/t", 1), ("/r", 0)])  # a conversation draws Markdown
async def test_an_open_form_fetches_no_receipt_and_its_answer_fetches_it_once(
    screen: OpenScreen, agent: AsyncClient, thread: str, page: str, rich: int
) -> None:
    request = await agent.requests.create(LUNCH, thread_id=thread)
    eva = await screen(place_of(thread) if page == "/t" else f"/r/{request.id}")
    await eva.card.get_by_label("Dish").fill("soup")
    assert (fetch_count(eva, "receipt"), fetch_count(eva, "rich")) == (0, rich)
    await eva.page.keyboard.press("Control+Enter")
    await expect(eva.card.locator("summary")).to_be_focused()
    assert await answer_of(agent, request) == {"q0": "soup"}
    assert (fetch_count(eva, "receipt"), fetch_count(eva, "rich")) == (1, rich)


@pytest.mark.parametrize(("page", "part"), [("/t", "receipt"), ("/r", "devicestore")])
async def test_without_the_receipt_module_the_card_is_marked_answered_and_completed_after_a_reconnect(
    screen: OpenScreen, agent: AsyncClient, thread: str, page: str, part: str
) -> None:
    request = await agent.requests.create(LUNCH, thread_id=thread)
    wire = Wire()
    eva = await screen(
        place_of(thread) if page == "/t" else f"/r/{request.id}", before=lose(f"**/assets/{part}-*", wire)
    )
    eva.expect_errors("net::ERR_FAILED")
    await eva.card.get_by_label("Dish").fill("soup")
    await eva.button("Submit").click()
    await expect(eva.card.locator(".plain")).to_have_text("Answered: Lunch")
    await expect(eva.card.locator(".plain")).to_be_focused()
    assert await answer_of(agent, request) == {"q0": "soup"}
    assert await eva.violations() == []
    await bring_back(eva, f"**/assets/{part}-*", wire)
    await expect(eva.card.locator("summary")).to_contain_text("soup")
    await expect(eva.card.locator("summary")).to_be_focused()


@pytest.mark.parametrize("page", ["thread", "request"])
async def test_a_part_loads_though_the_first_request_for_each_of_its_files_fails(
    screen: OpenScreen, team: Team, thread: str, page: str
) -> None:
    request = request_of(await team.agent.bash(thread, "make test"))
    loaded_files = set(re.findall(r"/static/assets/[\w.-]+", (STATIC / f"{page}.html").read_text()))
    lost_files: set[str] = set()

    async def lose_first(route: Route) -> None:
        path = urlsplit(route.request.url).path
        is_lost = path not in loaded_files | lost_files
        lost_files.update({path} - loaded_files)
        await (route.abort() if is_lost else route.continue_())

    async def prepare(page: Page) -> None:
        await page.route("**/assets/*", lose_first)

    eva = await screen(
        place_of(thread) if page == "thread" else f"/r/{request['id']}", team=team, before=prepare
    )
    eva.expect_errors("net::ERR_FAILED")
    await eva.button("Deny").click()
    await expect(eva.card.locator("summary")).to_contain_text("Denied by Eva")
    assert {"kind", "highlight.css"} <= {file.split("/")[-1].split("-")[0] for file in lost_files}


async def test_without_the_part_for_markdown_a_form_shows_its_text_and_is_answered(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(RICH, thread_id=thread)
    wire = Wire()
    eva = await screen(f"/r/{request.id}", before=lose(MARKDOWN, wire))
    eva.expect_errors("net::ERR_FAILED")
    await expect(eva.card.locator(".description")).to_have_text("Eat **well**.")
    await eva.card.get_by_label("Dish").fill("soup")
    await bring_back(eva, MARKDOWN, wire)
    await expect(eva.card.locator(".description strong")).to_have_text("well")
    await expect(eva.card.get_by_label("Dish")).to_have_value("soup")
    await expect(eva.card.get_by_label("Dish")).to_be_focused()
    await eva.button("Submit").click()
    assert await answer_of(agent, request) == {"q0": "soup"}


async def test_the_rules_of_the_fields_are_fetched_once_while_the_first_form_is_read(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    await agent.requests.create(AGE, thread_id=thread)
    await agent.requests.create(LUNCH, thread_id=thread)
    eva = await screen(place_of(thread))
    first = eva.card.nth(0)
    await first.get_by_label("Years").fill("9")
    await first.get_by_role("button", name="Submit").click()
    await expect(first.locator("#problems")).to_be_focused()
    await expect(first.locator(".error")).to_contain_text("Must be at least 18.")
    assert fetch_count(eva, "rules") == 1
    assert not [address for address in eva.fetched if address.endswith("/answer")]


@pytest.mark.parametrize(
    ("language", "message"),
    [("en-GB", "Must be at least 18."), ("de-DE", "Muss mindestens 18 sein.")],
)
async def test_without_the_rules_module_the_server_reports_the_errors(
    screen: OpenScreen, agent: AsyncClient, thread: str, language: str, message: str
) -> None:
    request = await agent.requests.create(AGE, thread_id=thread)
    eva = await screen(f"/r/{request.id}", before=lose(RULES), locale=language)
    eva.expect_errors("net::ERR_FAILED", "422")
    await eva.card.get_by_label("Name").fill("Bo")
    await eva.card.get_by_label("Years").fill("9")
    await eva.page.keyboard.press("Control+Enter")
    await expect(eva.card.locator("#problems")).to_be_focused()
    await expect(eva.card.locator(".error")).to_contain_text(message)
    assert await eva.violations() == []
    await eva.card.get_by_label("Years").fill("19")
    await eva.page.unroute(RULES)
    await eva.page.keyboard.press("Control+Enter")
    await expect(eva.card.locator("summary")).to_be_focused()
    assert await answer_of(agent, request) == {"q0": 19, "q1": "Bo"}


async def test_without_the_rules_module_an_incomplete_date_is_not_empty(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(
        form({"type": "date", "label": "Day"}, {"type": "text", "label": "Name"}), thread_id=thread
    )
    eva = await screen(f"/r/{request.id}", before=lose(RULES))
    eva.expect_errors("net::ERR_FAILED")
    await eva.card.get_by_label("Name").fill("Bo")
    await eva.card.get_by_label("Day").press("1")
    await eva.button("Submit").click()
    await expect(eva.card.locator(".error")).to_contain_text("Enter a valid date/time value.")
    assert not [address for address in eva.fetched if address.endswith("/answer")]


@requirement("N18")
async def test_an_answer_waits_for_the_rules_module_to_load(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(AGE, thread_id=thread)
    release = anyio.Event()
    posts = Posts()

    async def hold(route: Route) -> None:
        await release.wait()
        await route.continue_()

    async def prepare(page: Page) -> None:
        await posts.watch(page)
        await page.route(RULES, hold)

    eva = await screen(place_of(thread), before=prepare)
    await eva.card.get_by_label("Name").fill("Bo")
    await eva.button("Submit").click()
    await eva.button("Submit").click()
    await expect(eva.card.locator("#problems")).to_have_count(0)
    release.set()
    await expect(eva.card.locator("#problems")).to_be_focused()
    await expect(eva.card.locator(".error")).to_have_text("This field is required.")
    assert posts.keys == []
    await eva.card.get_by_label("Years").fill("19")
    await eva.button("Submit").click()
    await expect(eva.card.locator("summary")).to_be_focused()
    assert await answer_of(agent, request) == {"q0": 19, "q1": "Bo"}
    assert len(posts.keys) == 1


async def test_an_answer_is_checked_by_the_server_when_the_rules_take_too_long(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(AGE, thread_id=thread)
    release = anyio.Event()

    async def hold(route: Route) -> None:
        await release.wait()
        await route.continue_()

    async def prepare(page: Page) -> None:
        await page.route(RULES, hold)

    eva = await screen("/t/empty", before=prepare)
    # With a clock that runs ahead no ping is answered in time.
    eva.expect_errors("422", "WebSocket")
    await eva.page.clock.install()
    await eva.go(place_of(thread))
    await eva.card.get_by_label("Name").fill("Bo")
    await eva.button("Submit").click()
    await eva.page.clock.run_for(2_000)
    await expect(eva.card.locator("#problems")).to_be_focused()
    await expect(eva.card.locator(".error")).to_contain_text("This field is required.")
    release.set()
    await eva.card.get_by_label("Years").fill("19")
    await eva.button("Submit").click()
    await expect(eva.card.locator("summary")).to_be_focused()
    assert await answer_of(agent, request) == {"q0": 19, "q1": "Bo"}


async def test_without_the_composer_a_conversation_shows_what_happens_next(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    await agent.requests.create(LUNCH, thread_id=thread)
    eva = await screen(place_of(thread), before=lose("**/assets/c{omposer,hat}-*"))
    eva.expect_errors("net::ERR_FAILED")
    await eva.card.get_by_label("Dish").fill("soup")
    await agent.requests.create(AGE, thread_id=thread)
    await expect(eva.card.get_by_label("Years")).to_be_visible()
    await expect(eva.page.locator("askback-thread [role=status]")).to_have_text("New question: Guest")
    await expect(eva.card.get_by_label("Dish")).to_have_value("soup")
    await expect(eva.card.get_by_label("Dish")).to_be_focused()
    await agent.say("Thanks.", thread_id=thread)
    await expect(eva.page.get_by_text("Thanks.")).to_be_visible()


async def test_a_page_that_asks_for_a_file_of_an_earlier_version_offers_to_reload(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    eva = await screen(place_of(thread), team=team)
    await eva.composer.fill("One moment")
    await eva.page.route("**/assets/*", lambda route: route.fulfill(status=404))
    eva.expect_errors("404")
    await team.agent.bash(thread, "make test")
    await expect(eva.card).to_contain_text("Unknown widget type — update your client")
    assert await eva.violations() == []
    await eva.page.unroute("**/assets/*")
    await eva.button("Reload page").click()
    await eva.button("Deny").click()
    await expect(eva.card.locator("summary")).to_contain_text("Denied by Eva")
    await expect(eva.composer).to_have_value("One moment")


async def test_a_dangerous_option_waits_for_the_module_that_asks_about_it(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    options = [{"value": "keep", "label": "Keep"}, {"value": "drop", "label": "Drop", "style": "danger"}]
    request = await agent.requests.create(form({"type": "radio", "options": options}), thread_id=thread)
    wire = Wire()
    eva = await screen(f"/r/{request.id}", before=lose("**/assets/warning-*", wire))
    eva.expect_errors("net::ERR_FAILED")
    await expect(eva.button("Dismiss")).to_be_visible()
    await bring_back(eva, "**/assets/warning-*", wire)
    await eva.card.get_by_text("Drop").click()
    await eva.button("Submit").click()
    await expect(eva.card.get_by_text("Really choose “Drop”?")).to_be_visible()
    await eva.button("Yes, send it").click()
    assert await answer_of(agent, request) == {"q0": "drop"}


async def test_a_date_time_field_waits_for_the_time_zone_module(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(form({"type": "datetime", "label": "Start"}), thread_id=thread)
    wire = Wire()
    eva = await screen(f"/r/{request.id}", before=lose("**/assets/timezone-*", wire))
    eva.expect_errors("net::ERR_FAILED")
    await expect(eva.button("Dismiss")).to_be_visible()
    await bring_back(eva, "**/assets/timezone-*", wire)
    await eva.card.get_by_label("Start").fill("2026-12-01T09:30")
    await eva.button("Submit").click()
    assert await answer_of(agent, request) == {"q0": "2026-12-01T09:30:00+01:00[Europe/Berlin]"}
