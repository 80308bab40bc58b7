"""Check every place of the application by WCAG 2.2 AA automatically: one window for all places, in light and dark."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import ViewportSize, expect

from tests.journeys.browser import OpenScreen, Screen, form
from tests.journeys.people import Team, request_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

PLACES = [
    *(
        "/settings",
        "/",
        "/settings/policy",
        "/conversations",
        "/settings/limits",
        "/history",
        "/settings/webhooks",
    ),
    *(
        "/rules",
        "/settings/health",
        "/agents",
        "/inbox/{open}",
        "/agents/browsers",
        "/conversations/{thread}",
    ),
    *("/agents/tokens", "/history/{settled}", "/secrets", "/audit"),
]
"""Those that follow each other are of different elements, so that each element is built and reads its data again."""
WIDE, NARROW = ViewportSize(width=1280, height=800), ViewportSize(width=320, height=640)
ZOOMED = ViewportSize(width=640, height=400)
"""What a window of 1280 × 800 has at a zoom of 200 % (WCAG 1.4.4)."""

_LOOK_AT_ALL = """(() => {
  const all = (root) => [...root.querySelectorAll("*")].flatMap((element) =>
    [element, ...(element.shadowRoot ? all(element.shadowRoot) : [])]);
  const inView = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const CONTROLS = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']";
  window.controls = () => all(document).filter((element) => element.matches(CONTROLS) && !element.disabled && inView(element));
  window.nameOf = (element) => `${element.localName} ${element.className} ${element.innerText || element.ariaLabel || ""}`.slice(0, 60);
  const focused = () => {
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    return at;
  };
  // An outline or a shadow on the control or on what stands around it, such as the box of a search.
  const ringed = (element) => [element, element.closest("label"), element.closest(".composer"), element.nextElementSibling].some((at) => {
    const { outlineStyle, outlineWidth, boxShadow } = at ? getComputedStyle(at) : {};
    return at && ((outlineStyle !== "none" && parseFloat(outlineWidth) >= 2) || boxShadow !== "none");
  });
  window.unseenFocus = () => window.controls().filter((element) => {
    element.focus();
    return focused() === element && !ringed(element);
  }).map(window.nameOf);
  window.coveredFocus = () => window.controls().filter((element) => {
    element.focus();
    if (focused() !== element) return false;
    const { left, top, width, height } = element.getBoundingClientRect();
    const points = [[0.5, 0.5], [0.1, 0.5], [0.9, 0.5], [0.5, 0.1], [0.5, 0.9]];
    return !points.some(([x, y]) => {
      let at = document.elementFromPoint(left + width * x, top + height * y);
      for (let inner; (inner = at?.shadowRoot?.elementFromPoint(left + width * x, top + height * y)) && inner !== at;) at = inner;
      for (let outer = at; outer; outer = outer.parentNode ?? outer.host) if (outer === element) return true;
      return Boolean(at && element.closest("label")?.contains(at));
    });
  }).map(window.nameOf);
  // A link within a sentence may be smaller (2.5.8), and so may what the browser draws.
  window.smallTargets = () => window.controls().filter((element) => {
    const { width, height } = (element.closest("label") ?? element).getBoundingClientRect();
    const inText = getComputedStyle(element).display === "inline";
    return width > 1 && !inText && (width < 24 || height < 24);
  }).map(window.nameOf);
})()"""


async def fill(team: Team, thread: str) -> dict[str, str]:
    """Create one of everything: open and settled requests, a rule, a message."""
    await team.agent.need(thread, "A_KEY")
    await team.agent.ask(thread, form({"type": "radio", "options": ["A", "B"]}, title="Which one?"))
    settled_request = request_of(await team.agent.bash(thread, "make one"))
    await team.ada.decide(settled_request["id"], "approve")
    await team.admin.rule("bash(make test:*)")
    dangerous = request_of(await team.agent.bash(thread, "rm -rf build"))
    return {"open": dangerous["id"], "settled": settled_request["id"], "thread": thread}


@requirement("J4", "J11", "I6")
@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
async def test_every_place_is_accessible_and_fits_at_320_pixels_and_at_200_percent(
    screen: OpenScreen, team: Team, thread: str, locale: str
) -> None:
    names = await fill(team, thread)
    eva = await screen("/", team=team, who={"role": "admin"}, locale=locale)
    faults: dict[str, Any] = {}
    await eva.page.evaluate(_LOOK_AT_ALL)
    for page_path in PLACES:
        await eva.visit(page_path.format(**names))
        await expect(eva.page.get_by_role("heading", level=1).first).to_be_visible()
        await expect(eva.link).to_have_text(("Connected", "Verbunden")[locale == "de-DE"])
        await expect(eva.page.locator("[aria-busy=true]")).to_have_count(0)
        findings = {} if locale == "de-DE" else await faults_apart_from_widths(eva)
        await eva.page.set_viewport_size(ZOOMED)
        findings["over the width at 200 %"] = await eva.width() - ZOOMED["width"]
        await eva.page.set_viewport_size(NARROW)
        findings["narrow targets"] = await eva.page.evaluate("window.smallTargets()")
        findings["over 320 px"] = await eva.width() - 320
        if locale == "en-GB" and page_path.startswith(("/agents", "/settings")):
            findings["axe at 320 px"] = await eva.violations()
        await eva.page.evaluate(APPLY_TEXT_SPACING)
        findings["over 320 px, spaced"] = await eva.width() - 320
        await eva.page.evaluate("document.documentElement.removeAttribute('style')")
        await eva.page.set_viewport_size(WIDE)
        faults |= {f"{page_path} {name}": item for name, item in findings.items() if item}
    assert faults == {}


async def faults_apart_from_widths(eva: Screen) -> dict[str, Any]:
    """What does not depend on the length of texts."""
    violations: dict[str, Any] = {"axe": await eva.violations("light", "dark")}
    await eva.page.keyboard.press("Tab")
    for check in ("unseenFocus", "coveredFocus", "smallTargets"):
        violations[check] = await eva.page.evaluate(f"window.{check}()")
    await eva.page.set_viewport_size(ZOOMED)
    violations["covered at 200 %"] = await eva.page.evaluate("window.coveredFocus()")
    return violations


APPLY_TEXT_SPACING = """Object.assign(document.documentElement.style,
  { lineHeight: "1.5", letterSpacing: "0.12em", wordSpacing: "0.16em" })"""
"""The spacing of WCAG 1.4.12, which shadow roots inherit."""
