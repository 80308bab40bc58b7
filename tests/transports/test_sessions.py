"""Browser sessions: two halves, lifetime, listing and ending, and signed addresses."""

from __future__ import annotations

import re
from pathlib import Path

import httpx2
import pytest

from askback.ports.sessions import IDLE_MS
from askback.server.app import create_app
from askback.server.settings import load
from askback.service.access import sessions
from askback.service.agents import credentials
from tests.requirements import requirement
from tests.signing_in import HALF, code_of, cookie_of, sign_in
from tests.transports.conftest import ANSWER, BASE, Api, create_request
from tests.transports.sockets import Socket

pytestmark = pytest.mark.anyio


@requirement("I3", "N8")
async def test_each_half_of_a_session_alone_opens_nothing(api: Api) -> None:
    request = await create_request(api)
    browser = await api.browser()
    path = f"/v1/requests/{request['id']}/answer"
    session_half, cookie = browser.headers.pop(HALF), "=".join(cookie_of(browser))
    other = (await api.browser()).headers[HALF]
    single_client = api.client(headers={HALF: session_half})
    for caller, headers in (
        (browser, {}),
        (browser, {HALF: ""}),
        (browser, {HALF: session_half[:-1]}),
        (browser, {HALF: session_half + "x"}),
        (browser, {HALF: other}),
        (browser, {HALF: cookie.partition("=")[2]}),
        (single_client, {}),
        (single_client, {"Cookie": f"askback_session={cookie.partition('=')[2]}"}),
    ):
        for method, address in (("POST", path), ("GET", "/v1/session"), ("GET", "/v1/events")):
            refusal = await caller.request(method, address, json=ANSWER, headers=headers)
            assert (refusal.status_code, refusal.json()["error"]["code"]) == (401, "unauthorized"), headers
    form = await browser.post(
        path, content="a=b", headers={"Content-Type": "application/x-www-form-urlencoded"}
    )
    assert form.status_code == 401
    both = {HALF: session_half}
    assert (await browser.get(f"/v1/requests/{request['id']}", headers=both)).json() == request
    assert (await browser.post(path, json=ANSWER, headers=both)).status_code == 200


@requirement("N8")
async def test_a_cookie_that_another_port_plants_for_a_narrower_path_shuts_nobody_out(api: Api) -> None:
    browser = await api.browser()
    name, secret = cookie_of(browser)
    all_client = api.client(
        headers={HALF: browser.headers[HALF], "Cookie": f"{name}=evil; {name}={secret}; {name}="}
    )
    assert (await all_client.get("/v1/session")).json()["principal"]["name"] == "Ada"


async def test_a_session_answers_in_the_name_of_its_person_and_ends_on_logout(api: Api) -> None:
    request = await create_request(api)
    browser = await api.browser()
    answered_reply = await browser.post(f"/v1/requests/{request['id']}/answer", json=ANSWER)
    assert answered_reply.json()["settled_by"]["name"] == "Ada"
    session_headers = {HALF: browser.headers[HALF], "Cookie": "=".join(cookie_of(browser))}
    remaining_reply = await browser.delete("/v1/session")
    assert (remaining_reply.status_code, "Max-Age=0" in remaining_reply.headers["set-cookie"]) == (204, True)
    assert (await api.client(headers=session_headers).get("/v1/session")).status_code == 401


async def test_a_session_is_not_an_agent_and_not_an_admin(api: Api) -> None:
    browser = await api.browser()
    for path in ("/v1/requests", "/v1/login-links", "/v1/tokens"):
        assert (await browser.post(path, json={})).status_code == 403


