"""Connect an account: a click redirects to the provider, and the server checks the grant."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import anyio
import pytest

from askback.server.app import create_app
from askback.server.settings import load
from tests.requirements import requirement
from tests.transports.conftest import Api, ManualClock
from tests.transports.oauth_provider import ACCESS, CLIENT_SECRET, REFRESH, Provider, provider

pytestmark = pytest.mark.anyio

MASTER = "a:" + "A" * 43 + "="


@dataclass
class OAuthServer:
    """A server, a provider that it knows, and a request to connect an account there."""

    api: Api
    provider: Provider
    cookie: str = ""

    async def ask(self, **action: Any) -> dict[str, Any]:
        body = {
            "kind": "action",
            "thread_id": "t1",
            "action": {"title": "Connect it", "provider": "crm", **action},
        }
        reply = await (await self.api.as_("requester")).post("/v1/requests", json=body)
        assert reply.status_code == 201, reply.text
        return reply.json()

    async def click(self, request: dict[str, Any], who: str = "responder", **body: Any) -> str:
        path = f"/v1/requests/{request['id']}/oauth/start"
        reply = await (await self.api.as_(who)).post(path, json=body)
        assert reply.status_code == 201, reply.text
        self.cookie = reply.headers["set-cookie"]
        return reply.json()["url"]

    async def back(self, *, path: str = "/v1/oauth/callback", cookie: str | None = None, **query: str) -> Any:
        """Come back from the provider, in the browser of the last click unless it has another cookie."""
        cookie_pair = self.cookie.partition(";")[0] if cookie is None else cookie
        headers = {"cookie": f"other=1; {cookie_pair}"} if cookie_pair else {}
        return await self.api.client().get(path, params=query, headers=headers)

    async def get(self, request: dict[str, Any]) -> dict[str, Any]:
        return (await (await self.api.as_("requester")).get(f"/v1/requests/{request['id']}")).json()


@pytest.fixture
async def oauth_server(tmp_path: Path) -> AsyncIterator[OAuthServer]:
    async with provider() as running_provider:
        environ = {
            "ASKBACK_OAUTH_PROVIDERS": running_provider.settings,
            "CRM_CLIENT_SECRET": CLIENT_SECRET,
            "ASKBACK_WEBHOOK_HOSTS": "127.0.0.1",
            "ASKBACK_MASTER_KEYS": MASTER,
        }
        clock = ManualClock()
        app = create_app(load(environ, data_dir=tmp_path), clock=clock)
        async with app.running():
            yield OAuthServer(Api(app, clock), running_provider)


async def test_the_request_shows_the_provider_and_the_permissions(oauth_server: OAuthServer) -> None:
    request = await oauth_server.ask(scopes=["contacts.read"])
    assert request["action"] == {
        "title": "Connect it",
        "provider": "crm",
        "scopes": ["contacts.read"],
        "secret": "CRM_TOKEN",
        "host": f"127.0.0.1:{oauth_server.provider.port}",
    }
    url = urlsplit(await oauth_server.click(request))
    query = {name: values[0] for name, values in parse_qs(url.query).items()}
    assert url.path == "/authorize"
    assert len(query.pop("state")) >= 43
    assert len(query.pop("code_challenge")) == 43
    assert query == {
        "response_type": "code",
        "client_id": "askback",
        "redirect_uri": "http://127.0.0.1:8787/v1/oauth/callback",
        "scope": "contacts.read",
        "code_challenge_method": "S256",
    }


@requirement("E24")
async def test_a_connected_account_ends_the_request_with_names_and_its_tokens_are_leased(
    oauth_server: OAuthServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    request = await oauth_server.ask()
    state, code = oauth_server.provider.allow(await oauth_server.click(request))
    page = await oauth_server.back(state=state, code=code)
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert ('id="connected">' in page.text, 'id="failed" hidden' in page.text) == (True, True)
    reply = await oauth_server.get(request)
    assert (reply["status"], reply["source"], reply["settled_by"]["name"]) == (
        "answered",
        "provider",
        "responder",
    )
    names = ["CRM_TOKEN", "CRM_TOKEN_REFRESH"]
    assert reply["answer"] == {"outcome": "done", "names": names, "scope": "session"}
    agent = await oauth_server.api.as_("requester")
    lease = await agent.post("/v1/secrets/lease", json={"thread_id": "t1", "names": names})
    leased = {name: item["value"] for name, item in lease.json()["secrets"].items()}
    assert leased == {"CRM_TOKEN": ACCESS, "CRM_TOKEN_REFRESH": REFRESH}
    ours = "".join(record.getMessage() for record in caplog.records if record.name.startswith("askback"))
    seen_items = [
        page.text,
        json.dumps(reply),
        ours,
        (await (await oauth_server.api.as_("admin")).get("/v1/audit")).text,
    ]
    seen_items += [
        event.text
        for event in await oauth_server.api.app.services.store.thread_events("default", "t1", after=0)
    ]
    for canary in (ACCESS, REFRESH, CLIENT_SECRET, state, code):
        assert not any(canary in text for text in seen_items), canary


@requirement("E24")
async def test_a_forged_replayed_or_late_callback_is_refused_with_a_page(oauth_server: OAuthServer) -> None:
    request = await oauth_server.ask()
    state, code = oauth_server.provider.allow(await oauth_server.click(request))
    for query in (
        {"state": "forged", "code": code},
        {"state": state.swapcase(), "code": code},
        {"code": code},
        {},
    ):
        forged = await oauth_server.back(**query)
        assert (forged.status_code, 'id="refused">' in forged.text) == (400, True)
    twice = await oauth_server.api.client().get(f"/v1/oauth/callback?state={state}&state={state}&code={code}")
    assert twice.status_code == 400
    assert (await oauth_server.get(request))["status"] == "pending"
    assert oauth_server.provider.forms == []
    assert (await oauth_server.back(state=state, code=code)).status_code == 200
    assert (await oauth_server.back(state=state, code=code)).status_code == 400
    late_request = await oauth_server.ask(title="Another")
    state, code = oauth_server.provider.allow(await oauth_server.click(late_request))
    oauth_server.api.clock.advance(seconds=601)
    assert (await oauth_server.back(state=state, code=code)).status_code == 400
    assert (await oauth_server.get(late_request))["status"] == "pending"
    assert len(oauth_server.provider.forms) == 1


@requirement("E24")
async def test_only_the_browser_that_clicked_can_come_back(oauth_server: OAuthServer) -> None:
    request = await oauth_server.ask()
    state, code = oauth_server.provider.allow(await oauth_server.click(request))
    name, _, rest = oauth_server.cookie.partition("=")
    value, *attributes = rest.split("; ")
    assert attributes == ["HttpOnly", "SameSite=Lax", "Path=/v1", "Max-Age=600"]
    for cookie in ("", f"{name}=", f"{name}=forged", f"{name}_2={value}", f"{name}={value[:-1]}"):
        assert (await oauth_server.back(state=state, code=code, cookie=cookie)).status_code == 400
    assert (await oauth_server.get(request))["status"] == "pending"
    assert oauth_server.provider.forms == []
    both = f"{name}=forged; {name}={value}"
    assert (await oauth_server.back(state=state, code=code, cookie=both)).status_code == 200
    assert (await oauth_server.get(request))["answer"]["outcome"] == "done"


@requirement("E24")
async def test_two_accounts_are_connected_concurrently_in_one_browser(oauth_server: OAuthServer) -> None:
    first, second = await oauth_server.ask(), await oauth_server.ask(title="Another", secret="OTHER_TOKEN")
    going = oauth_server.provider.allow(await oauth_server.click(first))
    person = await oauth_server.api.as_("responder")
    person.headers["cookie"] = oauth_server.cookie.partition(";")[0]
    reply = await person.post(f"/v1/requests/{second['id']}/oauth/start", json={})
    assert reply.headers["set-cookie"] == oauth_server.cookie
    for state, code in (oauth_server.provider.allow(reply.json()["url"]), going):
        assert (await oauth_server.back(state=state, code=code)).status_code == 200


@requirement("E24")
async def test_the_latest_click_wins(oauth_server: OAuthServer) -> None:
    request = await oauth_server.ask()
    first = oauth_server.provider.allow(await oauth_server.click(request))
    second = oauth_server.provider.allow(await oauth_server.click(request, "responder/bob"))
    assert (await oauth_server.back(state=first[0], code=first[1])).status_code == 400
    assert (await oauth_server.get(request))["status"] == "pending"
    assert (await oauth_server.back(state=second[0], code=second[1])).status_code == 200
    assert (await oauth_server.get(request))["settled_by"]["name"] == "bob"


async def test_one_of_many_concurrent_callbacks_exchanges_the_code(oauth_server: OAuthServer) -> None:
    request = await oauth_server.ask()
    state, code = oauth_server.provider.allow(await oauth_server.click(request))
    codes: list[int] = []

    async def back() -> None:
        codes.append((await oauth_server.back(state=state, code=code)).status_code)

    async with anyio.create_task_group() as tasks:
        for _ in range(10):
            tasks.start_soon(back)
    assert (sorted(codes), len(oauth_server.provider.forms)) == ([200] + [400] * 9, 1)


FAILURES: list[tuple[dict[str, Any], int, dict[str, str], str]] = [
    ({}, 200, {"error": "access_denied", "error_description": "<b>no</b>"}, "access_denied"),
    ({}, 200, {"error": "server_error"}, "provider_error"),
    ({}, 200, {"code": ""}, "provider_error"),
    ({}, 200, {"code": "another"}, "provider_error"),
    ({}, 503, {}, "provider_error"),
    ({"access_token": None}, 200, {}, "provider_error"),
    ({"access_token": "a\nb"}, 200, {}, "provider_error"),
    ({"access_token": "a" * 10_241}, 200, {}, "provider_error"),
    ({"more": "a" * 70_000}, 200, {}, "provider_unreachable"),
    ({"token_type": "mac"}, 200, {}, "provider_error"),
    ({"scope": "contacts.read"}, 200, {}, "scopes_missing"),
]


@requirement("A21")
async def test_a_failed_connection_is_noted_and_can_be_tried_again(oauth_server: OAuthServer) -> None:
    requests = [await oauth_server.ask() for _ in FAILURES]
    for request, (reply, status, query, code) in zip(requests, FAILURES, strict=True):
        state, granted = oauth_server.provider.allow(await oauth_server.click(request))
        oauth_server.provider.reply, oauth_server.provider.status = reply, status
        page = await oauth_server.back(**{"state": state, "code": granted, **query})
        assert page.status_code == 200
        assert "<b>" not in page.text
        noted = await oauth_server.get(request)
        assert (noted["status"], noted["attempt"]["code"], noted["attempt"]["number"]) == ("pending", code, 1)
    assert (await (await oauth_server.api.as_("admin")).get("/v1/secrets")).json()["secrets"] == []
    oauth_server.provider.reply, oauth_server.provider.status = {}, 200
    for request in requests:
        state, granted = oauth_server.provider.allow(await oauth_server.click(request))
        assert (await oauth_server.back(state=state, code=granted)).status_code == 200
        assert (await oauth_server.get(request))["answer"]["outcome"] == "done"


async def test_a_provider_that_cannot_be_reached_can_be_tried_again(oauth_server: OAuthServer) -> None:
    request = await oauth_server.ask()
    state, code = oauth_server.provider.allow(await oauth_server.click(request))
    services = oauth_server.api.app.services
    known = services.oauth_providers["crm"]
    inside = replace(known, token_url="https://10.0.0.1/token")  # noqa: S106 - an address
    services.oauth_providers["crm"] = inside  # type: ignore[index]  # a mapping for everybody else
    assert (await oauth_server.back(state=state, code=code)).status_code == 200
    assert (await oauth_server.get(request))["attempt"]["code"] == "provider_unreachable"
    assert oauth_server.provider.forms == []


async def test_a_request_that_already_ended_keeps_its_outcome(oauth_server: OAuthServer) -> None:
    request = await oauth_server.ask()
    state, code = oauth_server.provider.allow(await oauth_server.click(request))
    person = await oauth_server.api.as_("responder")
    await person.post(f"/v1/requests/{request['id']}/decline", json={"reason": "dismissed"})
    assert (await oauth_server.back(state=state, code=code)).status_code == 400
    assert (await oauth_server.get(request))["status"] == "declined"
    refusal = await person.post(f"/v1/requests/{request['id']}/oauth/start", json={})
    assert refusal.status_code == 409
    assert oauth_server.provider.forms == []


async def test_nobody_can_say_that_an_account_is_connected_but_the_server(oauth_server: OAuthServer) -> None:
    request = await oauth_server.ask()
    path = f"/v1/requests/{request['id']}"
    for who, fault_path, body in (
        ("responder", "answer", {"revision": 1, "outcome": "done"}),
        ("requester", "outcome", {"outcome": "done"}),
    ):
        refusal = await (await oauth_server.api.as_(who)).post(f"{path}/{fault_path}", json=body)
        assert refusal.json()["error"]["field_errors"][0]["code"] == "not_connected"
    failed = {"revision": 1, "outcome": "failed", "reason": "No account."}
    reply = await (await oauth_server.api.as_("responder")).post(f"{path}/answer", json=failed)
    assert reply.json()["answer"] == {"outcome": "failed", "reason": "No account."}


@pytest.mark.parametrize(
    ("action", "path", "code"),
    [
        ({"provider": "other"}, "action.provider", "unknown_value"),
        ({"scopes": ["admin"]}, "action.scopes[0]", "unknown_value"),
        ({"scopes": []}, "action.scopes", "too_few"),
        ({"scopes": ["contacts.read"] * 2}, "action.scopes[1]", "duplicate_value"),
        ({"secret": "lower"}, "action.secret", "not_a_secret_name"),
        ({"secret": "LD_PRELOAD"}, "action.secret", "secret_blocked"),
        ({"url": "https://a.example"}, "action.url", "link_and_provider"),
    ],
)
async def test_a_bad_connection_is_refused_with_its_place(
    oauth_server: OAuthServer, action: dict[str, Any], path: str, code: str
) -> None:
    body = {"kind": "action", "thread_id": "t1", "action": {"title": "x", "provider": "crm", **action}}
    refusal = await (await oauth_server.api.as_("requester")).post("/v1/requests", json=body)
    [error] = refusal.json()["error"]["field_errors"]
    assert (refusal.status_code, error["path"], error["code"]) == (422, path, code)


async def test_connection_attempts_are_erased_with_their_thread(oauth_server: OAuthServer) -> None:
    request = await oauth_server.ask()
    state, code = oauth_server.provider.allow(await oauth_server.click(request))
    assert (await (await oauth_server.api.as_("admin")).delete("/v1/threads/t1")).status_code == 204
    assert (await oauth_server.back(state=state, code=code)).status_code == 400
    assert oauth_server.provider.forms == []


async def test_a_connected_account_has_the_shown_text(oauth_server: OAuthServer) -> None:
    request = await oauth_server.ask(title={"en": "Connect it", "de": "Verbinden"})
    state, code = oauth_server.provider.allow(await oauth_server.click(request, languages=["de-AT", "en"]))
    await oauth_server.back(state=state, code=code)
    expected_texts = {"locale": "de", "title": "Verbinden"}
    assert (await oauth_server.get(request))["answer"]["shown"] == expected_texts


async def test_languages_of_a_click_that_are_none_are_refused(oauth_server: OAuthServer) -> None:
    request = await oauth_server.ask()
    person = await oauth_server.api.as_("responder")
    path = f"/v1/requests/{request['id']}/oauth/start"
    for languages, fault_path in ((["?"], "languages[0]"), ("de", "languages"), (["en"] * 21, "languages")):
        reply = await person.post(path, json={"languages": languages})
        assert reply.status_code == 422, reply.text
        assert reply.json()["error"]["field_errors"][0]["path"] == fault_path
