"""Secrets in the real page: a person types them, the agent can use them, and no page keeps or shows them."""

from __future__ import annotations

import pytest
from playwright.async_api import Locator, Page, Request, expect

from tests.journeys.browser import OpenScreen, Posts, Screen, place_of
from tests.journeys.people import Team, answer_of, leased_values, request_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

CANARY = "canary-7f3a9c51e2"
LINE = "Type values here, never paste them into chat."
MISSING = "Enter a value."
PEM = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END PRIVATE KEY-----\n"

_RECORD = """
    window.fired = [];
    for (const type of ["askback-submit", "askback-settled"])
        addEventListener(type, (event) => window.fired.push(JSON.stringify(Object.assign({}, event))));
"""
_FIND = """(canary) => {
    const found = [];
    const look = (where, text) => String(text).includes(canary) && found.push(where);
    const walk = (root) => {
        look("text", root.textContent);
        for (const element of root.querySelectorAll("*")) {
            for (const { name, value } of element.attributes) look(`attribute ${name}`, value);
            look(`input ${element.id}`, element.value ?? "");
            look(`state of ${element.localName}`, JSON.stringify(element.view ?? ""));
            if (element.shadowRoot) walk(element.shadowRoot);
        }
    };
    walk(document);
    for (const [name, held] of Object.entries({ localStorage, sessionStorage, fired: window.fired }))
        look(name, JSON.stringify({ ...held }));
    look("history", JSON.stringify(history.state));
    look("address", location.href);
    return found;
}"""


