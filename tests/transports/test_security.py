"""Doors: addresses, origins, sessions, CSRF, security headers, and errors that tell nothing."""

from __future__ import annotations

import logging
import re
from contextlib import nullcontext
from typing import Any

import httpx2
import pytest

from askback.app import create_app
from askback.service import access, credentials
from askback.settings import load
from askback.transports.guard import CSP
from askback.transports.problems import HostNotAllowed
from askback.transports.security import Addresses
from tests.requirements import requirement
from tests.transports.conftest import ANSWER, BASE, Api, asked

pytestmark = pytest.mark.anyio

REAL_HOSTS = [
    "127.0.0.1",
    "127.0.0.1:8787",
    "localhost:1",
    "LOCALHOST",
    "[::1]:8787",
    "[::1]",
    "127.8.8.8:80",
]
FALSE_HOSTS = [
    "evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8787", "10.0.0.5:8787", "0.0.0.0", "",
    "localhost@evil.example", "127.0.0.1:80:80", "[::2]", "2130706433", "localhost:", "local host",
]  # fmt: skip


@pytest.mark.parametrize("host", REAL_HOSTS)
async def test_loopback_names_are_served(api: Api, host: str) -> None:
    assert (await api.client().get("/healthz", headers={"Host": host})).status_code == 200


@requirement("M1")
@pytest.mark.parametrize("host", FALSE_HOSTS)
async def test_any_other_host_is_misdirected(api: Api, host: str) -> None:
    refused = await api.client().get("/healthz", headers={"Host": host})
    assert (refused.status_code, refused.json()["error"]["code"]) == (421, "host_not_allowed")


async def test_two_host_headers_are_refused(api: Api) -> None:
    refused = await api.client().get("/healthz", headers=[("Host", "127.0.0.1"), ("Host", "localhost")])
    assert refused.status_code == 421


@pytest.mark.parametrize(
    ("addresses", "host", "served"),
    [
        (Addresses.of(["askback.example"]), "askback.example:99", True),
        (Addresses.of(["askback.example:99"]), "askback.example:99", True),
        (Addresses.of(["askback.example:99"]), "askback.example:98", False),
        (Addresses.of(["ASKBACK.example"]), "askback.Example", True),
        (Addresses.of(literals=True), "192.168.1.9:8787", True),
        (Addresses.of(literals=True), "[2001:db8::1]:8787", True),
        (Addresses.of(literals=True), "evil.example", False),
        (Addresses.of(), "192.168.1.9:8787", False),
    ],
)
def test_listed_names_and_address_literals_are_served_when_settings_say_so(
    addresses: Addresses, host: str, served: bool
) -> None:
    scope: dict[str, Any] = {"headers": [(b"host", host.encode())], "scheme": "http"}
    with nullcontext() if served else pytest.raises(HostNotAllowed):
        addresses.check(scope)


@requirement("I3")
@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "http://127.0.0.1:9999", "https://127.0.0.1:8787", "http://127.0.0.1.evil.example:8787",
     "http://localhost:8787", "file://", "", "http://127.0.0.1:8787/", "http://127.0.0.1:8787 http://evil.example"],
)  # fmt: skip
async def test_a_foreign_origin_is_refused_on_every_method(api: Api, origin: str) -> None:
    person = await api.as_("responder", Origin=origin)
    request = await asked(api)
    for method, path in (("GET", "/v1/requests"), ("POST", f"/v1/requests/{request['id']}/answer")):
        refused = await person.request(method, path, json=ANSWER)
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "origin_not_allowed")


async def test_the_own_origin_and_listed_ones_are_served(api: Api) -> None:
    person = await api.as_("responder", Origin=BASE)
    assert (await person.get("/v1/requests")).status_code == 200
    listed = Addresses.of(origins=["https://app.example/"])
    listed.check(
        {"headers": [(b"host", b"localhost"), (b"origin", b"https://app.example")], "scheme": "http"}
    )


