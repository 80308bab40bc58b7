"""The part of the page that draws approvals: loaded on demand, by keyboard, accessible, and with a failed load."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest
from playwright.async_api import Page, Route, expect

from tests.journeys.browser import OpenScreen, Screen, place_of
from tests.journeys.people import Team, decision_of_reply, request_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

PART = "**/assets/kind-*"
FORM = {"title": "A name?", "fields": [{"id": "name", "type": "text", "label": "Name"}]}


class Gate:
    """Holds the part until it is released, or drops it."""

    def __init__(self) -> None:
        self.asked_event = anyio.Event()
        self.open = anyio.Event()
        self.lost = False

    async def watch(self, page: Page) -> None:
        await page.route(PART, self._take)

    async def _take(self, route: Route) -> None:
        self.asked_event.set()
        await self.open.wait()
        await (route.abort() if self.lost else route.continue_())


def parts(shown_screen: Screen) -> list[str]:
    """How often the part was fetched."""
    return [address for address in shown_screen.fetched if "/assets/kind-" in address]


async def test_a_page_with_forms_alone_never_fetches_it(screen: OpenScreen, team: Team, thread: str) -> None:
    await team.agent.ask(thread, FORM)
    eva = await screen(place_of(thread), team=team)
    await expect(eva.card.get_by_role("textbox")).to_be_visible()
    assert parts(eva) == []
    await team.agent.bash(thread, "make test")
    await team.agent.bash(thread, "make check")
    await expect(eva.card).to_have_count(3)
    assert len(parts(eva)) == 1


@pytest.mark.parametrize("page", ["/t", "/r"])
async def test_a_page_that_opens_on_an_approval_shows_it_in_one_go(
    screen: OpenScreen, team: Team, thread: str, page: str
) -> None:
    request = request_of(await team.agent.bash(thread, "make test"))
    gate = Gate()
    eva = await screen(
        place_of(thread) if page == "/t" else f"/r/{request['id']}", team=team, before=gate.watch
    )
    with anyio.fail_after(120):
        await gate.asked_event.wait()
    await expect(eva.page.get_by_text("Loading…")).to_be_visible()
    await expect(eva.card).to_have_count(0 if page == "/t" else 1)
    await expect(eva.card.locator("[role=group]")).to_have_count(0)
    gate.open.set()
    await expect(eva.button("Deny")).to_be_visible()
    await expect(eva.page.get_by_text("Loading…")).to_have_count(0)


async def test_without_the_approval_module_the_page_works_and_the_call_can_be_dismissed(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.bash(thread, "make test"))
    await team.agent.ask(thread, FORM)
    gate = Gate()
    gate.lost = True
    gate.open.set()
    eva = await screen(place_of(thread), team=team, before=gate.watch)
    eva.expect_errors("net::ERR_FAILED")
    await expect(eva.card.get_by_role("textbox")).to_be_visible()
    await eva.button("Dismiss").click()
    ended_reply = await team.agent.http.get(f"/v1/requests/{request['id']}", params={"wait": 10})
    assert (ended_reply.json()["status"], ended_reply.json()["reason"]) == ("declined", "dismissed")


@requirement("B23")
async def test_the_changes_to_a_plan_are_sent_from_the_page_of_the_request(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    plan = request_of(await team.agent.plan(thread, "1. Move the table"))
    eva = await screen(f"/r/{plan['id']}", team=team)
    await eva.button("Request changes").click()
    await eva.card.get_by_label("What should change?").fill("Leave the table.")
    await eva.button("Send").click()
    await expect(eva.card.locator("summary")).to_contain_text("Leave the table.")


@requirement("J3")
async def test_tab_goes_from_deny_to_always_and_escape_answers_nothing(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.bash(thread, "make test"))
    eva = await screen(f"/r/{request['id']}", team=team)
    await expect(eva.button("Allow once")).not_to_have_attribute("aria-disabled", "true")
    await eva.tab_to("deny")
    await eva.page.keyboard.press("Tab")
    assert await eva.focused() == "more"
    await eva.page.keyboard.press("Enter")
    await expect(eva.button("Never allow…")).to_be_focused()
    for name in ("always", "thread", "once"):
        await eva.page.keyboard.press("Tab")
        assert await eva.focused() == name
    for _ in range(2):
        await eva.page.keyboard.press("Shift+Tab")
    await eva.page.keyboard.press("Escape")
    await eva.page.keyboard.press("Control+Enter")
    await expect(eva.button("Always allow…")).to_be_visible()
    await eva.page.keyboard.press("Enter")
    await expect(eva.button("Go back")).to_be_focused()
    await eva.page.keyboard.press("Escape")
    await expect(eva.button("Always allow…")).to_be_focused()
    assert (await team.ada.get(request["id"]))["status"] == "pending"
    await expect(eva.button("Always allow…")).not_to_have_attribute("aria-disabled", "true")
    await eva.page.keyboard.press("Enter")
    keep = eva.button("Always allow")
    await expect(keep).not_to_have_attribute("aria-disabled", "true")
    await eva.page.keyboard.press("Tab")
    await expect(keep).to_be_focused()
    await eva.page.keyboard.press("Enter")
    await expect(eva.card.locator(".card > summary")).to_be_focused()
    assert [rule["rule"] for rule in await team.ada.rules()] == ["bash(make test)"]


@requirement("N9")
@pytest.mark.parametrize("label", ["Always allow", "Never allow"])
async def test_a_rule_is_kept_for_this_agent_unless_every_agent_is_chosen(
    screen: OpenScreen, team: Team, thread: str, label: str
) -> None:
    for index, for_every_agent in enumerate([False, True]):
        request = request_of(await team.agent.bash(thread, f"make all-{index}"))
        eva = await screen(f"/r/{request['id']}", team=team)
        await eva.press_more(f"{label}…")
        name = request["requester"]["name"]
        await expect(eva.card.get_by_role("radio", name=f"Only {name}")).to_be_checked()
        if for_every_agent:
            await eva.card.get_by_role("radio", name=f"Only {name}").focus()
            await eva.page.keyboard.press("ArrowDown")
            await expect(eva.card.get_by_role("radio", name="Every agent")).to_be_checked()
        await eva.button(label).click()
        await expect(eva.card.locator(".card > summary")).to_be_visible()
        agent = None if for_every_agent else request["requester"]["id"]
        rules_by_agent = {rule["rule"]: rule["agent"] for rule in await team.ada.rules()}
        assert rules_by_agent[f"bash(make all-{index})"] == agent


@requirement("N7")
async def test_a_folder_is_granted_on_the_card_and_the_call_allowed_once(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.bash(thread, "cat notes.md", cwd="/srv/shop"))
    eva = await screen(f"/r/{request['id']}", team=team)
    await eva.press_more("Allow reading in /srv/shop")
    await expect(eva.card.locator(".sure")).to_contain_text(
        f"Let {request['requester']['name']} read in /srv/shop without asking?"
    )
    await expect(eva.button("Go back")).to_be_focused()
    await eva.page.keyboard.press("Escape")
    await expect(eva.button("Allow reading in /srv/shop")).to_be_focused()
    assert (await team.ada.get(request["id"]))["status"] == "pending"
    await eva.button("Allow reading in /srv/shop").click()
    await eva.button("Allow reading").click()
    await eva.card.locator("summary").click()
    await expect(eva.card.locator("dl")).to_contain_text("Reading allowed in/srv/shop")
    answer = (await team.ada.get(request["id"]))["answer"]
    assert (answer["decision"], answer["scope"], answer["root"]) == ("approve", "once", "/srv/shop")
    assert await team.ada.rules() == []
    second_reply = await team.agent.bash(thread, "cat other.md", cwd="/srv/shop")
    assert decision_of_reply(second_reply) == ("approve", "policy")


@requirement("N7")
async def test_a_folder_is_offered_only_where_one_person_may_grant_it_for_reading(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    await team.admin.set_policy(mode="accept_edits")
    edit = {"file_path": "/srv/shop/a.py", "content": "x"}
    calls = [
        request_of(await team.agent.bash(thread, "cat a.md", cwd="/srv/shop", quorum=2)),
        request_of(await team.agent.approve(thread, "Write", edit)),
        request_of(await team.agent.bash(thread, "make", cwd="/srv/shop")),
    ]
    for request in calls:
        eva = await screen(f"/r/{request['id']}", team=team)
        await expect(eva.button("Allow once")).to_be_visible()
        await expect(eva.card.get_by_role("button", name="Allow reading")).to_have_count(0)


@requirement("J4", "N9")
async def test_the_second_step_of_a_card_fits_at_320_pixels_in_german(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    folder = "/srv/" + "-".join(["kundenverwaltung"] * 4)
    request = request_of(await team.agent.bash(thread, "cat notes.md", cwd=folder))
    small = {"viewport": {"width": 320, "height": 640}, "locale": "de-DE"}
    eva = await screen(f"/r/{request['id']}", team=team, **small)
    await eva.card.locator("#more").click()
    await expect(eva.card.locator("#root")).not_to_have_attribute("aria-disabled", "true")
    assert (await eva.width(), await eva.violations("light", "dark")) == (320, [])
    for step in ("root", "always"):
        await eva.card.locator(f"#{step}").click()
        await expect(eva.card.locator(".sure")).to_be_visible()
        assert (await eva.width(), await eva.violations("light", "dark")) == (320, [])
        targets = eva.card.locator(".bar button, .sure label")
        boxes = [await target.bounding_box() for target in await targets.all()]
        assert [box for box in boxes if box is None or box["height"] < 44] == []
        await eva.page.keyboard.press("Escape")


EVA = {"user": "eva"}


@asynccontextmanager
async def live_page(team: Team, thread: str) -> AsyncIterator[None]:
    """A thread with one of each kind of approval, open and ended."""
    agent, ada = team.agent, team.ada
    finished_request = request_of(await agent.bash(thread, "make all", title="Build", reason="to see"))
    await ada.decide(finished_request["id"], "approve", scope="always", note="Go on.")
    denied_request = request_of(await agent.bash(thread, "make release"))
    await ada.decide(denied_request["id"], "deny", note="Not today.")
    await agent.bash(thread, "ls -la")
    await agent.bash(thread, f"rm -rf {'build/' * 40}", reason="**Clean** up", risk={"level": "danger"})
    await agent.bash(thread, "\n".join(f"make {index}" for index in range(40)), scopes=["once"])
    call = {"path": "src/a.py", "content": "one\n" + "long " * 80}
    await agent.approve(thread, "write_file", call, preview={"before": "two\n"}, allow_edit=True)
    await agent.approve(thread, "mcp__github__create_issue", {"title": "T" * 300}, project="web")
    await agent.plan(thread, "1. **Move** the table\n2. Run `make`")
    await agent.bash(thread, "make sure", quorum=2, assignees=["eva", ada.id])
    yield


@requirement("J4", "I6")
async def test_axe_finds_nothing_in_approvals(screen: OpenScreen, team: Team, thread: str) -> None:
    async with live_page(team, thread):
        eva = await screen(place_of(thread), team=team, who=EVA)
        await expect(eva.card).to_have_count(9)
        for index in range(3):
            await eva.card.nth(index).locator("summary").first.click()
        await expect(eva.card.nth(3).get_by_role("button", name="Allow once")).to_be_visible()
        violations = {"open": await eva.violations("light", "dark")}
        await eva.card.nth(3).get_by_role("button", name="Allow once").click()
        await eva.card.nth(6).get_by_role("button", name="More choices").click()
        await eva.card.nth(6).get_by_role("button", name="Always allow…").click()
        await eva.card.nth(5).get_by_role("button", name="Edit").click()
        await eva.card.nth(7).get_by_role("button", name="Request changes").click()
        # The actions stick to the edge: what they cover there counts as too small, until it is scrolled into view.
        await eva.card.nth(8).locator("#deny").scroll_into_view_if_needed()
        await expect(eva.page.get_by_text("Really allow it?")).to_be_visible()
        violations["asking"] = await eva.violations("light", "dark")
        await eva.go("/")
        await expect(eva.page.locator("askback-place-inbox li:has(.row)")).to_have_count(6)
        violations["inbox"] = await eva.violations("light", "dark")
    assert violations == {"open": [], "asking": [], "inbox": []}


@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
async def test_nothing_of_an_approval_hangs_over_at_320_pixels(
    screen: OpenScreen, team: Team, thread: str, locale: str
) -> None:
    async with live_page(team, thread):
        eva = await screen(
            place_of(thread),
            team=team,
            who=EVA,
            locale=locale,
            viewport={"width": 320, "height": 640},
        )
        await expect(eva.card).to_have_count(9)
        await expect(eva.card.nth(8).locator("#deny")).to_be_visible()
        widths = [await eva.width()]
        await eva.go("/")
        await expect(eva.page.locator("askback-place-inbox li:has(.row)")).to_have_count(6)
        widths.append(await eva.width())
    assert widths == [320, 320]
