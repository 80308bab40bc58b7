"""Tokens over a server's life: made known at each start, replaced, revoked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from askback.errors import Unauthorized
from askback.server.app import App, create_app
from askback.server.settings import load
from askback.service.access import tokens
from askback.transports.security import time_left
from askback.wire.websocket import CloseCode
from tests.requirements import requirement
from tests.transports.conftest import Api, ask
from tests.transports.sockets import Socket

pytestmark = pytest.mark.anyio

DAY_S = 24 * 3600


def server(folder: Path, configured: str) -> App:
    return create_app(load({"ASKBACK_BOOTSTRAP_TOKENS": configured}, data_dir=folder))


async def principal_of_token(app: App, secret: str) -> str | None:
    """The principal of a token, None if it is refused."""
    try:
        principal = await tokens.authenticate(app.services, secret)
    except Unauthorized:
        return None
    return None if principal is None else principal.id


@requirement("N15")
async def test_a_bootstrap_token_that_is_no_longer_configured_ends_at_the_next_start(tmp_path: Path) -> None:
    first_app = server(tmp_path, "admin:the-old-admin-token,requester/shop:the-old-agent-token")
    async with first_app.running():
        agent = await principal_of_token(first_app, "the-old-agent-token")
    second_app = server(tmp_path, "admin:the-new-admin-token,requester/shop:the-new-agent-token")
    async with second_app.running():
        assert await principal_of_token(second_app, "the-old-admin-token") is None
        assert await principal_of_token(second_app, "the-old-agent-token") is None
        assert await principal_of_token(second_app, "the-new-admin-token") is not None
        assert await principal_of_token(second_app, "the-new-agent-token") == agent, (
            "the same agent with another token"
        )
    third_app = server(tmp_path, "admin:the-old-admin-token")
    async with third_app.running():
        assert await principal_of_token(third_app, "the-old-admin-token") is not None
        assert await principal_of_token(third_app, "the-new-agent-token") is None


@requirement("N15")
async def test_a_command_does_not_revoke_tokens_missing_in_its_configuration(
    tmp_path: Path,
) -> None:
    first_app = server(tmp_path, "admin:the-admin-token-of-the-server")
    async with first_app.running():
        pass
    command = server(tmp_path, "")
    async with command.running(serves=False):
        assert await principal_of_token(command, "the-admin-token-of-the-server") is not None


async def create_token(api: Api, **body: Any) -> dict[str, Any]:
    """Create a token as an admin."""
    reply = await (await api.as_("admin")).post("/v1/tokens", json={"role": "requester", **body})
    assert reply.status_code == 201, reply.text
    return reply.json()


async def get(api: Api, secret: str, path: str = "/v1/session") -> httpx2.Response:
    return await api.client(headers={"Authorization": f"Bearer {secret}"}).get(path)


@requirement("N15")
async def test_a_revoked_token_is_refused_immediately_and_stays_in_the_list(api: Api) -> None:
    token = await create_token(api, name="shop")
    assert (await get(api, token["token"])).status_code == 200
    await api.app.services.token_usage.flush(api.app.services.store)
    admin = await api.as_("admin")
    revoked_body = (await admin.delete(f"/v1/tokens/{token['id']}")).json()
    refusal = await get(api, token["token"])
    assert (refusal.status_code, refusal.json()["error"]["code"]) == (401, "unauthorized")
    listed_tokens = (await admin.get("/v1/tokens", params={"agent": token["agent"]})).json()["tokens"]
    assert listed_tokens == [revoked_body]
    assert revoked_body["revoked_at"] is not None
    assert revoked_body["last_used_at"] is not None
    assert token["token"] not in json.dumps(listed_tokens)
    assert (await admin.delete("/v1/tokens/tok_none")).status_code == 404


@requirement("N15")
async def test_only_the_connections_of_a_revoked_token_close(api: Api) -> None:
    first = await create_token(api, agent="shop")
    second = await create_token(api, agent="shop")
    assert first["agent"] == second["agent"]
    one_socket, two = [
        Socket(api.app, headers={"Authorization": f"Bearer {item['token']}"}, subprotocols=["askback.v1"])
        for item in (first, second)
    ]
    for socket in (one_socket, two):
        assert (await socket.message())["type"] == "websocket.accept"
    admin = await api.as_("admin")
    await admin.delete(f"/v1/tokens/{first['id']}")
    assert await one_socket.closed() == CloseCode.UNAUTHORIZED
    assert (await two.call("get_request", request_id="req_none"))["code"] == "not_found"
    await admin.post(f"/v1/agents/{second['agent']}/stop")
    assert await two.closed() == CloseCode.UNAUTHORIZED
    for socket in (one_socket, two):
        await socket.leave()


@requirement("N15")
async def test_an_agents_token_never_expires_unless_asked_and_others_do_after_90_days(api: Api) -> None:
    day = 24 * 3600
    agents, short = await create_token(api), await create_token(api, expires_in_s=3 * day)
    person = await create_token(api, role="responder")
    assert agents["expires_at"] is None
    reply_with_warning = await get(api, short["token"])
    assert reply_with_warning.headers["x-askback-token-expires"] == short["expires_at"]
    assert "x-askback-token-expires" not in (await get(api, person["token"])).headers
    api.clock.advance(seconds=84 * day)
    assert (await get(api, short["token"])).status_code == 401
    assert (await get(api, person["token"])).headers["x-askback-token-expires"] == person["expires_at"]
    api.clock.advance(seconds=6 * day)
    assert (await get(api, person["token"])).status_code == 401
    assert (await get(api, agents["token"])).status_code == 200


@requirement("N15")
async def test_stopping_an_agent_revokes_its_tokens_and_cancels_its_open_requests(api: Api) -> None:
    token = await create_token(api, agent="shop")
    bearer = {"Authorization": f"Bearer {token['token']}"}
    opened_body = (await api.client(headers=bearer).post("/v1/requests", json=ask())).json()
    person = await api.as_("responder")
    stopped_body = (await person.post(f"/v1/agents/{token['agent']}/stop")).json()
    assert stopped_body["stopped_at"] is not None
    assert (await get(api, token["token"])).status_code == 401
    ended_request = (await person.get(f"/v1/requests/{opened_body['id']}")).json()
    assert (ended_request["status"], ended_request["reason"]) == ("cancelled", "admin")
    second_reply = await (await api.as_("admin")).post(
        "/v1/tokens", json={"role": "requester", "agent": token["agent"]}
    )
    assert (second_reply.status_code, second_reply.json()["error"]["code"]) == (409, "agent_stopped")


@requirement("N15")
async def test_an_agent_that_works_for_somebody_is_stopped_by_them_or_an_admin(api: Api) -> None:
    token = await create_token(api, user="ada")
    stop = f"/v1/agents/{token['agent']}/stop"
    assert (await (await api.as_("responder")).post(stop)).status_code == 403
    assert (await (await api.as_("requester")).post(stop)).status_code == 403
    assert (await (await api.as_("admin")).post(stop)).status_code == 200


@requirement("N15")
async def test_changes_of_tokens_are_in_the_audit_log(api: Api) -> None:
    token = await create_token(api, agent="shop", roots=["/srv/shop/"])
    admin = await api.as_("admin")
    await admin.delete(f"/v1/agents/{token['agent']}/roots", params={"path": "/srv/shop"})
    await admin.post(f"/v1/agents/{token['agent']}/stop")
    entries = (await admin.get("/v1/audit")).json()["entries"]
    about = [(entry["action"], entry["actor"]["name"]) for entry in entries if entry.get("actor")]
    assert about == [
        (action, "admin")
        for action in ("token.add", "root.grant", "root.revoke", "agent.stop", "token.revoke")
    ]


@requirement("N15")
@pytest.mark.parametrize("path", ["shop", "~/shop", "/srv/../etc", "", "/srv/a\nb", "C:"])
async def test_a_root_is_an_absolute_folder(api: Api, path: str) -> None:
    admin = await api.as_("admin")
    refusal = await admin.post("/v1/tokens", json={"role": "requester", "roots": [path]})
    assert refusal.status_code == 422
    assert (await admin.get("/v1/agents")).json()["agents"] == []


@requirement("N15")
@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"role": "admin", "agent": "shop"}, "agent"),
        ({"role": "admin", "roots": ["/srv"]}, "roots"),
        ({"role": "requester", "agent": ""}, "agent"),
        ({"role": "requester", "threads": []}, "threads"),
        ({"role": "requester", "expires_in_s": 0}, "expires_in_s"),
        ({"role": "requester", "expires_in_s": 1e12}, "expires_in_s"),
    ],
)
async def test_a_token_that_cannot_be_is_refused_with_its_path(
    api: Api, body: dict[str, Any], path: str
) -> None:
    refusal = await (await api.as_("admin")).post("/v1/tokens", json=body)
    assert refusal.status_code == 422
    assert [error["path"] for error in refusal.json()["error"]["field_errors"]] == [path]


async def test_an_admin_makes_no_token_of_another_tenant(api: Api) -> None:
    admin = await api.as_("admin")
    refusal = await admin.post("/v1/tokens", json={"role": "admin", "tenant": "acme"})
    assert refusal.status_code == 403
    assert (await admin.get("/v1/tokens", params={"tenant": "acme"})).status_code == 403


async def test_a_connection_lasts_as_long_as_its_token(api: Api) -> None:
    body = {"role": "requester", "name": "a", "expires_in_s": 90 * DAY_S}
    secret = (await (await api.as_("admin")).post("/v1/tokens", json=body)).json()["token"]
    principal = await tokens.authenticate(api.app.services, secret)
    assert principal is not None
    assert time_left(api.app.services, principal) == 90 * DAY_S
