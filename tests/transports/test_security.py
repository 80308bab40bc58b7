"""Addresses, origins, sessions, security headers, and errors without details."""

from __future__ import annotations

import logging
import re
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import httpx2
import pytest

from askback.server.app import create_app
from askback.server.settings import load
from askback.service.agents import credentials
from askback.transports.guard import CSP
from askback.transports.problems import HostNotAllowed
from askback.transports.security import Addresses
from tests.requirements import requirement
from tests.transports.conftest import ANSWER, BASE, Api, create_request

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
    refusal = await api.client().get("/healthz", headers={"Host": host})
    assert (refusal.status_code, refusal.json()["error"]["code"]) == (421, "host_not_allowed")


async def test_two_host_headers_are_refused(api: Api) -> None:
    refusal = await api.client().get("/healthz", headers=[("Host", "127.0.0.1"), ("Host", "localhost")])
    assert refusal.status_code == 421


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
    request = await create_request(api)
    for method, path in (("GET", "/v1/requests"), ("POST", f"/v1/requests/{request['id']}/answer")):
        refusal = await person.request(method, path, json=ANSWER)
        assert (refusal.status_code, refusal.json()["error"]["code"]) == (403, "origin_not_allowed")


async def test_the_own_origin_and_listed_ones_are_served(api: Api) -> None:
    person = await api.as_("responder", Origin=BASE)
    assert (await person.get("/v1/requests")).status_code == 200
    listed = Addresses.of(origins=["https://app.example/"])
    listed.check(
        {"headers": [(b"host", b"localhost"), (b"origin", b"https://app.example")], "scheme": "http"}
    )


@pytest.mark.parametrize(
    "authorization", ["Basic abc", "Bearer", "Bearer ", "Token x", "Bearer \xff", "bearer a b"]
)
async def test_a_bad_credential_is_unauthorized_even_with_a_valid_cookie(
    api: Api, authorization: str
) -> None:
    browser = await api.browser()
    refusal = await browser.get("/v1/session", headers={b"Authorization": authorization.encode("latin-1")})
    assert (refusal.status_code, refusal.headers["www-authenticate"]) == (401, "Bearer")


@requirement("I6")
async def test_every_route_sends_the_security_headers(api: Api) -> None:
    request = await create_request(api)
    person = await api.as_("admin")
    urls = [
        (o.method, re.sub(r"\{.*?\}", "t1" if "thread" in o.path else request["id"], o.path))
        for o in (route.operation for route in api.app.routes)
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
                if method != "HEAD" and response.status_code != 204 and url != "/v1/oauth/callback":
                    is_lines = response.status_code == 200 and url == "/v1/audit/export"
                    expected = "application/x-ndjson" if is_lines else "application/json"
                    assert headers["content-type"] == expected, (method, url)


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
        refusal = await (await api.as_("admin")).request(method, path)
        assert refusal.status_code == status, (method, path)
        if method != "HEAD":
            assert refusal.json()["error"]["code"] == code
            assert set(refusal.json()["error"]) == {"code", "message"}


async def test_an_internal_error_reveals_nothing(
    api: Api, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    request = await create_request(api)
    await api.as_("requester")

    canary = f"CANARY-{request['id']}x"  # put together at run time: a traceback may quote source lines

    async def broken(*_: object) -> None:
        raise ValueError(canary)

    monkeypatch.setattr(api.app.services.store, "get", broken)
    with caplog.at_level(logging.DEBUG):
        failed_reply = await (await api.as_("requester")).get(f"/v1/requests/{request['id']}")
    assert failed_reply.status_code == 500
    assert set(failed_reply.json()["error"]) == {"code", "message"}
    assert failed_reply.json()["error"]["code"] == "internal"
    assert canary not in failed_reply.text + caplog.text
    assert "ValueError" in caplog.text


async def test_a_bootstrap_token_is_the_same_caller_after_a_restart(tmp_path: Any) -> None:
    settings = load(
        {"ASKBACK_BOOTSTRAP_TOKENS": "requester/ci@acme:token-of-ci,responder:token-of-bo"}, data_dir=tmp_path
    )
    seen_items = []
    for _ in range(2):
        app = create_app(settings)
        async with app.running():
            transport = httpx2.ASGITransport(app=app)
            headers = {"Authorization": "Bearer token-of-ci"}
            async with httpx2.AsyncClient(transport=transport, base_url=BASE, headers=headers) as client:
                seen_items.append((await client.get("/v1/session")).json()["principal"])
    assert seen_items[0] == seen_items[1]
    assert (seen_items[0]["name"], seen_items[0]["role"]) == ("ci", "requester")


@requirement("I3")
async def test_cors_is_for_listed_origins_and_without_cookies(tmp_path: Path) -> None:
    listed = "https://app.example"
    app = create_app(load({"ASKBACK_ALLOWED_ORIGINS": listed}, data_dir=tmp_path))
    async with app.running():
        transport = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(transport=transport, base_url=BASE) as http:
            ask = {"Origin": listed, "Access-Control-Request-Method": "PUT"}
            allowed = await http.options("/v1/threads/t1/access", headers=ask)
            assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (204, listed)
            assert "PUT" in allowed.headers["access-control-allow-methods"]
            assert "Authorization" in allowed.headers["access-control-allow-headers"]
            plain = await http.options("/v1/requests", headers={"Origin": listed})
            assert (plain.status_code, plain.headers["access-control-allow-origin"]) == (405, listed)
            code = await credentials.create_login_code(app.services, tenant="default", name="Ada")
            entered = await http.post("/v1/sessions", json={"code": code}, headers={"Origin": listed})
            assert (entered.status_code, "set-cookie" in entered.headers) == (403, False)
            for origin in (f"{listed}.evil.example", "https://evil.example", "null", f"{listed}:8443"):
                refusal = await http.options("/v1/requests", headers={**ask, "Origin": origin})
                assert (refusal.status_code, refusal.headers["vary"]) == (403, "Origin")
                assert "access-control-allow-origin" not in refusal.headers
            own_reply = await http.get("/v1/limits", headers={"Origin": BASE})
            assert (own_reply.headers["vary"], "access-control-allow-origin" in own_reply.headers) == (
                "Origin",
                False,
            )
            assert "access-control-allow-credentials" not in str(allowed.headers) + str(own_reply.headers)


async def test_a_person_who_opens_an_address_gets_a_page_and_a_program_gets_json(api: Api) -> None:
    browser = api.client(headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    for path, status, text in (("/nowhere", 404, "Page not found"), ("/v1/limits", 401, "Sign in")):
        page_reply = await browser.get(path)
        assert (page_reply.status_code, page_reply.headers["content-type"]) == (
            status,
            "text/html; charset=utf-8",
        )
        assert text in page_reply.text
        assert page_reply.headers["cache-control"] == "no-store"
        assert (await api.client().get(path)).json()["error"]["code"] in {"not_found", "unauthorized"}
    posted_reply = await browser.post("/v1/requests", json={})
    assert posted_reply.headers["content-type"] == "application/json"