@requirement("N15")
async def test_a_session_ends_after_eight_hours_without_use_and_after_seven_days_with_it(api: Api) -> None:
    idle, used = await api.browser(), await api.browser()
    hours = sessions.SESSION_MS // 3_600_000
    for _ in range(hours // 7 - 1):
        api.clock.advance(seconds=7 * 3600)
        assert (await used.get("/v1/session")).status_code == 200
    assert (await idle.get("/v1/session")).status_code == 401
    api.clock.advance(seconds=7 * 3600 - 1)
    assert (await used.get("/v1/session")).status_code == 200
    api.clock.advance(seconds=2)
    assert (await used.get("/v1/session")).status_code == 401
    second_browser = await api.browser()
    api.clock.advance(seconds=IDLE_MS / 1000 - 1)
    assert (await second_browser.get("/v1/session")).status_code == 200
    api.clock.advance(seconds=IDLE_MS / 1000)
    assert (await second_browser.get("/v1/session")).status_code == 401


async def test_a_login_link_works_once_and_sets_a_strict_cookie(api: Api) -> None:
    link = (await (await api.as_("admin")).post("/v1/login-links", json={"name": "Ada"})).json()["url"]
    assert link.startswith(f"{BASE}/login#")
    browser, thief = api.client(), api.client()
    for method in ("GET", "HEAD"):  # a preview, also of a link in the old form, spends nothing
        for address in (link, f"{BASE}/login?code={code_of(link)}"):
            assert "set-cookie" not in (await thief.request(method, address)).headers
    entered = await sign_in(browser, link)
    assert entered.status_code == 201
    name, *rest = entered.headers["set-cookie"].split("; ")
    assert re.fullmatch(r"askback_session_[0-9a-f]{16}=[\w-]{43}", name)
    assert rest == ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=604800"]
    assert entered.json()["session"] not in entered.headers["set-cookie"]
    used_reply = await sign_in(thief, link)
    assert (used_reply.status_code, "set-cookie" in used_reply.headers) == (401, False)
    assert "askback login" in used_reply.json()["error"]["message"]


async def test_a_login_link_is_late_after_ten_minutes(api: Api) -> None:
    link = (await (await api.as_("admin")).post("/v1/login-links", json={})).json()["url"]
    api.clock.advance(seconds=601)
    assert (await sign_in(api.client(), link)).status_code == 401


@pytest.mark.parametrize(
    ("public", "secure"), [("https://askback.example", True), ("http://askback.example", False)]
)
async def test_the_public_address_alone_says_whether_the_cookie_is_secure(
    tmp_path: Path, public: str, secure: bool
) -> None:
    app = create_app(load({"ASKBACK_PUBLIC_URL": public}, data_dir=tmp_path))
    async with app.running():
        for base in ("https://askback.example", "http://askback.example"):
            code = await credentials.create_login_code(app.services, tenant="default", name="Ada")
            transport = httpx2.ASGITransport(app=app)
            async with httpx2.AsyncClient(transport=transport, base_url=base) as browser:
                cookie = (await sign_in(browser, f"{public}/login#{code}")).headers["set-cookie"]
            assert cookie.startswith("__Host-askback_session_") == cookie.endswith("; Secure") == secure


@requirement("N15")
async def test_people_list_and_end_their_own_sessions_and_admins_those_of_everybody(api: Api) -> None:
    link = {"name": "Ada", "user": "ada"}
    admin = await api.as_("admin")

    async def enter(**identity: str) -> httpx2.AsyncClient:
        browser = api.client(headers={"User-Agent": "Firefox"})
        url = (await admin.post("/v1/login-links", json=identity)).json()["url"]
        await sign_in(browser, url)
        return browser

    async def ids(caller: httpx2.AsyncClient) -> list[tuple[str, bool]]:
        listed_sessions = (await caller.get("/v1/sessions")).json()["sessions"]
        return [(session["user"], session["current"]) for session in listed_sessions]

    laptop, phone, bo = await enter(**link), await enter(**link), await enter(name="Bo", user="bo")
    assert await ids(laptop) == [("ada", False), ("ada", True)]
    assert await ids(admin) == [("bo", False), ("ada", False), ("ada", False)]
    shown_sessions = (await bo.get("/v1/sessions")).json()["sessions"][0]
    assert (shown_sessions["device"], shown_sessions["name"], set(shown_sessions) & {"half", "digest"}) == (
        "Firefox",
        "Bo",
        set(),
    )
    assert (await laptop.delete(f"/v1/sessions/{shown_sessions['id']}")).status_code == 404
    assert (await laptop.get("/v1/sessions?user=bo")).json() == {"sessions": []}
    of_phone = (await phone.get("/v1/session")).json()["session"]["id"]
    assert (await laptop.delete(f"/v1/sessions/{of_phone}")).status_code == 204
    assert (await phone.get("/v1/session")).status_code == 401
    assert (await admin.delete(f"/v1/sessions/{shown_sessions['id']}")).status_code == 204
    assert (await bo.get("/v1/session")).status_code == 401
    await enter(**link)
    assert (await laptop.delete("/v1/sessions")).json() == {"ended": 2}
    assert await ids(admin) == []
    agent = await api.as_("requester")
    assert (await agent.get("/v1/sessions")).status_code == 403


@requirement("N15")
async def test_log_ins_log_outs_and_failures_are_in_the_audit_log_within_a_bound(api: Api) -> None:
    browser = await api.browser()
    session = (await browser.get("/v1/session")).json()["session"]["id"]
    await browser.delete("/v1/session")
    for _ in range(30):
        await sign_in(api.client(), f"{BASE}/login#wrong")
    api.clock.advance(seconds=61)
    await sign_in(api.client(), f"{BASE}/login#wrong")
    entries = (await (await api.as_("admin")).get("/v1/audit")).json()["entries"]
    seen_items = [entry for entry in entries if entry["action"].startswith("session.")]
    assert [item["action"] for item in seen_items] == [
        "session.opened",
        "session.ended",
        *["session.refused"] * 11,
    ]
    assert [item["session"] for item in seen_items[:2]] == [session, session]
    assert [item["actor"]["name"] for item in seen_items[:2]] == ["Ada", "Ada"]
    assert seen_items[-1]["left_out"] == 20
    assert "wrong" not in str(entries)


@requirement("N15")
async def test_the_audit_log_has_the_author_and_the_person_of_a_login_link(api: Api) -> None:
    admin = await api.as_("admin")
    person = {"name": "Ada", "user": "ada", "groups": ["ops"]}
    url = (await admin.post("/v1/login-links", json=person)).json()["url"]
    await sign_in(api.client(), url)
    entries = (await admin.get("/v1/audit")).json()["entries"]
    link, opened_items = (
        next(entry for entry in entries if entry["action"] == action)
        for action in ("login.add", "session.opened")
    )
    assert (link["actor"]["role"], link["groups"], link["role"]) == ("admin", ["ops"], "responder")
    assert link["person"] == {key: opened_items["actor"][key] for key in ("id", "name", "user")}
    assert url.partition("#")[2] not in str(entries)


@requirement("N8")
async def test_a_signed_address_opens_one_resource_in_one_session_for_a_minute(api: Api) -> None:
    await create_request(api)
    browser, other = await api.browser(), await api.browser()
    signed_address = (
        await browser.post("/v1/session/addresses", json={"path": "/v1/requests?thread_id=t1&limit=5"})
    ).json()["url"]
    for item in (browser, other):
        del item.headers[HALF]
    assert len((await browser.get(signed_address)).json()["requests"]) == 1
    assert (await browser.head(signed_address)).status_code == 200
    for caller, method, address in (
        (browser, "GET", signed_address.replace("/v1/requests", "/v1/rules")),
        (browser, "GET", signed_address.replace("t1", "t2")),
        (browser, "GET", signed_address[:-1] + ("0" if signed_address[-1] != "0" else "1")),
        (browser, "GET", signed_address + "&limit=9"),
        (browser, "POST", signed_address),
        (other, "GET", signed_address),
        (api.client(), "GET", signed_address),
    ):
        assert (await caller.request(method, address)).status_code == 401, (method, address)
    api.clock.advance(seconds=60)
    assert (await browser.get(signed_address)).status_code == 401


@pytest.mark.parametrize(
    "path", ["", "//evil.example/v1/x", "https://evil.example/v1/x", "/login", "/v1/x#y", "/v1/\n"]
)
async def test_only_addresses_of_this_server_are_signed(api: Api, path: str) -> None:
    refusal = await (await api.browser()).post("/v1/session/addresses", json={"path": path})
    assert (refusal.status_code, refusal.json()["error"]["field_errors"][0]["path"]) == (422, "path")


@requirement("N15")
async def test_a_token_of_a_person_signs_in_and_takes_its_sessions_with_it(api: Api) -> None:
    admin = await api.as_("admin")
    made_body = (await admin.post("/v1/tokens", json={"role": "responder", "name": "Bo"})).json()
    browser = api.client()
    entered = await browser.post("/v1/sessions", json={"token": made_body["token"]})
    assert entered.status_code == 201
    browser.headers[HALF] = entered.json()["session"]
    assert (await browser.get("/v1/session")).json()["principal"]["name"] == "Bo"
    assert (await admin.delete(f"/v1/tokens/{made_body['id']}")).status_code == 200
    assert (await browser.get("/v1/session")).status_code == 401
    await api.as_("requester")
    for body, status in (
        ({"token": made_body["token"]}, 401),
        ({"token": "nobody"}, 401),
        ({"token": api.tokens["requester"]}, 403),
        ({}, 422),
        ({"code": "x", "token": "y"}, 422),
    ):
        refusal = await api.client().post("/v1/sessions", json=body)
        assert (refusal.status_code, "set-cookie" in refusal.headers) == (status, False), body


@requirement("N15")
async def test_connections_of_a_session_close_when_it_expires(api: Api) -> None:
    browser = await api.browser()
    offered = ["askback.v1", f"session.{browser.headers[HALF]}"]
    headers = {"Cookie": "=".join(cookie_of(browser)), "Origin": "http://127.0.0.1"}
    socket = Socket(api.app, headers=headers, subprotocols=offered)
    assert (await socket.message())["type"] == "websocket.accept"
    assert (await socket.call("list_requests"))["requests"] == []
    ids = {(await browser.get("/v1/session")).json()["session"]["id"]}
    await sessions.close_ended(api.app.services, ids)
    assert await socket.call("ping") == {}
    api.clock.advance(seconds=IDLE_MS / 1000)
    await sessions.close_ended(api.app.services, ids)
    assert await socket.closed() == 4401
    await socket.leave()