@requirement("I3")
async def test_a_cookie_without_the_csrf_token_changes_nothing(api: Api) -> None:
    request = await asked(api)
    browser = await api.browser()
    path = f"/v1/requests/{request['id']}/answer"
    good = browser.headers.pop("X-Askback-CSRF")
    for headers in (
        {},
        {"X-Askback-CSRF": ""},
        {"X-Askback-CSRF": good[:-1]},
        {"X-Askback-CSRF": good + "x"},
    ):
        refused = await browser.post(path, json=ANSWER, headers=headers)
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "csrf")
    form = await browser.post(
        path, content="a=b", headers={"Content-Type": "application/x-www-form-urlencoded"}
    )
    assert form.status_code == 403
    assert (await browser.get(f"/v1/requests/{request['id']}")).json() == request
    assert (await browser.post(path, json=ANSWER, headers={"X-Askback-CSRF": good})).status_code == 200


async def test_a_session_answers_in_the_name_of_its_person_and_ends_on_logout(api: Api) -> None:
    request = await asked(api)
    browser = await api.browser()
    answered = await browser.post(f"/v1/requests/{request['id']}/answer", json=ANSWER)
    assert answered.json()["settled_by"]["name"] == "Ada"
    secret = browser.cookies["askback_session"]
    assert (await browser.delete("/v1/session")).status_code == 204
    gone = await api.client(cookies={"askback_session": secret}).get("/v1/session")
    assert gone.status_code == 401


async def test_a_session_is_not_an_agent_and_not_an_admin(api: Api) -> None:
    browser = await api.browser()
    for path in ("/v1/requests", "/v1/login-links", "/v1/tokens"):
        assert (await browser.post(path, json={})).status_code == 403


async def test_a_session_ends_after_seven_days(api: Api) -> None:
    browser = await api.browser()
    api.clock.advance(seconds=access.SESSION_MS / 1000 - 1)
    assert (await browser.get("/v1/session")).status_code == 200
    api.clock.advance(seconds=2)
    assert (await browser.get("/v1/session")).status_code == 401


async def test_a_login_link_works_once_and_sets_a_strict_cookie(api: Api) -> None:
    link = (await (await api.as_("admin")).post("/v1/login-links", json={"name": "Ada"})).json()["url"]
    assert link.startswith(f"{BASE}/login?code=")
    browser, thief = api.client(), api.client()
    assert (await thief.head(link)).status_code == 204
    entered = await browser.get(link)
    assert (entered.status_code, entered.headers["location"]) == (303, "/")
    parts = entered.headers["set-cookie"].split("; ")
    assert parts[1:] == ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=604800"]
    used = await thief.get(link)
    assert (used.status_code, "set-cookie" in used.headers) == (401, False)
    assert "askback login" in used.text
    again = await browser.get(link)
    assert (again.status_code, again.headers["location"], "set-cookie" in again.headers) == (303, "/", False)


async def test_a_login_link_is_late_after_ten_minutes(api: Api) -> None:
    link = (await (await api.as_("admin")).post("/v1/login-links", json={})).json()["url"]
    api.clock.advance(seconds=601)
    assert (await api.client().get(link)).status_code == 401


async def test_over_https_the_cookie_is_secure(api: Api) -> None:
    code = await credentials.login_code(api.app.services, tenant="default", name="Ada")
    transport = httpx2.ASGITransport(app=api.app)
    async with httpx2.AsyncClient(transport=transport, base_url="https://localhost") as browser:
        entered = await browser.get("/login", params={"code": code})
    assert entered.headers["set-cookie"].endswith("; Secure")


@pytest.mark.parametrize(
    ("wanted", "location"),
    [
        ("/t/thread-1", "/t/thread-1"), ("/r/req_1", "/r/req_1"), ("/gallery", "/gallery"), ("/t/a%2Fb", "/t/a%2Fb"),
        ("//evil.example", "/"), ("https://evil.example", "/"), ("/\\evil.example", "/"), ("/t/../../x", "/"),
        ("/t/x\r\nSet-Cookie: a=b", "/"), ("javascript:alert(1)", "/"), ("/v1/session", "/"), ("/t/x?y=//z", "/"),
        ("/login?code=x", "/"), ("/%2f%2fevil.example", "/"), ("", "/"), ("/t/", "/"), ("/gallery\n", "/"),
    ],
)  # fmt: skip
async def test_a_login_leads_only_to_our_own_pages(api: Api, wanted: str, location: str) -> None:
    code = await credentials.login_code(api.app.services, tenant="default", name="Ada")
    entered = await api.client().get("/login", params={"code": code, "next": wanted})
    assert entered.headers["location"] == location


