"""Agor's widget for connecting an account, and its tools over MCP."""

# ruff: noqa: F811 - a fixture is imported, and named again by the test that uses it

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.compat.test_agor import CONFIRM, ENV, PATH, TOOLS
from tests.requirements import requirement
from tests.transports.conftest import Api, api
from tests.transports.oauth_provider import ACCESS, REFRESH
from tests.transports.test_oauth import OAuthServer, oauth_server

pytestmark = pytest.mark.anyio
__all__ = ["api", "oauth_server"]


@requirement("E24")
async def test_an_account_is_connected_by_its_provider_alone(oauth_server: OAuthServer):
    agent, person = await oauth_server.api.as_("requester"), await oauth_server.api.as_("responder")
    arguments = {"provider": "crm", "reason": "To read contacts.", "scopes": ["contacts.read"]}
    reply = await agent.post(f"{TOOLS}_oauth", json=arguments)
    assert (reply.status_code, reply.json()["status"]) == (200, "requested"), reply.text
    widget = f"{PATH}/widgets/{reply.json()['widget_id']}"
    message = f"{PATH}/messages/{reply.json()['widget_id']}"

    refusal = await person.post(f"{widget}/submit", json={"outcome": "done"})
    text = "Widget type 'oauth' is resolved by 'oauth_callback', not 'submit'."
    assert refusal.json() == {"name": "Conflict", "message": text, "code": 409}
    early = await person.post(f"{widget}/oauth-resolve")
    assert (early.status_code, early.json()["message"]) == (409, "The account at 'crm' is not connected yet.")
    assert (await agent.post(f"{widget}/oauth-start")).status_code == 403

    first = (await person.post(f"{widget}/oauth-start")).json()["url"]
    started_reply = await person.post(f"{widget}/oauth-start")
    oauth_server.cookie = started_reply.headers["set-cookie"]
    assert oauth_server.cookie.split("; ")[1:4] == ["HttpOnly", "SameSite=Lax", f"Path={PATH}"]
    callback = f"{PATH}/oauth/callback"
    (redirect_uri,) = parse_qs(urlsplit(started_reply.json()["url"]).query)["redirect_uri"]
    assert redirect_uri == f"http://127.0.0.1:8787{callback}"
    state, code = oauth_server.provider.allow(started_reply.json()["url"])
    older, other = oauth_server.provider.allow(first)
    for query in (
        {"state": "forged", "code": code},
        {"state": older, "code": other},
        {"state": state, "code": code, "cookie": ""},
        {},
    ):
        refusal = await oauth_server.back(path=callback, **query)
        assert (refusal.status_code, 'id="refused">' in refusal.text) == (400, True)
    oauth_server.provider.reply = {"access_token": ACCESS, "refresh_token": REFRESH, "scope": "contacts.read"}
    page = await oauth_server.back(path=callback, state=state, code=code)
    assert (page.status_code, 'id="connected">' in page.text) == (200, True)
    assert [form["redirect_uri"] for form in oauth_server.provider.forms] == [redirect_uri]
    assert (await oauth_server.back(path=callback, state=state, code=code)).status_code == 400
    assert (await oauth_server.back(path="/compat/nebo/oauth/callback")).status_code == 404

    finished_reply = await person.post(f"{widget}/oauth-resolve")
    assert finished_reply.json() == {
        "widget_id": reply.json()["widget_id"],
        "status": "submitted",
        "auto_resume_queued": True,
    }
    message_reply = await person.get(message)
    assert message_reply.json()["content"] == 'Connect "crm": To read contacts.'
    assert message_reply.json()["metadata"]["widget"]["result_meta"] == {"provider": "crm", "outcome": "done"}
    resumed_reply = await agent.get("/v1/threads/s1/resumes")
    assert "CRM_TOKEN" in resumed_reply.text
    assert ACCESS not in message_reply.text + finished_reply.text + resumed_reply.text


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"provider": "nobody"}, "provider"),
        ({"provider": 1}, "provider"),
        ({"reason": "x" * 501}, "reason"),
        ({"scopes": ["contacts.delete"]}, "scopes[0]"),
        ({"token": ACCESS}, "token"),
    ],
)
async def test_arguments_are_refused_with_their_place(
    oauth_server: OAuthServer, changes: dict[str, Any], path: str
):
    agent = await oauth_server.api.as_("requester")
    reply = await agent.post(f"{TOOLS}_oauth", json={"provider": "crm", **changes})
    assert (reply.status_code, list(reply.json()["errors"])) == (422, [path]), reply.text
    assert ACCESS not in reply.text


async def rpc(api: Api, method: str, params: object = None, *, session: str = "?session_id=s1") -> Any:
    """Send one message over MCP, and return its result."""
    agent = await api.as_("requester")
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    reply = await agent.post(f"{PATH}/mcp{session}", json=message)
    assert (reply.status_code, reply.json()["id"]) == (200, 1)
    return reply.json().get("result", reply.json().get("error"))


@requirement("E1")
async def test_the_tools_over_mcp(api: Api):
    started_run = await rpc(api, "initialize", {"protocolVersion": "2025-06-18"})
    assert (started_run["protocolVersion"], started_run["capabilities"]) == ("2025-06-18", {"tools": {}})
    tools = {tool["name"]: tool["inputSchema"] for tool in (await rpc(api, "tools/list"))["tools"]}
    schema = tools["agor_widgets_request_env_vars"]
    assert schema["properties"].keys() >= {"names", "reason"}
    assert "values" not in schema["properties"]
    assert len(tools) == 5

    call = {
        "name": "agor_widgets_request_env_vars",
        "arguments": ENV,
        "_meta": {"claudecode/toolUseId": "toolu_1"},
    }
    reply = await rpc(api, "tools/call", call)
    assert json.loads(reply["content"][0]["text"]) == reply["structuredContent"]
    assert reply["structuredContent"] == {
        "widget_id": reply["structuredContent"]["widget_id"],
        "status": "requested",
    }
    assert await rpc(api, "tools/call", call) == reply
    bad = await rpc(
        api,
        "tools/call",
        {"name": "agor_widgets_request_confirmation", "arguments": {**CONFIRM, "options": []}},
    )
    assert (bad["isError"], bad["content"][0]["text"].startswith("options: ")) == (True, True)
    for name in ("x", "agor_widgets_request_poem", 1, None):
        assert (await rpc(api, "tools/call", {"name": name}))["isError"] is True
    assert (await rpc(api, "tools/call", call, session=""))["isError"] is True
    assert (await rpc(api, "prompts/list"))["code"] == -32601
    assert await rpc(api, "ping") == {}
    agent = await api.as_("requester")
    assert (await agent.post(f"{PATH}/mcp", json={"method": "notifications/initialized"})).status_code == 202
    assert [(await agent.post(f"{PATH}/mcp", json=odd)).status_code for odd in ([], 1, {"id": 1})] == [
        400
    ] * 3
