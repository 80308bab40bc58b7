"""The application under a finger, in a narrow window: what can be pressed is large, and little of the height is lost."""

from __future__ import annotations

import pytest
from playwright.async_api import ViewportSize, expect

from tests.journeys.browser import OpenScreen, form
from tests.journeys.people import Team, request_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

PHONE = {"viewport": ViewportSize(width=320, height=640), "has_touch": True, "is_mobile": True}
ONE_LINE_PX = 60

_SMALL = """(controls) => controls.filter((element) => {
  const own = element.closest("label") ?? element;
  const { left, top, width, height } = own.getBoundingClientRect();
  const hits = (y) => own.contains(element.getRootNode().elementFromPoint(left + width / 2, y));
  const middle = top + height / 2;
  return ![-21, 21].every((away) => hits(middle + away));
}).map((element) => element.textContent || element.ariaLabel || element.localName)"""


@requirement("J4", "J11")
async def test_what_can_be_pressed_in_a_list_is_44_px_high_for_a_finger(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    for suffix in ("a", "b"):
        await team.agent.bash(f"{thread}-{suffix}", "make test", agent={"name": f"agent {suffix}"})
        await team.agent.ask(f"{thread}-{suffix}", form({"type": "text"}))
    eva = await screen("/", team=team, **PHONE)
    listed = eva.page.locator("askback-place-inbox")
    controls = listed.locator(":is(button:visible, select, input, a.row)")
    await expect(controls).to_have_count(15)
    await eva.page.get_by_role("button", name="Select", exact=True).tap()
    assert await controls.evaluate_all(_SMALL) == []
    await eva.visit("/settings")
    radios = eva.page.get_by_role("radio")
    await expect(radios).to_have_count(6)
    assert await radios.evaluate_all(_SMALL) == []


@requirement("J9")
async def test_a_finger_beside_the_text_of_a_row_ticks_it_while_selecting_and_opens_it_otherwise(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    await team.agent.bash(thread, "make test")
    eva = await screen("/", team=team, **PHONE)
    row = eva.page.get_by_role("link", name="Run: make test")
    tick = eva.page.get_by_role("checkbox", name="Select: Run: make test")
    await row.tap(position={"x": 8, "y": 50})
    await expect(eva.button("Allow once")).to_be_visible()
    await eva.page.go_back()
    await eva.page.get_by_role("button", name="Select", exact=True).tap()
    box = await row.bounding_box()
    assert box is not None
    await eva.page.touchscreen.tap(box["x"] + 8, box["y"] + 50)
    await expect(tick).to_be_checked()
    await expect(eva.card).to_have_count(0)


@requirement("J11")
async def test_the_bar_of_a_request_and_of_a_conversation_is_one_line_in_german(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    title = "Cleaning up the staging servers after the load test of last week"
    await team.agent.http.patch(f"/v1/threads/{thread}", json={"title": title})
    first, _ = [request_of(await team.agent.bash(thread, f"make {name}")) for name in "ab"]
    eva = await screen(f"/inbox/{first['id']}", team=team, locale="de-DE", **PHONE)
    bar = eva.page.locator(".detail > .bar")
    for name in ("Zuweisen…", "Erinnern…", "Vorige Anfrage (k)", "Nächste Anfrage (j)"):
        await expect(bar.get_by_role("button", name=name)).to_be_visible()
    await expect(eva.page.locator(".detail").get_by_role("link", name=title)).to_be_visible()
    heights = [await bar.evaluate("(bar) => bar.offsetHeight")]
    await eva.visit(f"/conversations/{thread}")
    await expect(bar.get_by_role("heading", name=title)).to_have_attribute("title", title)
    for name in ("Umbenennen", "Archivieren"):
        await expect(bar.get_by_role("button", name=name)).to_be_visible()
    heights.append(await bar.evaluate("(bar) => bar.offsetHeight"))
    await eva.go(f"/t/{thread}")
    header = eva.page.locator("header")
    await expect(header.get_by_role("button", name="Abmelden")).to_be_visible()
    heights.append(await header.evaluate("(header) => header.offsetHeight"))
    assert [height for height in heights if height > ONE_LINE_PX] == []
    assert await eva.width() == 320
    size = "(brand) => getComputedStyle(brand).fontSize"
    await eva.go("/login")
    assert await eva.page.locator(".brand").evaluate(size) == "16px"


async def test_a_long_script_is_named_in_a_few_words_once_it_is_decided(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    script = "\n".join(f"docker stop staging-{number}" for number in range(40))
    request = request_of(await team.agent.bash(thread, script))
    eva = await screen(f"/inbox/{request['id']}", team=team, **PHONE)
    await eva.button("Deny").tap()
    toast = eva.page.locator(".toast span").first
    await expect(toast).to_contain_text("Denied: Run: docker stop")
    assert await toast.evaluate("(said) => said.offsetHeight") < ONE_LINE_PX
    await eva.visit(f"/history/{request['id']}")
    summary = eva.card.locator("summary")
    await expect(summary).to_contain_text("Denied by Eva · Run: docker stop staging-0")
    assert len(await summary.inner_text()) < 200
    await expect(eva.card.get_by_role("button", name="Show all 40 lines")).to_be_visible()
    await expect(eva.card.locator(".call")).to_contain_text("docker stop staging-39")