@pytest.mark.parametrize("given", ["Basic abc", "Bearer", "Bearer ", "Token x", "Bearer \xff", "bearer a b"])
async def test_a_bad_credential_is_unauthorized_also_beside_a_good_cookie(api: Api, given: str) -> None:
    browser = await api.browser()
    refused = await browser.get("/v1/session", headers={b"Authorization": given.encode("latin-1")})
    assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")


@requirement("I6")
async def test_every_route_sends_the_security_headers(api: Api) -> None:
    request = await asked(api)
    person = await api.as_("admin")
    urls = [
        (o.method, re.sub(r"\{.*?\}", "t1" if "thread" in o.path else request["id"], o.path))
        for o in api.app.operations
        if not o.stream
    ]
    urls += [("GET", "/nowhere"), ("PUT", "/v1/requests"), ("POST", "/v1/requests"), ("HEAD", "/v1/limits")]
    for method, url in urls:
        for caller in (person, api.client(), api.client(headers={"Host": "evil.example"})):
            response = await caller.request(method, url)
            headers = response.headers
            assert headers["content-security-policy"] == CSP, (method, url)
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
            assert headers["cross-origin-opener-policy"] == "same-origin"
            if url.startswith("/v1"):
                assert headers["cache-control"] == "no-store", (method, url)
                if method != "HEAD" and response.status_code != 204:
                    assert headers["content-type"] == "application/json"


@requirement("M1")
async def test_unknown_paths_and_methods_have_the_error_shape(api: Api) -> None:
    for method, path, status, code in [
        ("GET", "/nowhere", 404, "not_found"),
        ("GET", "/v1", 404, "not_found"),
        ("GET", "/v1/requests/", 404, "not_found"),
        ("GET", "/static/../server.json", 404, "not_found"),
        ("GET", "/static/%2e%2e/%2e%2e/pyproject.toml", 404, "not_found"),
        ("DELETE", "/v1/requests", 405, "method_not_allowed"),
        ("POST", "/", 405, "method_not_allowed"),
        ("OPTIONS", "/v1/requests", 405, "method_not_allowed"),
        ("HEAD", "/v1/events", 405, None),
    ]:
        refused = await (await api.as_("admin")).request(method, path)
        assert refused.status_code == status, (method, path)
        if method != "HEAD":
            assert refused.json()["error"]["code"] == code
            assert set(refused.json()["error"]) == {"code", "message"}


async def test_what_breaks_inside_says_nothing_outside(
    api: Api, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    request = await asked(api)
    await api.as_("requester")

    canary = f"CANARY-{request['id']}x"  # put together at run time: a traceback may quote source lines

    async def broken(*_: object) -> None:
        raise ValueError(canary)

    monkeypatch.setattr(api.app.services.store, "get", broken)
    with caplog.at_level(logging.DEBUG):
        failed = await (await api.as_("requester")).get(f"/v1/requests/{request['id']}")
    assert failed.status_code == 500
    assert set(failed.json()["error"]) == {"code", "message"}
    assert failed.json()["error"]["code"] == "internal"
    assert canary not in failed.text + caplog.text
    assert "ValueError" in caplog.text


async def test_a_bootstrap_token_is_the_same_caller_after_a_restart(tmp_path: Any) -> None:
    settings = load(
        {"ASKBACK_BOOTSTRAP_TOKENS": "requester/ci@acme:token-of-ci,responder:token-of-bo"}, data_dir=tmp_path
    )
    seen = []
    for _ in range(2):
        app = create_app(settings)
        async with app.running():
            transport = httpx2.ASGITransport(app=app)
            headers = {"Authorization": "Bearer token-of-ci"}
            async with httpx2.AsyncClient(transport=transport, base_url=BASE, headers=headers) as client:
                seen.append((await client.get("/v1/session")).json()["principal"])
    assert seen[0] == seen[1]
    assert (seen[0]["name"], seen[0]["role"]) == ("ci", "requester")