class Ears:
    """Records everything that the page sends, over HTTP and its WebSocket."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    async def listen(self, page: Page) -> None:
        await page.add_init_script(_RECORD)
        page.on("request", self._take)
        page.on("websocket", lambda socket: socket.on("framesent", self._frame))

    def _take(self, request: Request) -> None:
        if CANARY in request.url or CANARY in (request.post_data or "") or CANARY in str(request.headers):
            self.sent.append(request.url.rpartition("/")[2])

    def _frame(self, frame: bytes | str) -> None:
        if CANARY in str(frame):
            self.sent.append("frame")


async def canary_places(shown_screen: Screen) -> list[str]:
    """Every place of the page where the canary is."""
    return await shown_screen.page.evaluate(_FIND, CANARY)


def value(shown_screen: Screen, name: str = "A_KEY") -> Locator:
    """The input for the value of a name."""
    return shown_screen.card.locator(f"#s-{name}")


@requirement("E5", "E25")
async def test_a_typed_secret_is_sent_once_and_kept_nowhere_in_the_page(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY"))
    event_log = Ears()
    eva = await screen(place_of(thread), team=team, before=event_log.listen)
    await expect(eva.card).to_contain_text(LINE)
    await expect(eva.card).to_contain_text("The names are visible in the conversation")
    await value(eva).fill(CANARY)
    assert await canary_places(eva) == ["input s-A_KEY"]
    await value(eva).press("Enter")
    await expect(eva.card).to_contain_text("Saved by Eva")
    assert await canary_places(eva) == []
    assert event_log.sent == ["answer"]
    assert await answer_of(team, request) == {"names": ["A_KEY"], "scope": "session", "existing": []}
    assert leased_values(await team.agent.lease(thread, "A_KEY")) == {"A_KEY": CANARY}
    assert "A_KEY" in (await eva.page.evaluate("window.fired[0]")), "the page hears that it was sent"


@requirement("E25")
@pytest.mark.parametrize("leave", ["reload", "back"])
async def test_a_reload_empties_the_inputs(screen: OpenScreen, team: Team, thread: str, leave: str) -> None:
    request = request_of(
        await team.agent.need(thread, "A_KEY", "PEM", metadata={"PEM": {"input": "textarea"}})
    )
    event_log = Ears()
    eva = await screen(f"/r/{request['id']}", team=team, before=event_log.listen)
    await value(eva).fill(CANARY)
    await value(eva, "PEM").fill(CANARY)
    if leave == "reload":
        await eva.page.reload()
    else:
        await eva.go("/")
        await eva.page.go_back()
    await expect(value(eva)).to_have_value("")
    await expect(value(eva, "PEM")).to_have_value("")
    assert await canary_places(eva) == []
    assert event_log.sent == []


@requirement("E25")
async def test_no_browser_is_invited_to_fill_in_or_to_remember_a_value(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    await team.agent.need(
        thread, "A_KEY", "PLAIN", metadata={"PLAIN": {"input": "text"}, "A_KEY": {"placeholder": "sk-…"}}
    )
    eva = await screen(place_of(thread), team=team)
    typed_locator = value(eva)
    for name, expected in {
        "type": "password",
        "autocomplete": "new-password",
        "spellcheck": "false",
        "placeholder": "sk-…",
    }.items():
        await expect(typed_locator).to_have_attribute(name, expected)
    assert await typed_locator.get_attribute("name") is None
    await expect(value(eva, "PLAIN")).to_have_attribute("type", "text")
    await typed_locator.fill("seen")
    await eva.card.get_by_role("button", name="Show A_KEY").click()
    await expect(typed_locator).to_have_attribute("type", "text")
    await expect(typed_locator).to_have_value("seen")
    await expect(typed_locator).to_be_focused()


@requirement("E5")
async def test_a_missing_value_is_reported_at_its_name_and_the_others_stay(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY", "B_KEY"))
    eva = await screen(f"/r/{request['id']}", team=team)
    eva.expect_errors("status of 422")
    await value(eva, "B_KEY").fill(CANARY)
    await eva.button("Save & continue").click()
    await expect(eva.card.get_by_role("alert")).to_contain_text(f"A_KEY: {MISSING}")
    await expect(value(eva)).to_have_accessible_description(MISSING)
    await expect(value(eva, "B_KEY")).to_have_value(CANARY)
    await value(eva).fill("   ")
    await eva.button("Save & continue").click()
    await expect(value(eva)).to_have_accessible_description("Enter a value that is not blank.")
    await eva.card.get_by_role("alert").get_by_role("link").click()
    await expect(value(eva)).to_be_focused()
    await value(eva).fill("one")
    await eva.button("Save & continue").click()
    await expect(eva.card).to_contain_text("Saved by Eva")
    assert (await answer_of(team, request))["names"] == ["A_KEY", "B_KEY"]
    await expect(eva.card).to_contain_text("Saved by Eva")
    assert await canary_places(eva) == []


@requirement("E10")
async def test_a_saved_value_is_used_without_typing_it_again(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    await team.ada.keep("A_KEY", "kept before")
    request = request_of(await team.agent.need(thread, "A_KEY", "B_KEY", default_scope="global"))
    eva = await screen(f"/r/{request['id']}", team=team)
    # Of a password that comes later Chromium does not see what stands in the form already, if it looks in time.
    eva.expect_errors("should have (optionally hidden) username fields")
    saved = eva.card.get_by_label("A_KEY: Use the saved value (everywhere)")
    await expect(saved).to_be_checked()
    await expect(eva.card.locator(".secret")).to_have_count(1)
    await saved.uncheck()
    await expect(value(eva)).to_have_value("")
    await saved.check()
    await value(eva, "B_KEY").fill("typed")
    await eva.button("Save & continue").click()
    assert await answer_of(team, request) == {
        "names": ["A_KEY", "B_KEY"],
        "scope": "global",
        "existing": ["A_KEY"],
    }
    both = {"A_KEY": "kept before", "B_KEY": "typed"}
    assert leased_values(await team.agent.lease(thread, "A_KEY", "B_KEY")) == both


@requirement("E11")
async def test_the_person_chooses_the_scope(screen: OpenScreen, team: Team, thread: str) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY", default_scope="global", project="web"))
    eva = await screen(f"/r/{request['id']}", team=team)
    await expect(eva.card.get_by_label("Everywhere")).to_be_checked()
    await expect(eva.card.get_by_label("This project (web)")).to_be_visible()
    await eva.card.get_by_label("This conversation").check()
    await value(eva).fill("one")
    await eva.button("Save & continue").click()
    assert (await answer_of(team, request))["scope"] == "session"
    await expect(eva.card).to_contain_text("A_KEY · this conversation")
    assert [secret["scope"] for secret in await team.ada.list_secrets()] == ["session"]


@requirement("E9")
async def test_a_secret_that_is_set_is_not_asked_for(screen: OpenScreen, team: Team, thread: str) -> None:
    await team.ada.keep("A_KEY", CANARY)
    reply = await team.agent.need(thread, "A_KEY", default_scope="global")
    eva = await screen(place_of(thread), team=team)
    await expect(eva.card).to_contain_text("✓ already configured")
    await expect(eva.card).to_contain_text("A_KEY")
    await expect(eva.card.locator("input, button")).to_have_count(0)
    assert reply.json()["source"] == "existing"
    assert CANARY not in await eva.page.content()


@requirement("E5")
async def test_dismissed_nothing_is_sent(screen: OpenScreen, team: Team, thread: str) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY"))
    event_log = Ears()
    eva = await screen(f"/r/{request['id']}", team=team, before=event_log.listen)
    await value(eva).fill(CANARY)
    await eva.button("Dismiss").click()
    await expect(eva.card).to_contain_text("Dismissed by Eva")
    await expect(eva.card.locator("code")).to_have_text("A_KEY")
    assert (await team.ada.get(request["id"]))["reason"] == "dismissed"
    assert (event_log.sent, await canary_places(eva)) == ([], [])


@requirement("E21")
async def test_a_key_of_many_lines_collapses_on_blur_and_keeps_every_byte(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    help_ = {"PEM": {"input": "textarea", "description": "The private key.", "format_hint": "In PEM."}}
    request = request_of(await team.agent.need(thread, "PEM", metadata=help_))
    eva = await screen(f"/r/{request['id']}", team=team)
    area = value(eva, "PEM")
    await expect(area).to_have_accessible_description("The private key. In PEM.")
    await area.fill(PEM)
    await eva.page.keyboard.press("Tab")
    await expect(eva.card).to_contain_text(f"4 lines, {len(PEM)} characters")
    await expect(area).to_be_hidden()
    await eva.card.get_by_role("button", name="Edit PEM").click()
    await expect(area).to_be_focused()
    await expect(area).to_have_value(PEM)
    await eva.button("Save & continue").click()
    assert (await answer_of(team, request))["names"] == ["PEM"]
    assert leased_values(await team.agent.lease(thread, "PEM")) == {"PEM": PEM}


@requirement("E7", "E21")
async def test_surrounding_white_space_is_shown_and_kept(screen: OpenScreen, team: Team, thread: str) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY"))
    eva = await screen(f"/r/{request['id']}", team=team)
    warning = eva.card.get_by_text("The value begins or ends with a space")
    await value(eva).fill("one")
    await expect(warning).to_have_count(0)
    await value(eva).fill("one ")
    await expect(warning).to_be_visible()
    await eva.button("Save & continue").click()
    await answer_of(team, request)
    assert leased_values(await team.agent.lease(thread, "A_KEY")) == {"A_KEY": "one "}


@requirement("E5")
async def test_inputs_are_hidden_during_a_probe_and_a_refusal_is_shown_at_its_name(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY", "B_KEY", probe=True))
    eva = await screen(f"/r/{request['id']}", team=team)
    await value(eva).fill(CANARY)
    await value(eva, "B_KEY").fill(CANARY)
    await value(eva).press("Enter")
    await expect(eva.card).to_contain_text("Checking…")
    assert await canary_places(eva) == []
    wrong = [{"path": "secrets.B_KEY", "message": "The service does not know it."}]
    second_reply = await team.agent.reprompt(
        request["id"], field_errors=wrong, error_summary="It was refused."
    )
    assert second_reply.status_code == 200, second_reply.text
    await expect(eva.card.get_by_role("alert")).to_contain_text("It was refused.")
    await expect(eva.card.locator("#problems")).to_be_focused()
    await expect(value(eva, "B_KEY")).to_have_accessible_description("The service does not know it.")
    await expect(value(eva)).to_have_value("")
    await value(eva).fill("one")
    await value(eva, "B_KEY").fill("two")
    await eva.button("Save & continue").click()
    await expect(eva.card).to_contain_text("Checking…")
    assert (await team.agent.accept(request["id"])).status_code == 200
    await expect(eva.card).to_contain_text("Saved by Eva")
    assert leased_values(await team.agent.lease(thread, "A_KEY", "B_KEY")) == {"A_KEY": "one", "B_KEY": "two"}


@requirement("E5")
async def test_an_unsent_secret_stays_in_its_input_and_is_resent(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY"))
    posts = Posts()
    posts.refuse = 503
    eva = await screen(f"/r/{request['id']}", team=team, before=posts.watch)
    eva.expect_errors("status of 503")
    await value(eva).fill(CANARY)
    await eva.button("Save & continue").click()
    await expect(eva.card.get_by_role("alert")).to_contain_text("Your answer is still here.")
    assert await canary_places(eva) == ["input s-A_KEY"]
    await eva.button("Send now").click()
    await expect(eva.button("Send now")).to_be_visible()
    await value(eva).fill("another")
    await expect(eva.button("Send now")).to_have_count(0)
    posts.refuse = None
    await eva.button("Save & continue").click()
    await answer_of(team, request)
    *same, changed = posts.keys
    assert len(set(same)) == 1
    assert changed not in same, "what was changed is not what was sent before"
    assert leased_values(await team.agent.lease(thread, "A_KEY")) == {"A_KEY": "another"}


@requirement("E5")
async def test_an_answer_on_another_screen_clears_the_inputs(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY"))
    event_log = Ears()
    eva = await screen(place_of(thread), team=team, before=event_log.listen)
    await value(eva).fill(CANARY)
    typed = await value(eva).element_handle()
    await team.ada.hand_over(request["id"], {"A_KEY": "hers"})
    await expect(eva.card).to_contain_text("Saved by ada")
    assert await canary_places(eva) == []
    assert typed is not None
    assert await typed.evaluate("(input) => input.value") == ""


@requirement("E22")
async def test_a_sensitive_field_of_a_form_is_typed_and_kept_like_a_secret(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    fields = [
        {"id": "host", "type": "text", "label": "Host"},
        {"id": "password", "type": "text", "label": "Password", "required": True, "sensitive": True},
        {"id": "cert", "type": "textarea", "label": "Certificate", "sensitive": True},
        {"id": "pin", "type": "number", "label": "PIN", "sensitive": True},
    ]
    request = request_of(await team.agent.ask(thread, {"title": "Mail", "fields": fields}))
    event_log = Ears()
    eva = await screen(place_of(thread), team=team, before=event_log.listen)
    password = eva.card.get_by_label("Password")
    await expect(password).to_have_attribute("type", "password")
    await eva.card.get_by_label("Host").fill("smtp.example.com")
    await eva.button("Submit").click()
    await expect(eva.card.get_by_role("alert")).to_contain_text("Password: This field is required.")
    await password.fill(CANARY)
    await eva.card.get_by_label("Certificate").fill(f"{CANARY}\nmore")
    await eva.card.get_by_label("PIN").fill("4711")
    assert await canary_places(eva) == ["input f1", "input f2"]
    await password.press("Enter")
    await expect(eva.card.locator("summary")).to_contain_text("smtp.example.com · set · set · set")
    assert await canary_places(eva) == []
    assert event_log.sent == ["answer"]
    values = (await answer_of(team, request))["values"]
    assert values["host"] == "smtp.example.com"
    refs = [values[name]["ref"] for name in ("password", "cert", "pin")]
    leased_secrets = leased_values(await team.agent.lease(thread, refs=refs))
    assert [leased_secrets[ref] for ref in refs] == [CANARY, f"{CANARY}\nmore", "4711"]


@requirement("E5")
async def test_the_inbox_names_the_needed_secrets(screen: OpenScreen, team: Team, thread: str) -> None:
    await team.agent.need(thread, "B_KEY", "A_KEY")
    eva = await screen("/", team=team)
    item = eva.page.locator("askback-place-inbox li:has(.row)")
    await expect(item).to_contain_text("A_KEY, B_KEY")
    await expect(item).to_contain_text("2 secrets")
    await item.get_by_role("link").click()
    await expect(value(eva)).to_be_visible()


@requirement("E5", "J3")
async def test_tab_goes_from_the_first_value_to_dismiss(screen: OpenScreen, team: Team, thread: str) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY", "B_KEY"))
    eva = await screen(f"/r/{request['id']}", team=team)
    await expect(value(eva)).to_be_visible()
    await eva.tab_to("s-A_KEY")
    await eva.page.keyboard.type("one")
    await eva.tab_to("s-B_KEY")
    await eva.page.keyboard.type("two")
    await eva.page.keyboard.press("Escape")
    await eva.tab_to("scope-session")
    await eva.page.keyboard.press("ArrowDown")
    await eva.page.keyboard.press("Control+Enter")
    assert (await answer_of(team, request))["scope"] == "global"
