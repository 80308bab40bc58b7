"""The inbox of the application: filters, keys, the next one after each decision, and decisions about many."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Locator, Page, ViewportSize, expect

from tests.journeys.browser import OpenScreen, Screen, form
from tests.journeys.people import Team, request_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

UNDO_MS = 10_000
PAUSE_MS = 500


async def stop_the_clock(page: Page) -> None:
    """Let time pass in the page only on demand."""
    await page.clock.install()


def titles(shown_screen: Screen) -> Locator:
    """Return the texts of the rows."""
    return shown_screen.page.locator("askback-place-inbox .row .t")


async def press(shown_screen: Screen, *keys: str) -> None:
    """Press keys one after the other, after the request has been visible for long enough."""
    await shown_screen.page.clock.run_for(PAUSE_MS + 100)
    for key in keys:
        await shown_screen.page.keyboard.press(key)


async def wait_until_sent(shown_screen: Screen) -> None:
    """Let the time for Undo pass, until the server has replied."""
    async with shown_screen.page.expect_response("**/v1/requests/batch"):
        await shown_screen.page.clock.run_for(UNDO_MS + 1_000)
    await expect(shown_screen.page.get_by_role("button", name="Undo")).to_have_count(0)


async def statuses(team: Team, *requests: dict[str, Any]) -> list[tuple[str, str | None]]:
    """Return the status of requests, with the decision or the reason."""
    findings = [await team.ada.get(request["id"]) for request in requests]
    return [
        (finding["status"], finding["answer"]["decision"] if finding.get("answer") else finding.get("reason"))
        for finding in findings
    ]


@requirement("J3", "J9")
async def test_by_keyboard_one_request_is_decided_after_the_other(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    requests = [
        request_of(await team.agent.bash(thread, f"make {name}", timeout_s=3000 + index))
        for index, name in enumerate("abc")
    ]
    eva = await screen("/", team=team, before=stop_the_clock)
    await expect(titles(eva)).to_have_text(["Run: make a", "Run: make b", "Run: make c"])
    await eva.page.keyboard.press("j")
    await eva.page.keyboard.press("Enter")
    await expect(eva.card).to_contain_text("make a")
    await press(eva, "a")
    await expect(eva.page.get_by_text("Allowed: Run: make a")).to_be_visible()
    await expect(eva.page).to_have_url(f"{eva.origin}/inbox/{requests[1]['id']}")
    await expect(eva.card).to_contain_text("make b")
    await expect(eva.button("Allow once")).to_be_visible()
    await press(eva, "d")
    await expect(eva.card).to_contain_text("make c")
    await expect(eva.page).to_have_title("(1) Run: make c – askback")
    await expect(eva.card.locator("#title")).to_be_focused()
    await expect(eva.card.locator("#title")).to_have_css("outline-style", "solid")
    await press(eva, "Escape")
    await expect(eva.page.get_by_role("link", name="Approval Run: make c")).to_be_focused()
    await expect(eva.card).to_have_count(0)
    assert await statuses(team, *requests) == [
        ("answered", "approve"),
        ("answered", "deny"),
        ("pending", None),
    ]
    await eva.page.go_back()
    await eva.page.go_back()
    await expect(eva.card.locator("summary").first).to_contain_text("Denied by Eva")


@requirement("J3", "B25")
async def test_a_vote_that_leaves_a_request_open_is_counted_and_the_next_request_opens(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    several = request_of(await team.agent.bash(thread, "make a", timeout_s=3000, quorum=3))
    other_request = request_of(await team.agent.bash(thread, "make b", timeout_s=3001))
    eva = await screen("/", team=team, before=stop_the_clock)
    await eva.page.get_by_role("link", name="Run: make a").click()
    await expect(eva.button("Allow once")).to_be_visible()
    await team.bob.decide(several["id"], "approve")
    await expect(eva.card).to_contain_text("1 of 3 has approved")
    await expect(eva.page).to_have_url(f"{eva.origin}/inbox/{several['id']}")
    await press(eva, "a")
    await expect(
        eva.page.get_by_text("Vote recorded, 1 more approval is needed: Run: make a")
    ).to_be_visible()
    await expect(eva.page).to_have_url(f"{eva.origin}/inbox/{other_request['id']}")
    await expect(eva.card.locator("#title")).to_be_focused()
    await expect(titles(eva)).to_have_text(["Run: make a", "Run: make b"])
    assert await statuses(team, several, other_request) == [("pending", None), ("pending", None)]
    await eva.page.get_by_role("link", name="Run: make a").click()
    await expect(eva.card).to_contain_text("You approved this. Others have to approve it too.")
    await team.carol.decide(several["id"], "approve")
    await expect(eva.card.locator("summary").first).to_contain_text("Allowed once by carol")
    await expect(eva.page).to_have_url(f"{eva.origin}/inbox/{several['id']}")


@requirement("J2", "J5")
@pytest.mark.parametrize("closing_key", ["Escape", "the link", "Back of the browser"])
async def test_on_a_phone_the_focus_comes_back_to_the_row_that_was_open(
    screen: OpenScreen, team: Team, thread: str, closing_key: str
) -> None:
    await team.agent.bash(thread, "make a")
    eva = await screen("/", team=team, viewport=ViewportSize(width=390, height=780))
    row = eva.page.get_by_role("link", name="Run: make a")
    await row.click()
    await expect(eva.card.locator("#title")).to_be_focused()
    if closing_key == "Escape":
        await eva.page.keyboard.press("Escape")
    elif closing_key == "the link":
        await eva.page.locator(".detail").get_by_role("link", name="Inbox").click()
    else:
        await eva.page.go_back()
    await expect(row).to_be_focused()


@requirement("J2", "J3")
async def test_a_dangerous_call_takes_a_and_enter_and_a_key_too_early_does_nothing(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.bash(thread, "rm -rf build"))
    eva = await screen("/", team=team, before=stop_the_clock)
    await eva.page.get_by_role("link", name="Run: rm -rf build").click()
    await expect(eva.button("Allow once")).to_be_visible()
    for key in ("a", "d"):
        await eva.page.keyboard.press(key)
    await expect(eva.card.get_by_text("Really allow it?")).to_have_count(0)
    await press(eva, "a")
    await expect(eva.button("Yes, allow it")).to_be_focused()
    await eva.page.keyboard.press("Enter")
    assert await statuses(team, request) == [("pending", None)]
    await press(eva, "Escape")
    await expect(eva.button("Allow once")).to_be_visible()
    await press(eva, "a")
    await expect(eva.button("Yes, allow it")).to_be_focused()
    await press(eva, "Enter")
    await expect(eva.page.get_by_text("Nothing is waiting for you.")).to_be_visible()
    assert await statuses(team, request) == [("answered", "approve")]


@requirement("J3")
async def test_a_letter_decides_nothing_outside_of_the_request_or_when_keys_are_off(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.bash(thread, "make one"))
    eva = await screen("/", team=team, before=stop_the_clock)
    await eva.page.get_by_role("link", name="Run: make one").click()
    await expect(eva.button("Allow once")).to_be_visible()
    await press(eva, "/", "a", "d")
    await expect(eva.page.get_by_role("searchbox", name="Search")).to_have_value("ad")
    await eva.page.get_by_role("heading", name="Inbox", exact=True).focus()
    await press(eva, "a", "d")
    await press(eva, "?")
    await eva.page.get_by_role("checkbox", name="Use single-letter keys").uncheck()
    await press(eva, "d", "Escape")
    await expect(eva.page.locator("dialog")).to_have_count(0)
    await eva.page.get_by_label("Request", exact=True).focus()
    await press(eva, "a", "d")
    await expect(eva.button("Allow once")).to_be_visible()
    assert await statuses(team, request) == [("pending", None)]


@requirement("J3", "A7")
async def test_numbers_choose_and_enter_sends_and_escape_skips_nothing(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    region = form({"type": "radio", "label": "Region", "options": ["eu", "us"]}, allow_skip=True)
    request = request_of(await team.agent.ask(thread, {**region, "title": "Which region?"}))
    eva = await screen("/", team=team, before=stop_the_clock)
    await eva.page.get_by_role("link", name="Which region?").click()
    await expect(eva.card.get_by_role("radio")).to_have_count(2)
    await eva.card.get_by_role("radio", name="eu").focus()
    await press(eva, "Escape")
    await expect(eva.card).to_have_count(0)
    await eva.page.keyboard.press("Enter")
    await expect(eva.card.get_by_role("radio")).to_have_count(2)
    second_option = eva.card.get_by_role("radio", name="us")
    await expect(second_option).to_have_attribute("aria-keyshortcuts", "2")
    await press(eva, "2")
    await expect(second_option).to_be_checked()
    await eva.page.get_by_label("Request", exact=True).focus()
    await press(eva, "Enter")
    await expect(eva.page.get_by_text("Answered: Which region?")).to_be_visible()
    assert (await team.ada.get(request["id"]))["answer"]["values"] == {"q0": "us"}


@requirement("J9")
async def test_filters_count_and_narrow_and_stay_in_the_address(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    await team.agent.bash(thread, "make one", agent={"name": "builder"})
    await team.agent.bash("other", "make two", agent={"name": "tester"}, assignees=["dora"])
    await team.agent.ask(thread, form({"type": "text"}, title="A name?"), agent={"name": "builder"})
    await team.agent.need(thread, "A_KEY")
    eva = await screen("/", team=team)
    filters = eva.page.get_by_role("group", name="Filters").get_by_role("button")
    await expect(filters).to_have_text(["All 4", "For me 3", "Approvals 2", "Questions 1", "Secrets 1"])
    await filters.nth(2).click()
    await expect(titles(eva)).to_have_count(2)
    await eva.page.get_by_label("Agent", exact=True).select_option("tester (1)")
    await expect(titles(eva)).to_have_text(["Run: make two"])
    await expect(filters).to_have_text(["All 1", "Approvals 1"])
    await eva.page.get_by_role("link", name="Run: make two").click()
    await eva.page.reload()
    await expect(titles(eva)).to_have_text(["Run: make two"])
    await expect(eva.page.get_by_role("button", name="Approvals 1")).to_have_attribute("aria-pressed", "true")
    await eva.page.get_by_label("Agent", exact=True).select_option("All agents")
    await filters.first.click()
    await eva.page.keyboard.press("/")
    await eva.page.keyboard.type("name builder")
    await expect(titles(eva)).to_have_text(["A name?"])
    await eva.page.keyboard.type("x")
    await expect(eva.page.get_by_text("No request matches these filters.")).to_be_visible()
    await eva.page.get_by_role("button", name="Show everything").click()
    await expect(titles(eva)).to_have_count(4)


@requirement("B25", "J9")
async def test_thirty_approvals_are_denied_in_one_action_and_nothing_is_sent_for_ten_seconds(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    requests = [
        request_of(await team.agent.bash(f"{thread}-{index % 3}", f"make target-{index}"))
        for index in range(30)
    ]
    eva = await screen("/", team=team, before=stop_the_clock)
    sent: list[str] = []
    eva.page.on("request", lambda item: sent.append(item.url) if item.method == "POST" else None)
    await expect(eva.page).to_have_title("(30) Inbox – askback")
    await eva.page.get_by_role("button", name="Select", exact=True).click()
    await eva.page.get_by_role("checkbox", name="Select: Run: make target-0").check()
    await eva.page.get_by_role("button", name="Select all 30").click()
    late_request = request_of(await team.agent.bash(thread, "make late"))
    await expect(eva.page).to_have_title("(31) Inbox – askback")
    await eva.page.keyboard.press("s")
    await expect(eva.page.get_by_role("button", name="Deny 30")).to_be_focused()
    await eva.page.keyboard.press("Enter")
    await expect(titles(eva)).to_have_text(["Run: make late"])
    await eva.page.clock.run_for(UNDO_MS - 1_500)
    undo = eva.page.get_by_role("button", name="Undo")
    await titles(eva).hover()
    await undo.focus()
    await eva.page.clock.run_for(2 * UNDO_MS)
    await undo.press("Enter")
    await expect(eva.page).to_have_title("(31) Inbox – askback")
    await expect(titles(eva).first).to_have_text("Run: make target-0")
    # The pointer still rests on the list, which stays at its beginning nevertheless.
    await expect(eva.page.locator("askback-place-inbox .pane.list")).to_have_js_property("scrollTop", 0)
    await expect(eva.page.get_by_role("heading", name="Inbox", exact=True)).to_be_focused()
    await eva.page.clock.run_for(2 * UNDO_MS)
    assert (sent, await statuses(team, requests[0])) == ([], [("pending", None)])
    await eva.page.get_by_role("searchbox", name="Search").fill("target")
    await eva.page.get_by_role("checkbox", name="Select: Run: make target-0").check()
    await eva.page.get_by_role("button", name="Select all 30").click()
    await eva.page.get_by_role("button", name="Deny 30").click()
    await wait_until_sent(eva)
    await expect(eva.page).to_have_title("(1) Inbox – askback")
    assert [url.rpartition("/v1")[2] for url in sent] == ["/requests/batch"]
    assert await statuses(team, *requests, late_request) == [("answered", "deny")] * 30 + [("pending", None)]
    await eva.go(f"/history/{requests[0]['id']}")
    await expect(eva.page.locator(".verdict .tag")).to_have_text("Denied")
    await expect(eva.card.locator("summary")).to_contain_text("Denied by Eva")


@requirement("B25")
async def test_dangerous_calls_are_never_allowed_together_and_approvals_never_beside_questions(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    risky = request_of(await team.agent.bash(thread, "rm -rf build", timeout_s=3000))
    plain_request = request_of(await team.agent.bash(thread, "make one", timeout_s=3001))
    question = request_of(await team.agent.ask(thread, form({"type": "text"}, title="A name?")))
    eva = await screen("/", team=team, before=stop_the_clock)
    bar = eva.page.get_by_role("region", name="Selected requests")
    await eva.page.get_by_role("link", name="Run: rm -rf build").focus()
    await press(eva, "x", "j", "x", "j", "x")
    await expect(bar).to_contain_text("3 selected")
    await expect(bar.get_by_role("button")).to_have_text(
        ["Clear selection", "Only the approvals (2)", "Only the others (1)"]
    )
    assert await eva.violations() == []
    await bar.get_by_role("button", name="Only the approvals").click()
    await expect(bar).to_contain_text("1 has to be allowed on its own.")
    await bar.get_by_role("button", name="Allow 1 once").click()
    await expect(titles(eva)).to_have_text(["Run: rm -rf build", "A name?"])
    await eva.page.get_by_role("checkbox", name="Select: A name?").check()
    assert await eva.violations() == []
    await wait_until_sent(eva)
    await bar.get_by_role("button", name="Dismiss 1").click()
    await wait_until_sent(eva)
    await expect(eva.page).to_have_title("(1) Inbox – askback")
    assert await statuses(team, risky, plain_request, question) == [
        ("pending", None),
        ("answered", "approve"),
        ("declined", "dismissed"),
    ]


async def test_decisions_from_other_screens_count_and_the_rest_is_decided(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    requests = [request_of(await team.agent.bash(thread, f"make {name}")) for name in "ab"]
    eva = await screen("/", team=team, before=stop_the_clock)
    await eva.page.get_by_role("checkbox", name="Select: Run: make a").check()
    await eva.page.get_by_role("button", name="Select all 2").click()
    await eva.page.get_by_role("button", name="Deny 2").click()
    await team.bob.decide(requests[0]["id"], "approve")
    await wait_until_sent(eva)
    await expect(eva.page.get_by_text("Nothing is waiting for you.")).to_be_visible()
    await expect(eva.page.get_by_text("could not be decided")).to_have_count(0)
    await expect(eva.page.get_by_text("1 request had already ended and was not changed.")).to_be_visible()
    assert await statuses(team, *requests) == [("answered", "approve"), ("answered", "deny")]


@requirement("K1", "K2")
async def test_a_request_that_somebody_else_settles_stays_in_view_as_its_receipt(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.bash(thread, "make one"))
    eva = await screen(f"/inbox/{request['id']}", team=team)
    tab = await eva.context.new_page()
    await tab.goto(eva.origin)
    await expect(tab.locator("askback-place-inbox .row")).to_have_count(1)
    await expect(eva.button("Allow once")).to_be_visible()
    await team.bob.decide(request["id"], "approve")
    await expect(eva.card.locator("summary").first).to_contain_text("Allowed once by bob")
    await expect(titles(eva)).to_have_count(0)
    await expect(tab.get_by_text("Nothing is waiting for you.")).to_be_visible()


@requirement("J5")
async def test_new_requests_do_not_move_the_visible_ones(screen: OpenScreen, team: Team, thread: str) -> None:
    for index in range(40):
        await team.agent.ask(thread, form({"type": "text"}, title=f"Question {index}"))
    eva = await screen("/", team=team, viewport=ViewportSize(width=1280, height=720))
    row = eva.page.get_by_role("link", name="Question 20")
    await eva.page.get_by_role("link", name="Question 39").focus()
    for _ in range(19):
        await eva.page.keyboard.press("j")
    await expect(row).to_be_focused()
    before = await row.bounding_box()
    await team.agent.ask(thread, form({"type": "text"}, title="A new one"))
    await expect(eva.page).to_have_title("(41) Inbox – askback")
    assert await row.bounding_box() == before
    await expect(row).to_be_focused()


async def test_only_the_visible_part_of_a_very_long_list_is_on_the_page(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    for index in range(230):
        await team.agent.ask(thread, form({"type": "text"}, title=f"Question {index}"))
    eva = await screen("/", team=team)
    await expect(eva.page).to_have_title("(230) Inbox – askback")
    assert await titles(eva).count() < 60
    await eva.page.locator("askback-place-inbox .pane.list").evaluate("(pane) => pane.scrollTo(0, 1e6)")
    await expect(eva.page.get_by_role("link", name="Question 0", exact=False).last).to_be_visible()
    assert await titles(eva).count() < 60


@requirement("J4", "I6")
async def test_axe_finds_nothing_in_the_help_the_selection_and_the_undo_toast(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    await team.agent.bash(thread, "make one")
    await team.agent.ask(thread, form({"type": "text"}, title="A name?"))
    eva = await screen("/", team=team)
    await expect(titles(eva)).to_have_count(2)
    await eva.page.keyboard.press("?")
    await expect(eva.page.locator("dialog")).to_be_visible()
    violations = {"help": await eva.violations("light", "dark")}
    await eva.page.keyboard.press("Escape")
    await eva.page.get_by_role("checkbox").first.check()
    violations["selection"] = await eva.violations("light", "dark")
    await (
        eva.page.locator(".bulk .danger")
        .or_(eva.page.locator(".bulk .actions:last-child button"))
        .first.click()
    )
    await expect(eva.page.locator(".toast button")).to_be_visible()
    violations["undo"] = await eva.violations("light", "dark")
    await eva.page.locator(".toast button").click()
    assert violations == {"help": [], "selection": [], "undo": []}
