"""Options of a source on the page: searched, walked, chosen by keyboard, kept, and shown on the receipt (ADR 65)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
from playwright.async_api import expect

from askback import AsyncClient
from tests.journeys.browser import OpenScreen, answer_of, form, place_of
from tests.journeys.conftest import Server, start
from tests.requirements import requirement
from tests.source_house import SourceHouse, source_house

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

PLACE = {"type": "select", "label": "Place", "required": True, "options_from": {"source": "places"}}
PLACES = {**PLACE, "type": "multiselect"}
FILE = {"type": "radio", "label": "File", "options_from": {"source": "files", "tree": True}}


@pytest.fixture(scope="module")
def sources() -> Iterator[SourceHouse]:
    with source_house() as running_source_house:
        yield running_source_house


@pytest.fixture(scope="module")
def sourced(tmp_path_factory: pytest.TempPathFactory, sources: SourceHouse) -> Iterator[Server]:
    """A server with the sources."""
    process, running = start(tmp_path_factory.mktemp("sources"), settings=sources.settings)
    yield running
    process.terminate()
    assert process.wait(120) is not None


@pytest.fixture
async def requester(sourced: Server) -> AsyncIterator[AsyncClient]:
    """An agent at that server."""
    async with sourced.client() as client:
        yield client


@requirement("F9", "D20")
async def test_an_option_is_searched_and_chosen_by_keyboard(
    screen: OpenScreen, requester: AsyncClient, sourced: Server, thread: str
) -> None:
    request = await requester.requests.create(form(PLACE), thread_id=thread)
    eva = await screen(place_of(thread), target=sourced)
    await expect(eva.card.get_by_role("radio")).to_have_count(50)
    await expect(eva.card.get_by_text("The first 50 options are shown.")).to_be_visible()
    assert await eva.violations() == []
    await eva.button("Show more").click()
    await expect(eva.card.get_by_role("radio")).to_have_count(100)
    search = eva.card.get_by_role("searchbox")
    await search.fill("place 11")
    await expect(eva.card.get_by_text("Options found: 11")).to_be_visible()
    await search.focus()
    await eva.page.keyboard.press("ArrowDown")
    await expect(eva.card.get_by_label("Place 11", exact=True)).to_be_focused()
    await search.fill("place 117")
    await expect(eva.card.get_by_role("radio")).to_have_count(1)
    await search.focus()
    await eva.page.keyboard.press("Enter")
    await search.fill("nowhere")
    await expect(eva.card.get_by_text("Options found: 0")).to_be_visible()
    await expect(eva.card.get_by_label("Place 117")).to_be_checked()
    await eva.button("Submit").click()
    assert await answer_of(requester, request) == {"q0": 117}
    await expect(eva.card.locator("summary")).to_contain_text("Place 117")


@requirement("F9")
async def test_several_options_of_several_searches_are_kept(
    screen: OpenScreen, requester: AsyncClient, sourced: Server, thread: str
) -> None:
    request = await requester.requests.create(form({**PLACES, "default": [3]}), thread_id=thread)
    eva = await screen(place_of(thread), target=sourced)
    search = eva.card.get_by_role("searchbox")
    await expect(eva.card.get_by_label("Place 3", exact=True)).to_be_checked()
    for wanted in ("Place 77", "Place 118"):
        await search.fill(wanted)
        await eva.card.get_by_label(wanted).check()
    await expect(eva.card.get_by_label("Place 77")).to_be_checked()
    await eva.button("Submit").click()
    assert sorted((await answer_of(requester, request))["q0"]) == [3, 77, 118]
    for label in ("Place 3", "Place 77", "Place 118"):
        await expect(eva.card.locator("summary")).to_contain_text(label)


@requirement("F9", "J8")
async def test_a_chosen_option_survives_a_reload_with_its_label(
    screen: OpenScreen, requester: AsyncClient, sourced: Server, thread: str
) -> None:
    request = await requester.requests.create(form(PLACES, FILE), thread_id=thread)
    eva = await screen(place_of(thread), target=sourced)
    search = eva.card.get_by_role("searchbox")
    for wanted in ("Place 77", "Place 118"):
        await search.first.fill(wanted)
        await eva.card.get_by_label(wanted).check()
    await eva.button("Show what is in src").click()
    await eva.card.get_by_label("b.py").check()
    await eva.page.reload()
    await expect(eva.card.get_by_text("Your draft was restored from this device.")).to_be_visible()
    for label in ("Place 77", "Place 118", "b.py"):
        await expect(eva.card.get_by_label(label)).to_be_checked()
    assert await eva.violations() == []
    await eva.card.get_by_label("Place 77").uncheck()
    await eva.button("Clear: File").click()
    await eva.page.reload()
    await expect(eva.card.get_by_label("Place 118")).to_be_checked()
    await expect(eva.card.get_by_label("a.md")).to_be_visible()
    for label in ("Place 77", "b.py"):
        await expect(eva.card.get_by_label(label)).to_have_count(0)
    await eva.button("Submit").click()
    assert await answer_of(requester, request) == {"q0": [118]}
    await expect(eva.card.locator("summary")).to_contain_text("Place 118")


@requirement("F9", "D20")
async def test_a_tree_is_walked_by_keyboard(
    screen: OpenScreen, requester: AsyncClient, sourced: Server, thread: str
) -> None:
    request = await requester.requests.create(form(FILE), thread_id=thread)
    eva = await screen(place_of(thread), target=sourced)
    await expect(eva.card.get_by_role("radio")).to_have_count(1)
    await eva.button("Show what is in src").focus()
    await eva.page.keyboard.press("Enter")
    await expect(eva.card.get_by_role("searchbox")).to_be_focused()
    await expect(eva.card.get_by_label("b.py")).to_be_visible()
    assert await eva.violations() == []
    await eva.button("Back").click()
    await expect(eva.card.get_by_label("a.md")).to_be_visible()
    await eva.button("Show what is in src").click()
    await eva.card.get_by_label("b.py").check()
    await eva.button("Submit").click()
    assert await answer_of(requester, request) == {"q0": "/src/b.py"}


@requirement("F9", "N3")
async def test_a_source_that_fails_says_so_and_is_tried_again(
    screen: OpenScreen, requester: AsyncClient, sourced: Server, thread: str, sources: SourceHouse
) -> None:
    request = await requester.requests.create(form(PLACE), thread_id=thread)
    sources.is_down = True
    eva = await screen(place_of(thread), target=sourced)
    eva.expect_errors("status of 422")
    await expect(eva.card.get_by_text("The options can't be loaded right now.")).to_be_visible()
    sources.is_down = False
    await eva.button("Try again").click()
    await eva.card.get_by_label("Place 5", exact=True).check()
    sources.is_down = True
    await eva.button("Submit").click()
    await expect(eva.card.get_by_text("Try again in a moment.").first).to_be_visible()
    sources.is_down = False
    await eva.button("Submit").click()
    assert await answer_of(requester, request) == {"q0": 5}
