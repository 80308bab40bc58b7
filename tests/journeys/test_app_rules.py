"""The place Rules of the application: the list, a draft that is tried while it is typed, and its end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import ViewportSize, expect

from tests.journeys.browser import OpenScreen, Screen
from tests.journeys.people import Team, request_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

PHONE: ViewportSize = {"width": 390, "height": 780}
SMALLEST: ViewportSize = {"width": 320, "height": 640}


async def create_rule(team: Team, rule: str, **terms: Any) -> dict[str, Any]:
    """Create a rule as the admin."""
    reply = await team.admin.http.post("/v1/rules", json={"rule": rule, **terms})
    assert reply.status_code == 201, reply.text
    return reply.json()


async def advance_clock(screen: Screen, seconds: int) -> None:
    """Let the time of the page pass."""
    await screen.page.clock.run_for(seconds * 1_000)


@requirement("B11", "J4")
async def test_the_list_shows_the_calls_the_agents_and_the_uses_of_each_rule(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    await team.agent.http.patch(f"/v1/threads/{thread}", json={"title": "Release 4.2"})
    await create_rule(team, "make test", why="It only tests.")
    await create_rule(team, "git push:*", effect="ask", scope="project", project="shop")
    for _ in range(2):
        await team.agent.bash(thread, "make test")
    eva = await screen("/rules", team=team)
    rows = eva.page.get_by_role("table", name="Rules").locator("tbody tr")
    await expect(rows).to_have_count(2)
    for part in ("git push", "and anything after it", "Ask", "Project shop", "Every agent", "Not used yet"):
        await expect(rows.nth(0)).to_contain_text(part)
    for part in ("make test", "exactly", "Allow", "Everywhere", "It only tests.", "2 times", "Release 4.2"):
        await expect(rows.nth(1)).to_contain_text(part)
    await eva.page.get_by_role("searchbox", name="Search rules").fill("shop")
    await expect(rows).to_have_count(1)
    await eva.page.keyboard.press("Escape")
    await eva.page.get_by_role("button", name="Allow 1").click()
    await expect(rows).to_contain_text(["make test"])


@requirement("B21")
async def test_built_in_rules_are_folded_by_subject_and_found_by_a_search(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    await team.agent.bash(thread, "git status")
    await create_rule(team, "make test")
    eva = await screen("/rules", team=team)
    built_in = eva.page.get_by_role("region", name="Built in")
    await expect(built_in.get_by_text("Read with Git")).to_contain_text("used once")
    await expect(built_in.get_by_text("git status")).to_be_hidden()
    await eva.page.get_by_role("searchbox").fill("git stat")
    await expect(built_in.get_by_text("git status")).to_be_visible()
    await eva.page.get_by_text("Never allowed").click()
    await expect(eva.page.get_by_text("Delete or change the whole system (rm -rf /)")).to_be_visible()


@requirement("B21", "J11")
async def test_the_number_of_uses_is_not_broken_on_a_phone_in_german(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    for command in ("git status", "git log"):
        await team.agent.bash(thread, command)
    eva = await screen("/rules", team=team, viewport=PHONE, locale="de-DE")
    built_in = eva.page.get_by_role("region", name="Mitgeliefert")
    await expect(built_in.locator("summary .times")).to_have_text(["2-mal verwendet"])
    lines = await built_in.locator(".times").evaluate_all(
        "all => all.map((element) => element.getClientRects().length)"
    )
    assert set(lines) == {1}


@requirement("J11")
async def test_the_actions_need_two_lines_on_the_smallest_phone_in_german(
    screen: OpenScreen, team: Team
) -> None:
    eva = await screen("/login", viewport=SMALLEST, locale="de-DE")
    eva.expect_errors("401")  # a token is tried as the code of a link first
    await eva.page.locator("#code").fill(str(team.admin.token))
    await eva.page.locator("#code").press("Enter")
    await expect(eva.page.locator("askback-place-inbox")).to_be_attached()
    await eva.go("/rules")
    buttons = eva.page.locator("header .actions button")
    await expect(buttons).to_have_text(["Importieren…", "Exportieren", "Befehl testen", "Regel anlegen"])
    tops = await buttons.evaluate_all("all => all.map((each) => each.getBoundingClientRect().top)")
    assert len(set(tops)) == 2


@requirement("B9")
async def test_a_rule_draft_is_tried_while_typing_and_lists_the_calls_it_would_allow(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request_of(await team.agent.bash(thread, "make clean"))
    eva = await screen("/rules", team=team)
    await expect(eva.page.get_by_role("heading", name="No rules yet")).to_be_visible()
    await expect(eva.page.get_by_text('askback rules add "git push:*" --effect ask')).to_be_visible()
    await eva.page.get_by_role("button", name="Add a rule").first.click()
    dialog = eva.page.locator("askback-modal")
    add = dialog.get_by_role("button", name="Add a rule")
    await expect(add).to_be_disabled()
    await eva.page.keyboard.type("bash(make 'clean)")
    await expect(dialog.locator(".problem")).to_be_visible()
    await expect(add).to_be_disabled()
    await dialog.get_by_label("Rule", exact=True).fill("make clean")
    await dialog.get_by_label("Try it on a command").fill("make clean && make all")
    await expect(dialog).to_contain_text("The rule does not cover this call. Currently, a person is asked.")
    await expect(dialog).to_contain_text("No rule allows make all.")
    await expect(dialog.locator("#trial code").last).to_have_text("make all")
    await dialog.get_by_label("Try it on a command").fill("make clean")
    await expect(dialog).to_contain_text(
        "The rule covers this call. Currently, a person is asked. With the rule, it is"
    )
    await expect(dialog).to_contain_text("It would have allowed 1 call without asking.")
    await expect(dialog).to_contain_text("Checked 1 call of the last 30 days.")
    assert await team.ada.rules() == []
    await eva.page.keyboard.press("Enter")
    await expect(dialog).to_have_count(0)
    await expect(eva.page.get_by_role("table", name="Rules")).to_contain_text("make clean")
    assert [rule["rule"] for rule in await team.ada.rules()] == ["bash(make clean)"]


async def test_a_command_is_tried_without_a_rule(screen: OpenScreen, team: Team) -> None:
    eva = await screen("/rules", team=team)
    await eva.page.get_by_role("button", name="Try a command").click()
    await eva.page.keyboard.type("git status")
    dialog = eva.page.locator("askback-modal")
    await expect(dialog).to_contain_text("Currently, it is allowed.")
    await expect(dialog.get_by_role("textbox")).to_have_count(1)
    await expect(dialog.get_by_role("combobox")).to_have_count(0)
    await dialog.get_by_role("button", name="Add a rule").click()
    await expect(dialog.get_by_label("Rule", exact=True)).to_be_focused()
    await expect(dialog.get_by_label("Try it on a command")).to_have_value("git status")
    await eva.page.keyboard.press("Escape")
    await expect(eva.page.get_by_role("button", name="Try a command")).to_be_focused()


@requirement("B11")
async def test_a_revocation_can_be_undone_for_ten_seconds(screen: OpenScreen, team: Team) -> None:
    await create_rule(team, "make lint")
    await create_rule(team, "make test")
    eva = await screen("/rules", team=team, before=lambda page: page.clock.install())
    revoke = eva.page.get_by_role("button", name="Revoke bash(make test)")
    await revoke.press("Enter")
    await expect(revoke).to_have_count(0)
    await expect(eva.page.get_by_role("button", name="Revoke bash(make lint)")).to_be_focused()
    await advance_clock(eva, 8)
    await eva.page.get_by_role("button", name="Undo").click()
    await expect(revoke).to_be_visible()
    await advance_clock(eva, 20)
    assert len(await team.ada.rules()) == 2
    await revoke.click()
    async with eva.page.expect_response(lambda reply: reply.request.method == "DELETE"):
        await advance_clock(eva, 11)
    assert [rule["rule"] for rule in await team.ada.rules()] == ["bash(make lint)"]


@requirement("B12")
async def test_controls_that_a_role_may_not_use_are_absent(screen: OpenScreen, team: Team) -> None:
    await create_rule(team, "make deploy", effect="ask", locked=True)
    eva = await screen("/rules", team=team)
    row = eva.page.get_by_role("row", name="make deploy")
    await expect(row).to_contain_text("Locked")
    await expect(row.get_by_role("button")).to_have_count(0)
    await expect(eva.page.get_by_role("button", name="Import…")).to_have_count(0)


async def test_rules_are_exported_as_a_file(screen: OpenScreen, team: Team) -> None:
    await create_rule(team, "make test")
    eva = await screen("/rules", team=team)
    async with eva.page.expect_download() as download:
        await eva.page.get_by_role("button", name="Export").click()
    file = Path(await (await download.value).path())
    assert [row["rule"] for row in json.loads(file.read_text())["rules"]] == ["bash(make test)"]


@requirement("J4", "I6")
async def test_axe_finds_nothing_in_the_rules(screen: OpenScreen, team: Team, thread: str) -> None:
    eva = await screen("/rules", team=team)
    await expect(eva.page.locator("askback-copy")).to_be_visible()
    violations = {"empty": await eva.violations("light", "dark")}
    await create_rule(team, "make test", shadow=True, expires_in_s=60)
    await create_rule(team, "git push:*", effect="ask", locked=True)
    await team.agent.bash(thread, "make all")
    await eva.page.reload()
    await expect(eva.page.locator("tbody tr")).to_have_count(2)
    violations["list"] = await eva.violations("light", "dark")
    await eva.page.locator(".head .primary").click()
    await eva.page.keyboard.type("make all")
    await expect(eva.page.locator(".calls li")).to_have_count(1)
    violations["draft"] = await eva.violations("light", "dark")
    await eva.page.keyboard.press("Escape")
    await eva.page.set_viewport_size(PHONE)
    violations["phone"] = await eva.violations()
    await eva.page.set_viewport_size({"width": 768, "height": 900})
    revoke = eva.page.locator("tbody button").first
    await revoke.scroll_into_view_if_needed()
    await expect(revoke).to_be_in_viewport(ratio=1)
    await eva.page.set_viewport_size({"width": 320, "height": 640})
    assert await eva.width() == 320
    assert violations == {"empty": [], "list": [], "draft": [], "phone": []}
